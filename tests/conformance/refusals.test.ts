import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import type { Instruction } from '../../src/operators/instruction.ts'
import type { Order, ReadOutcome, SendOutcome } from '../../src/operators/port.ts'
import { type Decision, decide } from '../../src/operators/sending/decide.ts'
import { createLooksAt } from '../../src/operators/sending/late-looks.ts'
import { type ContractUnderTest, type Direction, heldAs, keeping, type OpenContract, openContract } from './contract.ts'
import { contracts } from './contracts.ts'

// An operator's refusal is of the send, final, or vague. Every word of every connector passes the same cases on the operators' twin.

const directions: readonly Direction[] = ['collect', 'payout', 'refund']
const looksAt = createLooksAt([600, 3_600, 21_600, 86_400])
/** The milliseconds between a vague refusal and the question whether it holds. */
const SECOND = 10_000

/** The changes that the service makes after an answer. @param attempt the send that it answers; null: an inquiry */
function judged(
  { connector }: OpenContract,
  order: Order,
  outcome: SendOutcome | ReadOutcome,
  attempt: number | null,
  more: Partial<Instruction> = {},
): Decision {
  const instruction: Instruction = {
    ...order,
    subject_id: 'txn_1',
    connector: connector.name,
    msisdn: null,
    simulate: null,
    state: attempt === null ? 'sent' : 'sending',
    next_action: null,
    failure_code: null,
    asked: 1,
    attempts: 1,
    sent_again: 0,
    next_check_at: null,
    created_at: new Date(0),
    sent_at: new Date(0),
    sent_ms_ago: 60_000,
    vague_ms_ago: null,
    ended_ms_ago: null,
    ...more,
  }
  const after = looksAt(order.direction, connector)
  return decide(instruction, outcome, connector, attempt, false, { after, isLook: false })
}

/** The first look, in milliseconds after a refusal of an accepted order. Null: none. */
function firstLook({ type }: ContractUnderTest, direction: Direction): number | null {
  if (direction !== 'collect') return 600_000
  return type.type === 'wave' ? null : 3_600_000
}

