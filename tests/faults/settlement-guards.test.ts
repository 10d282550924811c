import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createClock } from '../../src/platform/clock.ts'
import { violatedConstraint } from '../../src/platform/postgres/failures.ts'
import { actor } from '../harness/actor.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { paySettlement, rejectSettlement, validateSettlement } from '../harness/settlements.ts'
import { idOf } from './payout-merchant.ts'
import { newSettlementMerchant, settlement } from './settlement-merchant.ts'

// The last guard: changes that the database itself refuses, without our code.

let installation: Installation

before(async () => {
  installation = await openInstallation({ own: 'reads whole tables' })
  const { sql } = installation.db
  const merchant = await newSettlementMerchant(installation, { available: 30_000 })
  const ids: string[] = []
  for (let at = 0; at < 5; at += 1) ids.push(idOf(await installation.ask(settlement(merchant, 5_000))))
  const deps = { sql, clock: createClock() }
  const [first, second, validated, rejected] = ids as [string, string, string, string]
  for (const id of [first, second, validated]) await validateSettlement(deps, id, actor('awa'))
  await paySettlement(deps, first, actor('issa'), 'VIR 1')
  await paySettlement(deps, second, actor('issa'), 'VIR 2')
  await rejectSettlement(deps, rejected, actor('awa'), 'closed')
  await installation.services[0]!.stop()
})

after(() => installation[Symbol.asyncDispose]())

const refused: { promise: string; statement: string; by: string | RegExp }[] = [
  {
    promise: 'a settlement that was paid and then is rejected',
    statement: `update settlements set status = 'rejected' where status = 'paid'`,
    by: /does not go from paid to rejected/,
  },
  {
    promise: 'a settlement that was rejected and then is validated',
    statement: `update settlements set status = 'validated' where status = 'rejected'`,
    by: /does not go from rejected to validated/,
  },
  {
    promise: 'a settlement paid without a validation',
    statement: `update settlements set status = 'paid', paid_by = 'x', paid_at = now(), bank_reference = 'x'
                 where status = 'pending_validation'`,
    by: /does not go from pending_validation to paid/,
  },
  {
    promise: 'a settlement paid by whom validated it',
    statement: `update settlements set status = 'paid', paid_by = 'Awa', paid_at = now(), bank_reference = 'x'
                 where status = 'validated'`,
    by: 'settlements_two_people',
  },
  {
    promise: 'a settlement validated by the key that asked',
    statement: `update settlements set status = 'validated', validated_by = made_by, validated_at = now()
                 where status = 'pending_validation'`,
    by: /settlements_(?:two_people|decided_by_people)/,
  },
  {
    promise: 'a settlement validated by another key',
    statement: `update settlements set status = 'validated', validated_by = 'Key:other', validated_at = now()
                 where status = 'pending_validation'`,
    by: 'settlements_decided_by_people',
  },
  {
    promise: 'a settlement paid without the reference of its transfer',
    statement: `update settlements set status = 'paid', paid_by = 'issa', paid_at = now() where status = 'validated'`,
    by: 'settlements_complete',
  },
  {
    promise: 'a settlement paid by nobody',
    statement: `update settlements set status = 'paid' where status = 'validated'`,
    by: 'settlements_stand',
  },
  {
    promise: 'one transfer for two settlements',
    statement: `update settlements set status = 'paid', paid_by = 'issa', paid_at = now(), bank_reference = ' vir1'
                 where status = 'validated'`,
    by: 'settlements_bank_reference_key',
  },
  {
    promise: 'another amount',
    statement: `update settlements set amount = amount + 1`,
    by: /is fixed/,
  },
  {
    promise: 'another destination',
    statement: `update settlements set last4 = '9999' where status = 'validated'`,
    by: /is fixed/,
  },
  {
    promise: 'another validator after the fact',
    statement: `update settlements set validated_by = 'fatou' where status = 'validated'`,
    by: /is fixed/,
  },
  {
    promise: 'another bank reference after the fact',
    statement: `update settlements set bank_reference = 'VIR 9' where status = 'paid'`,
    by: /is fixed/,
  },
  {
    promise: 'another value date after the fact',
    statement: `update settlements set value_date = '2026-01-01' where status = 'paid'`,
    by: /is fixed/,
  },
  {
    promise: 'the day of a transfer that nobody made',
    statement: `update settlements set booking_date = '2026-01-01' where status = 'validated'`,
    by: 'settlements_complete',
  },
  {
    promise: 'a settlement that begins as validated',
    statement: `insert into settlements (merchant_id, livemode, id, amount, currency, status, beneficiary_id, name,
                  account_type, last4, designated_at, made_by, validated_by, validated_at)
                select merchant_id, livemode, 'stl_x', amount, currency, 'validated', beneficiary_id, name, account_type,
                       last4, designated_at, made_by, 'awa', now()
                  from settlements limit 1`,
    by: /begins by waiting/,
  },
  {
    promise: 'a destination of another mode',
    statement: `insert into settlements (merchant_id, livemode, id, amount, currency, beneficiary_id, name, account_type,
                  last4, designated_at, made_by)
                select merchant_id, true, 'stl_x', amount, currency, beneficiary_id, name, account_type, last4,
                       designated_at, made_by
                  from settlements limit 1`,
    by: 'settlements_merchant_id_livemode_beneficiary_id_fkey',
  },
  { promise: 'a settlement deleted', statement: `delete from settlements`, by: /append-only/ },
  {
    promise: 'a trace of a move changed',
    statement: `update settlement_transitions_log set transitioned_by = 'x'`,
    by: /append-only/,
  },
  { promise: 'a trace of a move deleted', statement: `delete from settlement_transitions_log`, by: /append-only/ },
  {
    promise: 'the end of a settlement booked twice',
    statement: `insert into ledger_transactions (merchant_id, livemode, subject_id, operation, legs)
                select merchant_id, livemode, subject_id, operation, legs
                  from ledger_transactions where operation = 'settlement_paid' limit 1`,
    by: 'ledger_transactions_pkey',
  },
]

for (const { promise, statement, by } of refused) {
  test(`the database refuses ${promise}`, async () => {
    const error = await installation.db.sql.unsafe(statement).then(
      () => assert.fail('it was taken'),
      (thrown: Error) => thrown,
    )
    if (typeof by === 'string') assert.equal(violatedConstraint(error), by)
    else assert.match(`${violatedConstraint(error)} ${error.message}`, by)
  })
}
