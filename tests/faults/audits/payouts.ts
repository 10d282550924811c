import assert from 'node:assert/strict'
import { batchChecks } from '../../../src/app/audit/batch-checks.ts'
import { beneficiaryChecks } from '../../../src/app/audit/beneficiary-checks.ts'
import { ledgerChecks } from '../../../src/app/audit/ledger-checks.ts'
import { payoutChecks } from '../../../src/app/audit/payout-checks.ts'
import { windowChecks } from '../../../src/app/audit/window-checks.ts'
import type { Installation } from '../../harness/installation.ts'
import { waitFor } from '../../harness/wait-for.ts'
import { act, batch, FEE, idOf, newPayoutMerchant, payout } from '../payout-merchant.ts'
import type { Harm, Harmed } from './harm.ts'

// Every other test of faults trusts the audit. So these tests break each of its checks about payouts and their books once.

/** Payouts, requests and batches in every state in which they can stay. */
export async function livePayouts({ db, ask, bandama }: Installation): Promise<void> {
  const merchant = await newPayoutMerchant(db.sql, { funds: 20_000, operation: 1_000, day: 100_000 })
  for (const end of ['0000', '0001', '0003', '0004']) {
    assert.equal((await ask(payout(merchant, { amount: 500, msisdn: `070000${end}` }))).status, 201)
  }
  const [approved, rejected, pending] = await Promise.all(
    [1_100, 1_200, 1_300].map(async (amount) => ask(payout(merchant, { amount }))),
  )
  assert.equal(pending!.status, 202)
  await bandama('request', 'approve', '--id', idOf(approved!), '--as', 'chef@example.com')
  await bandama('request', 'reject', '--id', idOf(rejected!), '--as', 'chef@example.com')
  const lines = ['0700000100', '0700000001', '0700000003', '0700000104']
  const made = await Promise.all([1, 2, 3].map(() => ask(batch(merchant, { amount: 600, msisdns: lines }))))
  const [executed, cancelled] = made.map(idOf)
  assert.equal((await ask(act(merchant, executed!, 'execute'))).status, 200)
  assert.equal((await ask(act(merchant, cancelled!, 'cancel'))).status, 200)
  // A batch whose funds cover one of four lines.
  const poor = await newPayoutMerchant(db.sql, { funds: 600 + FEE })
  const short = await ask(batch(poor, { amount: 600, msisdns: lines }))
  assert.equal((await ask(act(poor, idOf(short), 'execute'))).status, 200)
  // Payouts with a silent operator first become indeterminate, and most of them end later.
  await waitFor(
    async () => (await db.sql`select from payouts where status in ('created', 'processing')`).length === 0,
    {
      what: 'every payout to have an outcome',
    },
  )
}

/** The tables whose triggers would refuse these changes. */
const guarded = [
  'ledger_entries',
  'ledger_transactions',
  'accounts',
  'payouts',
  'payout_transitions_log',
  'payout_batches',
]

