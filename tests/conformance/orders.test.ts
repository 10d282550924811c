import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failableAfter } from '../../src/operators/doubts/failable-after.ts'
import { createOperatorHttp } from '../../src/operators/operator-api/operator-http.ts'
import type { Order } from '../../src/operators/port.ts'
import { Msisdn } from '../../src/values/msisdn.ts'
import { freePort } from '../harness/free-port.ts'
import { englishOf } from '../harness/in-both-languages.ts'
import {
  type ContractUnderTest,
  carryThrough,
  type Direction,
  heldAs,
  keeping,
  NUMBER,
  type OpenContract,
  openContract,
} from './contract.ts'
import { contracts } from './contracts.ts'

// Every connector passes the same cases on the operators' twin.

const directions: readonly Direction[] = ['collect', 'payout', 'refund']

/** The number of executions of an order in the twin. */
function executed({ twin }: OpenContract, contract: ContractUnderTest, order: Order): number {
  const direction = order.direction === 'collect' ? 'collection' : order.direction
  const reference = heldAs(contract, order)
  return twin.journal().filter((one) => one.reference === reference && one.direction === direction).length
}

/** Whether the operator can report the failure of an accepted order. */
function canFail({ failures }: ContractUnderTest, direction: Direction): boolean {
  return Object.keys(failures[direction]).length > 0
}

/** Checks that the stored evidence contains neither the number nor a secret of the contract. */
function assertNothingLeaks(open: OpenContract, { api, type: { secrets } }: ContractUnderTest): void {
  assert.doesNotMatch(open.said(), new RegExp(NUMBER.slice(1)))
  const { settings } = open.twin.connectors()[api]!
  const known = secrets.flatMap((key) => settings[key] ?? [])
  assert.ok(known.length > 0)
  for (const secret of known) assert.ok(!open.said().includes(secret), 'a secret is in the evidence')
}

/** The faults of a send in the twin, each with the end of the order after inquiries. */
const lies: readonly (readonly [fault: string, ends: 'settled' | 'refused' | 'open', executed: number])[] = [
  ['lose_answer', 'settled', 1],
  ['say_500', 'settled', 1],
  ['say_html', 'settled', 1],
  ['late_answer', 'settled', 1],
  ['slow_bytes', 'settled', 1],
  ['callback_early', 'settled', 1],
  ['callback_claims_success', 'settled', 1],
  ['hang', 'settled', 1],
  ['cut', 'settled', 1],
  ['say_503', 'settled', 1],
  ['say_429', 'settled', 1],
  ['refuse_and_accept', 'refused', 0],
  ['forget', 'open', 0],
]

