import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CallbackReading, Order } from '../../src/operators/port.ts'
import { type ContractUnderTest, type Direction, keeping, NUMBER, type OpenContract, openContract } from './contract.ts'
import { contracts } from './contracts.ts'

// A callback never decides. The suite proves that each genuine callback identifies its order, that a forged one is rejected if the operator
// signs, and that the inquiry after it gives the truth, whatever the callback claims.

/** Sends an order that succeeds later. */
async function sendOne(open: OpenContract, order: Order): Promise<Order> {
  open.twin.script({ outcome: 'succeed', reference: order.reference })
  return keeping(order, await open.connector.send(order))
}

const directions: readonly Direction[] = ['collect', 'payout', 'refund']

function references(readings: readonly CallbackReading[]): (string | null)[] {
  return readings.map((reading) => (reading.kind === 'about' ? reading.reference : null))
}

/** The first order of a direction, with its first operator. Null if the contract does not have the direction. */
async function firstOrder(
  open: OpenContract,
  contract: ContractUnderTest,
  direction: Direction,
): Promise<Order | null> {
  const [operator] = contract.operators[direction]
  return operator === undefined ? null : await open.order(direction, operator)
}

for (const contract of contracts.filter(({ callingBackAt }) => callingBackAt !== null)) {
  const { type } = contract.type
  const { calls_back = directions } = contract
  for (const direction of calls_back.filter((one) => contract.operators[one].length > 0)) {
    test(`${type}: a callback about a ${direction} identifies it without a phone number`, async () => {
      await using open = await openContract(contract)
      const order = (await firstOrder(open, contract, direction))!
      await sendOne(open, order)
      await open.twin.advance(30)
      assert.deepEqual(references(await open.called(1)), [order.reference])
      assert.doesNotMatch(open.said(), new RegExp(NUMBER.slice(1)))
    })

    /** The fault, the references in the callbacks, and their number. */
    const lies: [fault: string, more: object, named: (reference: string) => readonly (string | 'another')[]][] = [
      ['callback_twice', {}, (reference) => [reference, reference]],
      ['callback_amount', { claimed_amount: 1 }, (reference) => [reference]],
      ['callback_opposite', {}, (reference) => [reference]],
      ['callback_reference', {}, () => ['another']],
      ['callback_late', { after_seconds: 300 }, (reference) => [reference]],
      ['callback_never', {}, () => []],
    ]
    for (const [fault, more, named] of lies) {
      test(`${type}: after a callback with "${fault}" about a ${direction} an inquiry gives the truth`, async () => {
        await using open = await openContract(contract)
        const order = (await firstOrder(open, contract, direction))!
        open.twin.fault({ fault, reference: order.reference, times: 1, ...more })
        const current = await sendOne(open, order)
        await open.twin.advance(600)
        const expected = named(order.reference)
        const found = references(await open.called(expected.length))
        assert.equal(found.length, expected.length)
        for (const [at, reference] of expected.entries()) {
          if (reference === 'another') assert.notEqual(found[at], order.reference)
          else assert.equal(found[at], reference)
        }
        const outcome = await open.connector.read(current)
        assert.ok(outcome.kind === 'settled', outcome.kind)
        assert.deepEqual([outcome.amount, outcome.currency], [order.amount, 'XOF'])
      })
    }

    test(`${type}: a callback that arrives before the answer to a ${direction} already identifies it`, async () => {
      await using open = await openContract(contract)
      const order = (await firstOrder(open, contract, direction))!
      open.twin.fault({ fault: 'callback_early', reference: order.reference, times: 1 })
      const sending = sendOne(open, order)
      assert.deepEqual(references(await open.called(1)), [order.reference])
      assert.equal((await open.connector.read(await sending)).kind, 'settled')
    })

    test(`${type}: a callback that claims the success of a ${direction} too early proves nothing`, async () => {
      await using open = await openContract(contract)
      const order = (await firstOrder(open, contract, direction))!
      open.twin.script({ outcome: 'nothing', reference: order.reference })
      open.twin.fault({ fault: 'callback_claims_success', reference: order.reference, times: 1 })
      const taken = await open.connector.send(order)
      await open.twin.advance(1)
      assert.deepEqual(references(await open.called(1)), [order.reference])
      assert.equal((await open.connector.read(keeping(order, taken))).kind, 'pending')
    })
  }

  test(`${type}: callbacks that arrive out of order each identify their own operation`, async () => {
    await using open = await openContract(contract)
    const first = (await firstOrder(open, contract, 'collect'))!
    const second = (await firstOrder(open, contract, 'collect'))!
    open.twin.fault({ fault: 'callback_swapped', reference: first.reference, times: 1 })
    await sendOne(open, first)
    await sendOne(open, second)
    await open.twin.advance(30)
    assert.deepEqual(references(await open.called(2)), [second.reference, first.reference])
  })

  for (const fault of contract.forgeries) {
    test(`${type}: a callback with "${fault}" is rejected as forged, and an inquiry gives the truth`, async () => {
      await using open = await openContract(contract)
      const order = (await firstOrder(open, contract, 'collect'))!
      open.twin.fault({ fault, reference: order.reference, times: 1 })
      const current = await sendOne(open, order)
      await open.twin.advance(30)
      for (const reading of await open.called(1)) assert.equal(reading.kind, 'forged')
      assert.equal((await open.connector.read(current)).kind, 'settled')
    })
  }

  if (contract.forgeries.length > 0) {
    test(`${type}: a callback of another environment is rejected as forged`, async () => {
      await using open = await openContract(contract)
      await using sandbox = await openContract(contract)
      // The other environment sends to our address, and signs with its own keys.
      sandbox.twin.change(contract.api, { ...contract.callingBackAt!(open.callback_url), ...contract.elsewhere })
      const order = (await firstOrder(sandbox, contract, 'collect'))!
      await sendOne(sandbox, order)
      await sandbox.twin.advance(30)
      const readings = await open.called(1)
      assert.deepEqual(new Set(readings.map(({ kind }) => kind)), new Set(['forged']))
    })

    test(`${type}: a genuine callback is rejected as forged after its time is over`, async () => {
      await using open = await openContract(contract)
      await sendOne(open, (await firstOrder(open, contract, 'collect'))!)
      await open.twin.advance(30)
      assert.deepEqual(
        (await open.called(1)).map(({ kind }) => kind),
        ['about'],
      )
      await open.twin.advance(3_600)
      assert.deepEqual(
        (await open.replayed()).map(({ kind }) => kind),
        ['forged'],
      )
    })
  }
}