/** The harm and the check that must find it. Other checks may find it too. */
const harms: [string, Harm][] = [
  [
    'every transaction sums to zero and has all its legs',
    (tx) => tx`update ledger_entries set amount = amount + 1 where operation = 'payout_started' and leg = 2`,
  ],
  [
    'every balance is the sum of its entries',
    (tx) => tx`update accounts set balance = balance + 1 where account = 'transfer'`,
  ],
  [
    'every balance is the sum of its entries',
    (tx) => tx`update accounts set credited = credited + 1 where account = 'transfer'`,
  ],
  [
    'every balance is the sum of its entries',
    (tx) => tx`update accounts set booked_at = clock_now() - interval '1 hour' where sequence > 0`,
  ],
  [
    'every entry continues the previous one',
    (tx) => tx`update ledger_entries set balance_after = balance_after + 1 where leg = 2`,
  ],
  [
    'every entry has the total credits of its account so far, and is not earlier than the previous one',
    (tx) => tx`update ledger_entries set credited_after = credited_after + 1 where sequence = 2`,
  ],
  [
    'every entry has the total credits of its account so far, and is not earlier than the previous one',
    (tx) => tx`update ledger_entries set credited_after = null where sequence = 1`,
  ],
  [
    'every entry has the total credits of its account so far, and is not earlier than the previous one',
    (tx) => tx`update ledger_entries set created_at = clock_now() - interval '1 hour' where sequence = 2`,
  ],
  [
    'no account of a merchant was ever below zero',
    (tx) =>
      tx`update ledger_entries set balance_after = -1 where account = 'transfer' and operation = 'payout_started'`,
  ],
  [
    'every deposit and transfer with a reference is booked with its amount',
    (tx) => tx`
      insert into transfer_fillings (merchant_id, livemode, id, operation, reference, amount)
      select merchant_id, livemode, 'mov_nobody', 'deposit', 'VIR-1', 5 from accounts where account = 'transfer' limit 1`,
  ],
  [
    'every payout debited its total from the transfer balance once, and nothing else did',
    (tx) =>
      tx`update payouts set fee_amount = fee_amount + 1, total_debited = total_debited + 1 where status = 'succeeded'`,
  ],
  [
    'every payout that ended is booked once, according to its status, and no other payout is',
    (tx) => tx`update payouts set status = 'failed' where status = 'succeeded'`,
  ],
  [
    'every payout that ended is booked once, according to its status, and no other payout is',
    (tx) => tx`update payouts set status = 'indeterminate' where status = 'failed'`,
  ],
  [
    'payouts_in_flight is the sum of the payouts that have not ended',
    (tx) => tx`update payouts set status = 'processing' where status = 'failed'`,
  ],
  [
    'every payout has one instruction, with the same outcome',
    (tx) => tx`update instructions set state = 'refused' where direction = 'payout' and state = 'confirmed'`,
  ],
  [
    'every payout has one instruction, with the same outcome',
    (tx) => tx`update instructions set amount = amount + 1 where direction = 'payout'`,
  ],
  [
    'the status of every payout is that of its last transition',
    (tx) => tx`delete from payout_transitions_log where number = 2`,
  ],
  [
    'every approved payout request has one payout of its amount, and no other request has a payout',
    (tx) => tx`update payout_requests set amount = amount + 1 where status = 'approved'`,
  ],
  [
    'the stored sum of the last 24 hours is the sum of its usage',
    (tx) => tx`update payout_cap_totals set used = used + 1`,
  ],
  ['the stored sum of the last 24 hours is the sum of its usage', (tx) => tx`delete from payout_cap_totals`],
  [
    'the usage of the cap of 24 hours is that of sent payouts, waiting requests and open batches',
    (tx) => tx`update payout_cap_usage set amount = amount + 1 where subject_id like 'pob_%'`,
  ],
  [
    'the usage of the cap of 24 hours is that of sent payouts, waiting requests and open batches',
    (tx) => tx`delete from payout_cap_usage where subject_id like 'por_%'`,
  ],
  ['every batch has all its lines, and their total', (tx) => tx`delete from payout_batch_lines where rank = 2`],
  [
    'the counters and the status of every batch agree with its lines',
    (tx) => tx`update payout_batches set bad_lines = bad_lines + 1 where status = 'termine_avec_erreurs'`,
  ],
  [
    'the counters and the status of every batch agree with its lines',
    (tx) => tx`update payout_batches set status = 'en_cours' where status = 'termine_avec_erreurs'`,
  ],
  [
    'the counters and the status of every batch agree with its lines',
    (tx) => tx`update payout_batches set status = 'brouillon' where status = 'annule'`,
  ],
  [
    'every line that was sent has one payout, with the same status',
    (tx) => tx`update payout_batch_lines set status = 'succeeded' where status = 'failed' and payout_id is not null`,
  ],
  [
    'every line that was sent has one payout, with the same status',
    (tx) => tx`update payout_batch_lines set payout_id = null where status = 'succeeded'`,
  ],
  [
    'the size of every book of beneficiaries is the number of its entries',
    (tx) => tx`update book_sizes set active = active - 1, archived = archived + 1`,
  ],
  ['the size of every book of beneficiaries is the number of its entries', (tx) => tx`delete from book_sizes`],
]

export const payouts: Harmed = {
  checks: [...ledgerChecks, ...payoutChecks, ...windowChecks, ...batchChecks, ...beneficiaryChecks],
  guarded,
  harms,
}