for (const contract of contracts) {
  const { type } = contract.type
  for (const direction of directions) {
    for (const [word, failure_code] of Object.entries(contract.refusals[direction])) {
      test(`${type}: a ${direction} refused at the send for "${word}" fails at once, and is not looked at again`, async () => {
        await using open = await openContract(contract)
        const order = await open.order(direction, contract.operators[direction][0]!)
        open.twin.script({ outcome: 'refuse', reason: word, reference: heldAs(contract, order) })
        const outcome = await open.connector.send(order)
        assert.equal(outcome.kind, 'refused')
        const { state, conclusion, look_in, ask_in } = judged(open, order, outcome, 1)
        assert.deepEqual([state, conclusion], ['refused', { kind: 'failed', failure_code }])
        assert.deepEqual([look_in, ask_in], [null, null])
      })
    }

    for (const [word, failure_code] of Object.entries(contract.failures[direction])) {
      const isVague = failure_code === 'operator_refused'
      test(`${type}: a ${direction} that fails with the ${isVague ? 'vague' : 'final'} word "${word}" after it was accepted`, async () => {
        await using open = await openContract(contract)
        const order = await open.order(direction, contract.operators[direction][0]!)
        open.twin.script({ outcome: 'fail', reason: word, reference: heldAs(contract, order) })
        const current = keeping(order, await open.connector.send(order))
        await open.twin.advance(direction === 'collect' && type === 'wave' ? 900 : 30)
        const outcome = await open.connector.read(current)
        assert.equal(outcome.kind, 'refused')
        const first = judged(open, current, outcome, null)
        const failed = { kind: 'failed', failure_code }
        if (isVague) {
          assert.deepEqual([first.state, first.conclusion, first.is_vague], ['sent', null, true])
          assert.deepEqual([first.ask_in, first.look_in], [SECOND, null])
          const early = judged(open, current, outcome, null, { vague_ms_ago: 9_000 })
          assert.deepEqual([early.conclusion, early.ask_in], [null, 1_000], 'a second answer that came too early')
        }
        const ended = isVague ? judged(open, current, outcome, null, { vague_ms_ago: SECOND }) : first
        assert.deepEqual([ended.state, ended.conclusion, ended.is_vague], ['refused', failed, false])
        assert.deepEqual([ended.ask_in, ended.look_in], [null, firstLook(contract, direction)])
      })
    }

    for (const word of contract.api === 'orange' ? [] : contract.vague[direction === 'collect' ? 'collect' : 'out']) {
      if (contract.operators[direction].length === 0) continue
      test(`${type}: a ${direction} with the word "${word}" is refused without a reason`, async () => {
        await using open = await openContract(contract)
        const order = await open.order(direction, contract.operators[direction][0]!)
        open.twin.script({ outcome: 'fail', reason: word, reference: heldAs(contract, order) })
        const current = keeping(order, await open.connector.send(order))
        await open.twin.advance(30)
        const { conclusion, is_vague } = judged(open, current, await open.connector.read(current), null)
        assert.deepEqual([conclusion, is_vague], [null, true])
      })
    }

    const vague = Object.entries(contract.failures[direction]).find(([, code]) => code === 'operator_refused')
    if (vague === undefined) continue
    test(`${type}: a ${direction} that moved although its operator first said "${vague[0]}" succeeds`, async () => {
      await using open = await openContract(contract)
      const order = await open.order(direction, contract.operators[direction][0]!)
      open.twin.script({ outcome: 'succeed', reference: heldAs(contract, order), after_seconds: 1 })
      const current = keeping(order, await open.connector.send(order))
      await open.twin.advance(30)
      open.twin.fault({ fault: 'read_opposite', on: 'read', api: contract.api, times: 1, reason: vague[0] })
      const first = judged(open, current, await open.connector.read(current), null)
      assert.deepEqual([first.state, first.conclusion, first.ask_in], ['sent', null, SECOND])
      const second = judged(open, current, await open.connector.read(current), null, { vague_ms_ago: SECOND })
      assert.deepEqual([second.state, second.conclusion], ['confirmed', { kind: 'succeeded' }])
    })
  }
}

const pages: Readonly<Record<string, string>> = {
  pawapay: 'pawapay',
  mtn: 'mtn-momo',
  orange: 'orange',
  moov: 'moov',
  wave: 'wave',
}
for (const { api, vague } of contracts) {
  test(`the page about ${api} lists the words of its vague refusals, and no other`, async () => {
    const page = await readFile(new URL(`../../docs/operators/${pages[api]}.md`, import.meta.url), 'utf8')
    const [, collect = '', out = ''] =
      /^\| of an accepted order, vague: .*? \| (.*?) \| (.*?) \|$/m.exec(page) ?? assert.fail(api)
    const words = (cell: string) =>
      [...cell.matchAll(/`(\w+)`/g)].map(([, word]) => word).filter((word) => word !== '12')
    assert.deepEqual({ collect: words(collect), out: words(out) }, vague)
  })
}

test('a payout that Wave took and failed in one answer counts as accepted', async () => {
  const contract = contracts.find(({ api }) => api === 'wave')!
  await using open = await openContract(contract)
  for (const [reason, isVague] of [
    ['recipient-limit-exceeded', false],
    ['payout-failure', true],
  ] as const) {
    const order = await open.order('payout', 'wave_ci')
    open.twin.script({ outcome: 'fail', reason, reference: order.reference })
    // It ends before its send is answered.
    open.twin.fault({ fault: 'callback_early', reference: order.reference })
    const outcome = await open.connector.send(order)
    assert.equal(outcome.kind, 'refused')
    const { ask_in, look_in } = judged(open, order, outcome, 1)
    assert.deepEqual([ask_in, look_in], isVague ? [SECOND, null] : [null, 600_000], reason)
  }
})
