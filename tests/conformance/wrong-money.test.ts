import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Instruction } from '../../src/operators/instruction.ts'
import type { Order, ReadOutcome } from '../../src/operators/port.ts'
import { type AnomalyKind, type Decision, decide } from '../../src/operators/sending/decide.ts'
import { type ContractUnderTest, type Direction, heldAs, keeping, type OpenContract, openContract } from './contract.ts'
import { contracts } from './contracts.ts'

// Money counts only with the amount, the currency and the environment of its order. Every connector passes the same cases.

/** The false statements about money, each with the anomaly that people see if the answer is readable. */
const cases: readonly (readonly [fault: string, more: { claimed_amount?: number }, anomaly: AnomalyKind])[] = [
  ['states_amount', { claimed_amount: 1 }, 'amount_differs'],
  ['states_amount', { claimed_amount: 2_499 }, 'amount_differs'],
  ['states_amount', { claimed_amount: 25_000 }, 'amount_differs'],
  ['states_amount', { claimed_amount: 2_500.5 }, 'amount_differs'],
  ['states_currency', {}, 'currency_differs'],
]

const directions: readonly Direction[] = ['collect', 'payout', 'refund']

/** An executed order, and the twin's name for it. */
async function carriedOut(open: OpenContract, contract: ContractUnderTest, direction: Direction): Promise<Order> {
  const order = await open.order(direction, contract.operators[direction][0]!)
  open.twin.script({ outcome: 'succeed', reference: heldAs(contract, order) })
  const current = keeping(order, await open.connector.send(order))
  await open.twin.advance(30)
  return current
}

/** The changes that the service makes after an answer about an order. */
function judged({ connector }: OpenContract, order: Order, outcome: ReadOutcome): Decision {
  const instruction: Instruction = {
    ...order,
    subject_id: 'txn_1',
    connector: connector.name,
    msisdn: null,
    simulate: null,
    state: 'sent',
    next_action: null,
    failure_code: null,
    asked: 1,
    attempts: 1,
    sent_again: 0,
    next_check_at: null,
    created_at: new Date(0),
    sent_at: new Date(0),
    sent_ms_ago: 60_000,
  }
  return decide(instruction, outcome, connector)
}

for (const contract of contracts) {
  const { type } = contract.type
  for (const direction of directions.filter((one) => contract.operators[one].length > 0)) {
    for (const [fault, more, anomaly] of cases) {
      const named = `${fault} ${JSON.stringify(more)}`
      test(`${type}: an answer with "${named}" does not credit a ${direction}, and the true answer does`, async () => {
        await using open = await openContract(contract)
        const order = await carriedOut(open, contract, direction)
        open.twin.fault({ fault, on: 'read', api: contract.api, times: 1, ...more })
        const wrong = await open.connector.read(order)
        assert.ok(wrong.kind === 'settled' || wrong.kind === 'unknown', wrong.kind)
        const decided = judged(open, order, wrong)
        assert.deepEqual([decided.state, decided.conclusion], ['sent', null])
        assert.equal(decided.anomaly, wrong.kind === 'settled' ? anomaly : null)
        const right = judged(open, order, await open.connector.read(order))
        assert.deepEqual([right.state, right.conclusion], ['confirmed', { kind: 'succeeded' }])
      })
    }

    test(`${type}: answers of another environment or account do not end a ${direction}`, async () => {
      await using open = await openContract(contract)
      await using elsewhere = await openContract(contract)
      const order = await carriedOut(open, contract, direction)
      elsewhere.twin.change(contract.api, { ...contract.sandbox })
      const answer = await elsewhere.connector.read(order)
      // A refund that has no name is read in a list, from which it may be missing for a while.
      const unnamed = direction === 'refund' && contract.refunds_unnamed === true && answer.kind === 'pending'
      assert.ok(answer.kind === 'not_found' || answer.kind === 'unknown' || unnamed, answer.kind)
      assert.equal(judged(open, order, answer).conclusion, null)
    })
  }

  for (const direction of contract.callingBackAt === null ? [] : (contract.calls_back ?? directions)) {
    if (contract.operators[direction].length === 0) continue
    for (const [fault, more] of cases) {
      test(`${type}: a callback about a ${direction} with "${fault} ${JSON.stringify(more)}" only causes an inquiry`, async () => {
        await using open = await openContract(contract)
        open.twin.fault({ fault, on: 'callback', api: contract.api, times: 1, ...more })
        const order = await carriedOut(open, contract, direction)
        const [reading] = await open.called(1)
        assert.ok(reading?.kind === 'about')
        assert.equal(reading.reference, order.reference)
        assert.equal((await open.connector.read(order)).kind, 'settled')
      })
    }
  }
}