for (const contract of contracts) {
  const { type } = contract.type
  for (const direction of directions) {
    for (const operator of contract.operators[direction]) {
      test(`${type}: a ${direction} with ${operator} succeeds, for its amount, once`, async () => {
        await using open = await openContract(contract)
        const order = await open.order(direction, operator)
        open.twin.script({ outcome: 'succeed', reference: heldAs(contract, order) })
        const ended = await carryThrough(open, order)
        assert.deepEqual([ended.kind, ended.sends, ended.amount], ['settled', 1, order.amount])
        assert.equal(executed(open, contract, order), 1)
        assertNothingLeaks(open, contract)
      })
    }

    const [operator] = contract.operators[direction]
    if (operator === undefined) continue

    test(`${type}: each immediate refusal of a ${direction} gets its failure code`, async () => {
      await using open = await openContract(contract)
      for (const [word, failure_code] of Object.entries(contract.refusals[direction])) {
        const order = await open.order(direction, operator)
        open.twin.script({ outcome: 'refuse', reason: word, reference: heldAs(contract, order) })
        const outcome = await open.connector.send(order)
        assert.ok(outcome.kind === 'refused', `${word}: ${outcome.kind}`)
        assert.equal(outcome.failure_code, failure_code, word)
        assert.equal(executed(open, contract, order), 0)
      }
      assertNothingLeaks(open, contract)
    })

    test(`${type}: each later failure of an accepted ${direction} gets its failure code`, async () => {
      await using open = await openContract(contract)
      for (const [word, failure_code] of Object.entries(contract.failures[direction])) {
        const order = await open.order(direction, operator)
        open.twin.script({ outcome: 'fail', reason: word, reference: heldAs(contract, order) })
        const taken = await open.connector.send(order)
        assert.equal(taken.kind, 'accepted', word)
        await open.twin.advance(30)
        const outcome = await open.connector.read(keeping(order, taken))
        assert.ok(outcome.kind === 'refused', `${word}: ${outcome.kind}`)
        assert.equal(outcome.failure_code, failure_code, word)
      }
    })

    for (const [fault, ends, times] of lies) {
      test(`${type}: after the fault "${fault}" a ${direction} is ${ends} by inquiries`, async () => {
        await using open = await openContract(contract)
        const order = await open.order(direction, operator)
        const never_twice = open.connector.promises[direction].same_reference === 'never_twice'
        open.twin.script({ outcome: 'succeed', reference: heldAs(contract, order), after_seconds: 20 })
        open.twin.fault({ fault, reference: heldAs(contract, order), times: 1, after_seconds: 2 })
        const ended = await carryThrough(open, order)
        const seen = JSON.stringify(ended)
        assert.ok(executed(open, contract, order) <= 1, seen)
        // Without a promise an order that was not executed stays in doubt, for people.
        if (!never_twice && ended.kind === 'open') return assert.equal(executed(open, contract, order), 0, seen)
        // If the operator has no code for a failure, the service cannot know of it.
        const says = ends === 'refused' && !canFail(contract, direction) ? 'open' : ends
        assert.equal(ended.kind, says, seen)
        assert.equal(executed(open, contract, order), times, seen)
        assertNothingLeaks(open, contract)
      })
    }

    test(`${type}: a ${direction} that the operator does not hold fails no sooner than its documents allow`, async () => {
      await using open = await openContract(contract)
      assert.equal(failableAfter(open.connector, direction), (contract.failable_after_minutes ?? 15) * 60_000)
    })

    if (contract.states_number?.includes(direction)) {
      test(`${type}: a ${direction} that the operator holds for another number proves nothing, and people are told`, async () => {
        await using open = await openContract(contract)
        const order = await open.order(direction, operator)
        open.twin.script({ outcome: 'succeed', reference: heldAs(contract, order) })
        const current = keeping(order, await open.connector.send(order))
        await open.twin.advance(30)
        const { evidence, ...outcome } = await open.connector.read({ ...current, msisdn: Msisdn.parse('0758412078') })
        assert.deepEqual(outcome, { kind: 'unknown', unlisted: 'another number' })
        assert.equal((await open.connector.read(current)).kind, 'settled')
        assertNothingLeaks(open, contract)
      })
    }

    test(`${type}: an inquiry without an answer never ends a ${direction}`, async () => {
      await using open = await openContract(contract)
      const order = await open.order(direction, operator)
      open.twin.script({ outcome: 'succeed', reference: heldAs(contract, order) })
      const current = keeping(order, await open.connector.send(order))
      await open.twin.advance(30)
      for (const fault of [
        'say_500',
        'say_503',
        'say_429',
        'say_html',
        'cut',
        'hang',
        'slow_bytes',
        'read_not_found',
      ]) {
        open.twin.fault({ fault, on: 'read', reference: heldAs(contract, order), times: 1 })
        const { kind } = await open.connector.read(current)
        // A refund that has no name is read in a list, from which it may be missing for a while.
        const late = fault === 'read_not_found' && direction === 'refund' && contract.refunds_unnamed === true
        assert.ok(kind === 'unknown' || kind === 'not_found' || (late && kind === 'pending'), `${fault}: ${kind}`)
      }
      assert.equal((await open.connector.read(current)).kind, 'settled')
    })

    test(`${type}: a ${direction} stays open while the operator itself is in doubt`, async () => {
      await using open = await openContract(contract)
      for (const then of ['succeed', 'fail'] as const) {
        if (then === 'fail' && !canFail(contract, direction)) continue
        const order = await open.order(direction, operator)
        open.twin.script({ outcome: 'doubt', then, after_seconds: 600, reference: heldAs(contract, order) })
        const current = keeping(order, await open.connector.send(order))
        await open.twin.advance(60)
        assert.equal((await open.connector.read(current)).kind, 'pending')
        await open.twin.advance(600)
        assert.equal((await open.connector.read(current)).kind, then === 'succeed' ? 'settled' : 'refused')
      }
    })

    test(`${type}: the promise about the references of a ${direction} holds`, async (t) => {
      await using open = await openContract(contract)
      if (open.connector.promises[direction].same_reference !== 'never_twice') return t.skip('nothing is promised')
      const order = await open.order(direction, operator)
      if (contract.repeats?.[direction] === 'anew') {
        const first = await open.connector.send(order)
        const second = await open.connector.send(order)
        assert.deepEqual([first.kind, second.kind], ['accepted', 'accepted'])
        await open.twin.phone(NUMBER).decline()
        assert.equal(executed(open, contract, order), 0, 'nothing moves until its payer pays')
        await open.twin.phone(NUMBER).approve()
        assert.equal((await open.connector.read(keeping(order, second))).kind, 'settled')
        assert.equal(executed(open, contract, order), 1)
        return
      }
      open.twin.script({ outcome: 'succeed', reference: heldAs(contract, order) })
      const together = await Promise.all([1, 2, 3].map(() => open.connector.send(order)))
      await open.twin.advance(3_600)
      const late = await open.connector.send(order)
      const kinds = [...together, late].map(({ kind }) => kind)
      if ((contract.repeats?.[direction] ?? 'told') === 'told')
        assert.deepEqual(kinds.toSorted(), ['accepted', 'duplicate', 'duplicate', 'duplicate'])
      else
        assert.ok(
          kinds.every((kind) => kind === 'accepted' || kind === 'settled'),
          kinds.join(),
        )
      assert.equal(executed(open, contract, order), 1)
    })
  }

  test(`${type}: an order that never left is reported as such, and one that the operator does not hold as not found`, async () => {
    await using open = await openContract(contract)
    const base_url = `http://127.0.0.1:${await freePort()}`
    const http = createOperatorHttp({ base_url })
    const { settings } = open.twin.connectors()[contract.api]!
    const context = { name: 'main', livemode: true, http, callback_url: `${base_url}/c`, return_url: base_url }
    const nowhere = contract.type.create({ ...settings, ...contract.settings, base_url } as never, {
      ...context,
      now: () => new Date(open.twin.now()),
    })
    for (const direction of directions) {
      const [operator] = contract.operators[direction]
      if (operator === undefined) continue
      const order = await open.order(direction, operator)
      assert.equal((await nowhere.send(order)).kind, 'not_sent', direction)
      assert.equal((await open.connector.read(order)).kind, 'not_found', direction)
      const asked = { ...order, operator_state: contract.kept ?? null }
      assert.equal((await nowhere.read(asked)).kind, 'unknown', direction)
      assert.equal((await open.connector.read(asked)).kind, 'not_found', direction)
    }
    await http.close()
  })

  test(`${type}: a payer who pays on a page gets its address, at the latest through an inquiry`, async () => {
    await using open = await openContract(contract)
    for (const operator of contract.operators.collect) {
      const order = await open.order('collect', operator)
      const taken = await open.connector.send(order)
      await open.twin.advance(5)
      const asked = await open.connector.read(keeping(order, taken))
      const shown = [taken, asked].flatMap((outcome) => ('next_action' in outcome ? [outcome.next_action!.type] : []))
      assert.deepEqual(
        [...new Set(shown)],
        [contract.redirects.includes(operator) ? 'redirect' : 'approve_on_phone'],
        operator,
      )
      const url = [taken, asked].flatMap((outcome) => ('next_action' in outcome ? [outcome.next_action!.url] : []))[0]
      if (contract.pay === undefined) await open.twin.phone(NUMBER).approve()
      else await contract.pay(open.twin, url!)
      assert.equal((await open.connector.read(keeping(order, taken))).kind, 'settled', operator)
    }
  })

  test(`${type}: a check accepts right settings, and names the fault of wrong ones in a sentence`, async () => {
    await using open = await openContract(contract)
    assert.equal((await open.connector.check!()).kind, 'works')
    for (const [settings, says] of contract.wrong_settings) {
      const checked = await open.withSettings(settings).check!()
      assert.ok(checked.kind === 'fails', String(says))
      assert.match(englishOf(checked.problem), says)
    }
  })

  test(`${type}: the balance moves with the money`, async (t) => {
    await using open = await openContract(contract)
    if (open.connector.balance === undefined) return t.skip('the operator does not tell')
    const [operator] = contract.operators.payout
    const before = await open.connector.balance()
    const order = await open.order('payout', operator!)
    open.twin.script({ outcome: 'succeed', reference: heldAs(contract, order) })
    await carryThrough(open, order)
    assert.deepEqual(await open.connector.balance(), { amount: before.amount - order.amount, currency: 'XOF' })
  })
}
