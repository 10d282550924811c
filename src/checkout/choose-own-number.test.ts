import assert from 'node:assert/strict'
import { test } from 'node:test'
import { actor } from '../../tests/harness/actor.ts'
import { rowsOf } from '../../tests/harness/effects.ts'
import { chooseOwnNumber, whyNotProven } from './choose-own-number.ts'

const now = new Date('2026-11-30T10:00:00.000Z')
const hoursAgo = (hours: number) => new Date(now.getTime() - hours * 3_600_000)
const number = '+2250708635140'
const operator = 'orange_ci'
const paid = { status: 'succeeded', msisdn: number, operator, from_number: true, succeeded_at: hoursAgo(1) } as const

test('a payment proves a number while it is paid from it, not refunded and not a day old', () => {
  const proof = { msisdn: number, operator }
  assert.equal(whyNotProven(proof, paid, now), null)
  assert.equal(whyNotProven(proof, null, now), 'not_paid')
  assert.equal(whyNotProven(proof, { ...paid, status: 'pending', succeeded_at: null }, now), 'not_paid')
  assert.equal(whyNotProven(proof, { ...paid, status: 'partially_refunded' }, now), 'refunded')
  assert.equal(whyNotProven(proof, { ...paid, msisdn: '+2250708635141' }, now), 'other_number')
  assert.equal(whyNotProven(proof, { ...paid, operator: 'mtn_ci' }, now), 'other_number')
  assert.equal(whyNotProven(proof, { ...paid, from_number: false }, now), 'any_wallet')
  assert.equal(whyNotProven(proof, { ...paid, succeeded_at: hoursAgo(24) }, now), null)
  assert.equal(whyNotProven(proof, { ...paid, succeeded_at: hoursAgo(25) }, now), 'too_old')
})

const tenant = { merchant_id: 1, livemode: true }
const has = {
  ...{ about: tenant, known: null, designated: null, payment: paid, owners: ['aya@example.ci', 'out@example.ci'] },
  proof: {
    ...tenant,
    session_id: 'cs_1',
    person: 'aya@example.ci',
    msisdn: number,
    operator: 'orange_ci',
    holder: 'Aya',
  },
  entry: { id: '7f0c4a52-4a57-4c1b-8f0e-6f2a54f5a001', msisdn: number, iban: null, operator: 'orange_ci' },
  first: { deciders: new Map([['aya@example.ci', { owner: true }]]), is_first: true, waits: false },
}
const choose = (by: string, more: object = {}) => {
  const call = { by: actor(by), id: 'cs_1', within: tenant, values: {} }
  return chooseOwnNumber.decide(call as never, { ...has, ...more } as never, now)
}

test('an owner who is alone chooses, and every owner is told, the one who chose too', () => {
  const chosen = choose('aya@example.ci')
  assert.ok(chosen.kind === 'accepted')
  const [told] = rowsOf<{ name: string; to: string[]; except?: string[] }>(chosen.effects, 'job')
  assert.deepEqual([told!.name, told!.to, told!.except], ['destination_chosen', has.owners, undefined])
})

test('another person, a second person of the merchant, a former destination and one that waits refuse it', () => {
  const refused = (by: string, more: object = {}) => {
    const decision = choose(by, more)
    return decision.kind === 'refused' && decision.code
  }
  const first = (changes: object) => ({ first: { ...has.first, ...changes } })
  assert.equal(refused('awa@example.ci'), 'other_person')
  const two = new Map([...has.first.deciders, ['fatou@example.ci', { owner: false }]])
  assert.equal(refused('aya@example.ci', first({ deciders: two })), 'two_people')
  assert.equal(refused('aya@example.ci', first({ deciders: new Map() })), 'not_owner')
  assert.equal(refused('aya@example.ci', first({ is_first: false })), 'not_first')
  assert.equal(refused('aya@example.ci', first({ waits: true })), 'another_waits')
  assert.equal(refused('aya@example.ci', { payment: null }), 'not_paid')
  const known = { id: has.entry.id, operator, name: 'Aya' }
  assert.equal(refused('aya@example.ci', { known }), false)
  assert.equal(refused('aya@example.ci', { known: { ...known, operator: 'mtn_ci' } }), 'other_operator')
})
