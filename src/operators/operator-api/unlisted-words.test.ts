import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Instruction } from '../instruction.ts'
import type { InstructionState } from '../instruction-states.ts'
import { liveInquiryPlan, promisesNothing, usualSilence } from '../port.ts'
import { type Answer, factOf } from '../sending/answer.ts'
import { decide } from '../sending/decide.ts'
import { unlisted } from './answer-words.ts'

const promises = { collect: promisesNothing, payout: promisesNothing, refund: promisesNothing }
const connector = { inquiryPlan: liveInquiryPlan, silenceAfter: usualSilence(), promises }

const decided = (state: InstructionState, answer: Answer) =>
  decide({ state, direction: 'collect', asked: 0, attempts: 1, sent_again: 0 } as Instruction, answer, connector)

const evidence = {}
const unknown: Answer = { kind: 'unknown', unlisted: 'PAUSED', evidence }
const refused: Answer = { kind: 'refused', failure_code: 'invalid_number', unlisted: 'NEW_REASON', evidence }

test('an unknown status decides nothing, and people are alerted to the word', () => {
  const { state, anomaly, conclusion, check_in } = decided('sent', unknown)
  assert.deepEqual([state, anomaly, conclusion, check_in], ['sent', 'unknown_status', null, 2_000])
  assert.equal(factOf(unknown), 'PAUSED')
})

test('a refusal for an unknown reason fails the order, and people are alerted to the word', () => {
  const { state, anomaly, conclusion } = decided('sent', refused)
  assert.deepEqual([state, anomaly], ['refused', 'unknown_status'])
  assert.deepEqual(conclusion, { kind: 'failed', failure_code: 'invalid_number' })
  assert.equal(factOf(refused), 'NEW_REASON')
})

test('the word that people are alerted to holds no telephone number', () => {
  assert.deepEqual(unlisted('REFUSED_BY 2250700000012'), { unlisted: 'REFUSED_BY ******0012' })
  assert.deepEqual(unlisted('07 00 00 00 12'), { unlisted: '******0012' })
  assert.deepEqual(unlisted('PAYER_LIMIT-2'), { unlisted: 'PAYER_LIMIT-2' })
})

test('a contradiction takes precedence over an unknown word', () => {
  assert.equal(decided('confirmed', refused).anomaly, 'refusal_after_proof')
})
