import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { violatedConstraint } from '../../src/platform/postgres/failures.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { waitForPayouts } from '../harness/oracle.ts'
import { act, batch, idOf, newPayoutMerchant, payout } from './payout-merchant.ts'

// The last guard: changes that the database itself refuses, without our code.

let installation: Installation

before(async () => {
  installation = await openInstallation({ own: 'reads whole tables' })
  const { db, ask } = installation
  const merchant = await newPayoutMerchant(db.sql, { funds: 100_000, operation: 1_000 })
  await Promise.all(['0700000000', '0700000001'].map((msisdn) => ask(payout(merchant, { amount: 500, msisdn }))))
  assert.equal((await ask(payout(merchant, { amount: 1_500 }))).status, 202)
  const made = await ask(batch(merchant, { amount: 500, msisdns: ['0700000200', '0700000300'] }))
  assert.equal((await ask(act(merchant, idOf(made), 'execute'))).status, 200)
  await waitForPayouts(db.sql)
  await installation.services[0]!.stop()
})

after(() => installation[Symbol.asyncDispose]())

const refused: { promise: string; statement: string; by: string | RegExp }[] = [
  {
    promise: 'a second send of what may have left',
    statement: `insert into sends (merchant_id, livemode, subject_id, attempt, connector, reference)
                select merchant_id, livemode, subject_id, attempt + 1, connector, reference from sends limit 1`,
    by: 'sends_once',
  },
  {
    promise: 'a payout that succeeded and then fails',
    statement: `update payouts set status = 'failed' where status = 'succeeded'`,
    by: /does not go from succeeded to failed/,
  },
  {
    promise: 'a payout that failed and then succeeds',
    statement: `update payouts set status = 'succeeded' where status = 'failed'`,
    by: /does not go from failed to succeeded/,
  },
  {
    promise: 'another amount or another destination for a payout',
    statement: `update payouts set msisdn = '+2250700000009'`,
    by: /fixed at creation/,
  },
  {
    promise: 'the end of a payout booked twice',
    statement: `insert into ledger_transactions (merchant_id, livemode, subject_id, operation, legs)
                select merchant_id, livemode, subject_id, operation, legs
                  from ledger_transactions where operation = 'payout_succeeded' limit 1`,
    by: 'ledger_transactions_pkey',
  },
  {
    promise: 'a balance moved without an entry',
    statement: `update accounts set balance = balance + 1 where account = 'transfer'`,
    by: /may only follow its entries/,
  },
  {
    promise: 'an entry changed',
    statement: `update ledger_entries set amount = amount + 1`,
    by: /append-only/,
  },
  {
    promise: 'a line of a batch paid twice',
    statement: `insert into payouts (merchant_id, livemode, id, amount, fee_amount, total_debited, currency, beneficiary_id,
                                     is_inline, msisdn, batch_id, rank)
                select merchant_id, livemode, id || 'x', amount, fee_amount, total_debited, currency, beneficiary_id,
                       is_inline, msisdn, batch_id, rank
                  from payouts where batch_id is not null limit 1`,
    by: 'payouts_rank_key',
  },
  {
    promise: 'a batch that ended and is executed again',
    statement: `update payout_batches set status = 'en_cours' where status = 'termine'`,
    by: /does not go from termine to en_cours/,
  },
  {
    promise: 'a request approved by whoever made it',
    statement: `update payout_requests set decided_by = made_by, status = 'rejected', decided_at = now()`,
    by: 'payout_requests_check',
  },
  {
    promise: 'a trace of a move changed',
    statement: `update payout_transitions_log set cause = 'other'`,
    by: /append-only/,
  },
]

for (const { promise, statement, by } of refused) {
  test(`the database refuses ${promise}`, async () => {
    const error = await installation.db.sql.unsafe(statement).then(
      () => assert.fail('it was taken'),
      (thrown: Error) => thrown,
    )
    if (typeof by === 'string') assert.equal(violatedConstraint(error), by)
    else assert.match(error.message, by)
  })
}
