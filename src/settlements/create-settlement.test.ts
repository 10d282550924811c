import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SettlementCandidate } from '../beneficiaries/find-destinations.ts'
import type { LedgerTransaction } from '../ledger/book.ts'
import type { Actor } from '../values/actor.ts'
import type { Asker, Caller } from '../values/caller.ts'
import { createSettlementCommand } from './create-settlement.ts'
import type { NewSettlement } from './store.ts'

const now = new Date('2026-11-24T10:00:00.000Z')
const caller: Caller = { merchant_id: 1, livemode: false, key_id: 'key_1', scope: 'payout', merchant_active: true }
const candidate: SettlementCandidate = {
  merchant_id: 1,
  livemode: false,
  id: '7f0c4a52-4a57-4c1b-8f0e-6f2a54f5a001',
  kind: 'settlement',
  label: null,
  name: 'Boutique',
  operator: null,
  last4: '0589',
  active: true,
  created_at: now,
  archived_at: null,
  is_bank_account: true,
  is_allowed: true,
  designated_at: new Date('2026-11-20T10:00:00.000Z'),
  serves_from: new Date('2026-11-23T10:00:00.001Z'),
  has_cooled: true,
}
const command = createSettlementCommand({ settlement_min: 5_000, destination_cooling_hours: 72 })

/** Decides requests of one merchant one after the other. */
function open(changes: Partial<SettlementCandidate> = {}, { available = 10_000, floor = null as number | null } = {}) {
  const loaded = {
    funds: new Map([['1/false', { available }]]),
    floors: new Map(floor === null ? [] : [['1/false', floor]]),
    candidates: new Map([[`1/false/${candidate.id}`, { ...candidate, ...changes } as SettlementCandidate]]),
  }
  const idempotency = { key: 'key-of-a-test', fingerprint: Buffer.alloc(32) }
  return (amount: number, of: Partial<Caller> | Asker = {}, beneficiary_id = candidate.id) =>
    command.decide(
      { caller: 'actor' in of ? of : { ...caller, ...of }, idempotency, order: { amount, beneficiary_id } },
      loaded,
      now,
    )
}

const refusal = (code: string, message?: string) => ({ kind: 'refused', code, ...(message && { message }) })

test('each refusal has its code, and the facts that the caller needs', () => {
  const floor = refusal('sous_le_plancher', 'The smallest settlement is 5000 francs.')
  assert.deepEqual(open()(6_000, {}, 'unknown'), refusal('destination_introuvable'))
  assert.deepEqual(open()(6_000, { merchant_active: false }), refusal('merchant_inactive'))
  const never = { designated_at: null, serves_from: null, has_cooled: null }
  assert.deepEqual(open(never)(6_000), refusal('destination_non_designee'))
  assert.deepEqual(
    open({ has_cooled: false })(6_000),
    refusal(
      'destination_trop_recente',
      'This destination was designated too recently: it serves from 2026-11-23 10:00:01 UTC on.',
    ),
  )
  assert.deepEqual(open()(4_999), floor)
  assert.deepEqual(open()(10_001), refusal('montant_non_eligible'))
})

test("a merchant's own floor replaces the service's", () => {
  assert.equal(open({}, { floor: 100 })(100).kind, 'accepted')
  assert.deepEqual(open({}, { floor: 100 })(99), refusal('sous_le_plancher', 'The smallest settlement is 100 francs.'))
})

test('each settlement is decided on the balance that the previous one left', () => {
  const decide = open()
  assert.deepEqual(
    [5_000, 5_001, 5_000, 5_000].map((amount) => decide(amount).kind),
    ['accepted', 'refused', 'accepted', 'refused'],
  )
})

test('an accepted settlement keeps a copy of its destination, and its money leaves the available balance', () => {
  const decision = open()(6_000, {}, candidate.id.toUpperCase())
  assert.ok(decision.kind === 'accepted')
  assert.equal(decision.reply.status, 202)
  const [row, booked] = decision.effects.map((effect) => effect.row) as [NewSettlement, LedgerTransaction]
  assert.match(row.id, /^stl_/)
  assert.deepEqual(
    [row.amount, row.beneficiary_id, row.account_type, row.last4, row.made_by, row.created_at],
    [6_000, candidate.id, 'bank_account', '0589', 'key:key_1', now],
  )
  assert.deepEqual([booked.subject_id, booked.operation], [row.id, 'settlement_requested'])
  assert.equal(booked.legs.find(({ account }) => account === 'available')!.amount, -6_000)
})

test('a person who requests a settlement is its maker', () => {
  const actor: Actor = { person: 'aya@example.ci', door: 'console', from: '192.0.2.1', step_up_id: 'sup_1' }
  const decision = open()(6_000, { merchant_id: 1, livemode: false, merchant_active: true, actor })
  assert.ok(decision.kind === 'accepted')
  const [row] = decision.effects.map((effect) => effect.row) as [NewSettlement]
  assert.equal(row.made_by, 'aya@example.ci')
})
