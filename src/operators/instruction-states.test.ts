import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Instruction } from './instruction.ts'
import { type InstructionState, instructionTransitions } from './instruction-states.ts'
import { promisesNothing } from './port.ts'
import type { Answer } from './sending/answer.ts'
import { decide, SENDS_MAX } from './sending/decide.ts'

const plan = {
  inquiryPlan: [30, 60, 120],
  silenceAfter: 1_000,
  promises: { collect: promisesNothing, payout: promisesNothing, refund: promisesNothing },
}
const evidence = {}

const answers: Answer[] = [
  ...(['accepted', 'duplicate', 'pending', 'not_found', 'unknown', 'not_sent', 'expired_unsent'] as const).map(
    (kind) => ({ kind, evidence }),
  ),
  { kind: 'settled', amount: 10_000, currency: 'XOF', evidence },
  { kind: 'settled', amount: 9_999, currency: 'XOF', evidence },
  ...(['payer_declined', 'payer_timeout', 'operator_refused'] as const).map(
    (failure_code): Answer => ({ kind: 'refused', failure_code, evidence }),
  ),
]

/** Instructions in one state: of each direction, after one send and after many, some of which may have left. */
function* instructionsIn(state: InstructionState): Generator<Instruction> {
  const usual = { state, amount: 10_000, currency: 'XOF', operator_reference: null, operator_state: null }
  for (const direction of ['collect', 'payout', 'refund']) {
    for (const [attempts, sent_again] of [[1, 0] as const, [2, 1] as const, [SENDS_MAX, 0] as const]) {
      for (const failure_code of state === 'refused' ? ['payer_timeout', 'operator_refused'] : [null]) {
        const counts = { asked: 0, attempts, sent_again, sent_ms_ago: 0, vague_ms_ago: null, ended_ms_ago: null }
        yield { ...usual, ...counts, direction, failure_code, next_action: null } as Instruction
      }
    }
  }
}

test('in every state each answer moves an instruction as the table of transitions says, or changes nothing', () => {
  const pairs = new Set(instructionTransitions.map(({ from, to }) => `${from} -> ${to}`))
  for (const state of ['prepared', 'sending', 'sent', 'unknown', 'confirmed', 'refused'] as const) {
    for (const known of instructionsIn(state)) {
      for (const answer of answers) {
        for (const [attempt, isSilent] of [
          [null, false] as const,
          [1, false] as const,
          [known.attempts, true] as const,
        ]) {
          const { state: to } = decide(known, answer, plan, attempt, isSilent)
          assert.ok(to === state || pairs.has(`${state} -> ${to}`), `${state} -> ${to}, ${answer.kind}`)
        }
      }
    }
  }
})
