import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { createKey } from '../../src/api-keys/create-key.ts'
import { openAccounts } from '../../src/ledger/open-accounts.ts'
import { createMerchant } from '../../src/merchants/create-merchant.ts'
import { setFees } from '../../src/merchants/set-fees.ts'
import type { InstructionState } from '../../src/operators/instruction.ts'
import { scenarioOf } from '../../src/operators/simulator/scenarios.ts'
import { createClock } from '../../src/platform/clock.ts'
import type { Sql } from '../../src/platform/postgres/database.ts'
import { createRefund } from '../../src/refunds/create-refund.ts'
import type { RefundStatus } from '../../src/refunds/refund.ts'
import { ask } from '../contract/ask.ts'
import { waitFor } from '../harness/wait-for.ts'
import { readUnknown } from './books.ts'
import { checkBooks, readWhole } from './payout-books.ts'

/** A merchant in test mode that collects with a commission of 1 %, and its key. */
export type Collecting = { merchant_id: number; livemode: false; key_id: string; key: string }

export async function newCollecting(sql: Sql): Promise<Collecting> {
  const merchant_id = await createMerchant(sql, { name: 'Boutique', openAccounts })
  const tenant = { merchant_id, livemode: false as const }
  const fee = { basis_points: 100, fixed: 0, minimum: 0, maximum: null, bearer: 'merchant' as const }
  await setFees(sql, { merchant_id, service: 'collection', ...fee, effective_from: null })
  const { key, key_id } = await createKey(sql, tenant, { key_prefix: 'bdm', scope: 'collect' })
  return { ...tenant, key_id, key: key.reveal() }
}

/** The ends of numbers that meet every end of a refund but the silent one, whose hour would have to be waited for. */
const ENDS = ['0000', '0001', '0004', '0005', '0006', '0000']

/**
 * Payments of 1 000 francs that are paid at once, from numbers whose ends say how their refunds go. Returns their ids when
 * all have succeeded.
 */
export async function collectMany(address: string, { key }: Collecting, sql: Sql, count: number): Promise<string[]> {
  const ids = await Promise.all(
    Array.from({ length: count }, async (_, at) => {
      const msisdn = `07${String(at).padStart(4, '0')}${ENDS[at % ENDS.length]}`
      const body = { amount: 1_000, counterparty: { msisdn }, simulate: 'succeed' }
      const path = '/v1-payments'
      const answer = await ask(address, { method: 'POST', path, key, idempotency_key: randomUUID(), body })
      assert.equal(answer.status, 201, answer.text)
      return (answer.json() as { id: string }).id
    }),
  )
  await waitFor(
    async () =>
      (await sql`select from payments where status in ('created', 'pending') limit 1`).length === 0 && ids.length > 0,
    { deadline_ms: 20_000, what: 'every payment to succeed' },
  )
  return ids
}

/** Asks for a refund of so many francs of a payment, as the team does. */
export async function askRefund(sql: Sql, payment_id: string, amount: number): Promise<string> {
  const result = await createRefund(
    { sql, clock: createClock(), canRefund: () => true },
    { payment_id, livemode: null, amount, key: null, requested_by: 'ama@example.com', reason: null, by_hand: false },
  )
  assert.ok(result.kind !== 'refused', JSON.stringify(result))
  return result.refund.id
}

type Fact = {
  id: string
  status: RefundStatus
  msisdn_end: string
  state: InstructionState
  orders: number
  sends: number
  sent_again: number
}

/** Waits until every refund has ended by itself. */
export async function waitForRefunds(sql: Sql, deadline_ms: number): Promise<void> {
  const open = async () =>
    (await readFacts(sql)).filter(({ status }) => status === 'requested' || status === 'processing')
  await waitFor(async () => (await open()).length === 0, { deadline_ms, what: 'every refund to end' }).catch(
    async (error) => assert.fail(`${error.message} Left: ${JSON.stringify((await open()).slice(0, 10))}`),
  )
}

/**
 * Nothing went back twice, by the operator's own journal; a refund says succeeded when the operator gave it back and failed
 * when it refused; the books balance. To be called when nothing moves any more.
 * @returns how many refunds stand in each state
 */
export async function checkRefunds(sql: Sql): Promise<Record<string, number>> {
  const facts = await readFacts(sql)
  assert.deepEqual(
    await readWhole(sql, readUnknown),
    [],
    'the operator was given nothing that we did not write down before',
  )
  assert.deepEqual(
    facts.filter((fact) => !isTrue(fact)),
    [],
    'every refund says what the operator did',
  )
  await checkBooks(sql)
  const counts: Record<string, number> = {}
  for (const { status } of facts) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

/** What a refund may say, given what the operator did. It was sent once, and again only if the first send never came to it. */
function isTrue({ status, msisdn_end, orders, sends, sent_again }: Fact): boolean {
  if (orders !== 1 || sends !== 1 + sent_again) return false
  return status === (scenarioOf('refund', msisdn_end).end.kind === 'settled' ? 'succeeded' : 'failed')
}

function readFacts(sql: Sql): Promise<Fact[]> {
  return readWhole(
    sql,
    (tx) => tx<Fact[]>`
      select r.id, r.status, right(i.msisdn, 4) as msisdn_end, i.state, i.sent_again,
             (select count(*)
                from simulator_orders o
               where (o.merchant_id, o.livemode, o.reference) = (i.merchant_id, i.livemode, i.reference)) as orders,
             (select count(*)
                from sends s
               where (s.merchant_id, s.livemode, s.subject_id) = (r.merchant_id, r.livemode, r.id)) as sends
        from refunds r
        join instructions i on (i.merchant_id, i.livemode, i.subject_id) = (r.merchant_id, r.livemode, r.id)`,
  )
}

/** One event of its payment for each refund that succeeded, and none for the others. */
export async function checkRefundEvents(sql: Sql): Promise<void> {
  const uneven = await readWhole(
    sql,
    (tx) => tx`
      select payment_id, e.events, r.refunds
        from (select payment_id, count(*) as refunds from refunds where status = 'succeeded' group by 1) r
        full join (select subject_id as payment_id, count(*) as events
                     from events where type in ('payment.refunded', 'payment.partially_refunded') group by 1) e
          using (payment_id)
       where e.events is distinct from r.refunds`,
  )
  assert.deepEqual([...uneven], [], 'one event for each refund')
}
