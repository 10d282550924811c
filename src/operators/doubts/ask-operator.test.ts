import assert from 'node:assert/strict'
import { test } from 'node:test'
import { actor } from '../../../tests/harness/actor.ts'
import type { Instruction } from '../instruction.ts'
import { askOperator } from './ask-operator.ts'

// The decision alone, without a database.

const about = { merchant_id: 1, livemode: false }
const call = { by: actor('ama@example.ci'), values: {}, within: {}, id: 'txn_1' }
const decide = (instruction: Partial<Instruction>) =>
  askOperator.decide(
    call,
    { about, instruction: { ...about, subject_id: 'txn_1', asked: 2, ...instruction } as Instruction },
    new Date(0),
  )

test('nobody asks about an order that was not sent, or that has ended', () => {
  assert.deepEqual(decide({ state: 'prepared' }), { kind: 'refused', code: 'not_sent' })
  assert.deepEqual(decide({ state: 'confirmed' }), { kind: 'refused', code: 'ended' })
})

test('a question is one job, and its line says how often the operator had answered', () => {
  const decision = decide({ state: 'sent', operator: 'orange_ci', connector: 'simulator' })
  assert.ok(decision.kind === 'accepted')
  assert.deepEqual(
    [decision.effects.length, decision.subject, decision.after],
    [1, 'txn_1', { state: 'sent', answers: 2 }],
  )
})
