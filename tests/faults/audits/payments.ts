import { paymentChecks } from '../../../src/app/audit/payment-checks.ts'
import { checkPayment } from '../../contract/answers.ts'
import type { Installation } from '../../harness/installation.ts'
import { waitFor } from '../../harness/wait-for.ts'
import type { Harm, Harmed } from './harm.ts'

// Every other test trusts the audit. So these tests break each of its checks about collections once.

/** A payment that is paid, and one that is in doubt. Returns a function that makes one which stays unsent once the worker has stopped. */
export async function livePayments(installation: Installation): Promise<() => Promise<unknown>> {
  const { key } = await installation.newMerchant()
  const pay = async (msisdn: string) =>
    checkPayment(await installation.pay(key, { amount: 1_000, counterparty: { msisdn } }), 201).id
  const [paid, unheard] = [await pay('0700000000'), await pay('0700000004')]
  await waitFor(async () => {
    const rows = await installation.db.sql<{ id: string; status: string; state: string }[]>`
        select p.id, p.status, i.state
          from payments p
          join instructions i on (i.merchant_id, i.subject_id) = (p.merchant_id, p.id)`
    const stands = new Map(rows.map(({ id, status, state }) => [id, `${status} ${state}`]))
    return stands.get(paid) === 'succeeded confirmed' && stands.get(unheard) === 'pending unknown'
  })
  return () => pay('0700000000')
}

/** The tables whose triggers would refuse these changes. */
const guarded = ['ledger_entries', 'ledger_transactions', 'accounts', 'payments', 'sends']

const credited = 'every payment that succeeded is credited once with its net amount, and no other payment is'
const waits = 'every payment that has not ended waits to be sent, or has an instruction with its amount and number'

/** The harm and the check that must find it. Other checks may find it too. */
const harms: [string, Harm][] = [
  [credited, (tx) => tx`update payments set status = 'failed' where status = 'succeeded'`],
  [credited, (tx) => tx`update payments set status = 'succeeded' where status = 'pending'`],
  [credited, (tx) => tx`delete from ledger_entries where operation = 'collection_confirmed'`],
  [
    credited,
    (tx) => tx`
      update payments
         set net_amount = net_amount - 1, amount_collected = amount_collected - 1
       where status = 'succeeded'`,
  ],
  [waits, (tx) => tx`delete from collection_outbox`],
  [
    waits,
    (tx) => tx`
      insert into collection_outbox (id, partition_key, collections)
      select gen_random_uuid(), partition_key, collections from collection_outbox`,
  ],
  [
    waits,
    (tx) => tx`
      insert into collection_outbox (id, partition_key, collections)
      select gen_random_uuid(), 'test/', json_build_array(json_build_object(
               'merchant_id', merchant_id, 'livemode', livemode, 'subject_id', id))
        from payments
       where status = 'pending'`,
  ],
  [
    waits,
    async (tx) => {
      await tx`delete from sends`
      await tx`delete from instructions where state = 'unknown'`
    },
  ],
  [waits, (tx) => tx`update payments set status = 'pending' where status = 'created'`],
  [waits, (tx) => tx`update instructions set amount = amount + 1 where state = 'unknown'`],
  [waits, (tx) => tx`update instructions set msisdn = '+2250700000099' where state = 'unknown'`],
]

export const payments: Harmed = { checks: paymentChecks, guarded, harms }
