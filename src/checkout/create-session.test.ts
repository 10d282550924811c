import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Caller } from '../values/caller.ts'
import { createSessionCommand, type SessionCall } from './create-session.ts'
import { insertSessionOnce } from './insert-session.ts'
import type { NewSession } from './store.ts'

const now = new Date('2026-11-24T10:00:00.000Z')
const caller: Caller = { merchant_id: 1, livemode: false, key_id: 'key_1', scope: 'collect', merchant_active: true }
const command = createSessionCommand((id) => Buffer.from(`hash of ${id}`), 30)

function callOf(amount: number, of: Partial<Caller> = {}): SessionCall {
  const request = { amount, description: 'Rice', return_url: null }
  return { caller: { ...caller, ...of }, idempotency: null, request, amount_max: 1_000, collectors: 'some' }
}

test('a session is refused for an inactive merchant first, then above the limit, and exactly the limit is accepted', () => {
  const codeOf = (call: SessionCall) => {
    const decision = command.decide(call, null, now)
    assert.equal(command.optimistic!.when(call), decision.kind === 'accepted')
    return decision.kind === 'refused' ? [decision.code, decision.message] : decision.reply.status
  }
  assert.deepEqual(codeOf(callOf(1_001, { merchant_active: false })), ['merchant_inactive', undefined])
  const message = 'amount is above the limit for one payment: at most 1000 francs.'
  assert.deepEqual(codeOf(callOf(1_001)), ['amount_above_limit', message])
  assert.deepEqual(codeOf(callOf(1_000)), 201)
})

test('a session is open for the requested minutes, and its answer contains no token', () => {
  const decision = command.decide(callOf(500), null, now)
  assert.ok(decision.kind === 'accepted')
  const [session] = decision.effects.map(({ row }) => row as NewSession)
  assert.match(session!.id, /^cs_/)
  assert.deepEqual(
    [session!.created_at, session!.expires_at, String(session!.token_hash)],
    [now, new Date('2026-11-24T10:30:00.000Z'), `hash of ${session!.id}`],
  )
  assert.doesNotMatch(JSON.stringify(decision.reply.body), /hash/)
})

test('the same form creates its session once, however often it is sent', () => {
  const session = { id: 'cs_of_a_form', merchant_id: 1, livemode: false } as NewSession
  const effectsOf = (known: Set<string>) =>
    [session, session].map((one) => {
      const decision = insertSessionOnce.decide({ caller, idempotency: null, session: one }, known, now)
      return decision.kind === 'accepted' ? decision.effects.length : assert.fail()
    })
  assert.deepEqual(effectsOf(new Set()), [1, 0])
  assert.deepEqual(effectsOf(new Set([session.id])), [0, 0])
})

test('a session without an operator to pay through is created with a warning', () => {
  for (const [collectors, says] of [
    ['none', /No operator can collect/],
    ['other_amounts', /takes this amount/],
  ] as const) {
    const decision = command.decide({ ...callOf(500), collectors }, null, now)
    assert.ok(decision.kind === 'accepted')
    assert.match((decision.reply.body as { warning: string }).warning, says)
  }
})
