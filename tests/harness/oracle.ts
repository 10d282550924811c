import assert from 'node:assert/strict'
import { audit } from '../../src/app/audit.ts'
import { scenarioOf } from '../../src/operators/simulator/scenarios.ts'
import type { Sql, Tx } from '../../src/platform/postgres/database.ts'
import type { Receiver } from './receiver.ts'
import { readOperatorOrders } from './twin-as-operator.ts'
import { waitFor } from './wait-for.ts'

// Money must be right in the end, whichever process died on the way. The oracle compares our facts with the operator's own journal, with the
// ledger and with the merchants' events.

/** The statuses of operations that have not ended. */
const open = {
  payments: ['created', 'pending'],
  payouts: ['created', 'processing', 'indeterminate'],
  refunds: ['requested', 'processing'],
} as const
type Kind = keyof typeof open

/** An operation with its facts in the operator's journal and in ours. */
type Fact = {
  id: string
  status: string
  msisdn_end: string
  orders: number
  sends: number
  sent_again: number
}

/** Waits until every payment has ended by itself. Returns the number that was sent again because a process died before it sent them. */
export async function waitForEnds(sql: Sql, deadline_ms?: number): Promise<number> {
  await waitUntilOver(sql, 'payments', deadline_ms)
  const [again] = await sql<{ count: number }[]>`
    select count(*) from instructions where direction = 'collect' and sent_again > 0`
  return again!.count
}

/** Waits until every payout and every executed batch has ended by itself. */
export const waitForPayouts = (sql: Sql, deadline_ms?: number) => waitUntilOver(sql, 'payouts', deadline_ms)

/** Waits until every refund has ended by itself. */
export const waitForRefunds = (sql: Sql, deadline_ms?: number) => waitUntilOver(sql, 'refunds', deadline_ms)

async function waitUntilOver(sql: Sql, kind: Kind, deadline_ms?: number): Promise<void> {
  const what = `all ${kind} to end`
  await waitFor(async () => (await readOpen(sql, kind)).length === 0, { deadline_ms, what }).catch(async (error) =>
    assert.fail(`${error.message} Left: ${JSON.stringify((await readOpen(sql, kind)).slice(0, 10))}`),
  )
}

function readOpen(sql: Sql, kind: Kind) {
  return readWhole(
    sql,
    (tx) => tx`
      select p.id, p.status, i.state, i.simulate, i.asked, i.attempts, i.next_check_at, i.sent_at, right(i.msisdn, 4) as msisdn_end
        from ${tx(kind)} p
        left join instructions i on (i.merchant_id, i.livemode, i.subject_id) = (p.merchant_id, p.livemode, p.id)
       where p.status = any(${open[kind]}::text[])
       union all
      select id, status, null, null, null, null, null, executed_at, null
        from payout_batches
       where status = 'en_cours' and ${kind}::text = 'payouts'`,
  )
}

/** A requested payment, with the body of its answer 201. */
type Wanted = { merchant_reference: string; idempotency_key: string; acknowledged: string | null }

/** Checks that every acknowledged payment exists once, as acknowledged, and that no other exists. */
export async function checkAcknowledged(
  sql: Sql,
  load: { wanted: readonly Wanted[]; wrong: readonly string[] },
): Promise<void> {
  assert.deepEqual(load.wrong, [])
  const payments = await sql<{ id: string; merchant_reference: string }[]>`
    select id, merchant_reference from payments`
  const kept = await sql<{ key: string; body: string }[]>`select key, body from idempotency_keys`
  assert.deepEqual([payments.length, kept.length], [load.wanted.length, load.wanted.length], 'one payment for one key')
  const idOf = new Map(payments.map(({ id, merchant_reference }) => [merchant_reference, id]))
  const bodyOf = new Map(kept.map(({ key, body }) => [key, body]))
  for (const { merchant_reference, idempotency_key, acknowledged } of load.wanted) {
    assert.equal(bodyOf.get(idempotency_key), acknowledged, merchant_reference)
    assert.equal(JSON.parse(acknowledged!).id, idOf.get(merchant_reference))
  }
}

/**
 * Checks payments: none was executed twice by the operator's journal, or credited twice by the ledger; none reached the operator without a
 * row in our journal; and the books balance.
 */
export async function checkMoney(
  sql: Sql,
  installation: { bandama(...words: string[]): Promise<Record<string, unknown>> },
): Promise<void> {
  await checkJournal(sql)
  const { unlike, sums } = await readWhole(sql, async (tx) => ({
    unlike: await tx`
      with operator_orders as (select reference from json_to_recordset(${await ordersOf(tx)}) as o (reference uuid))
      select p.id, p.status, i.state, t.credits, o.orders
        from payments p
        left join instructions i on (i.merchant_id, i.livemode, i.subject_id) = (p.merchant_id, p.livemode, p.id)
        left join (select subject_id, count(*) as credits from ledger_transactions group by 1) t on t.subject_id = p.id
        left join (select reference, count(*) as orders from operator_orders group by 1) o on o.reference = i.reference
       where coalesce(t.credits, 0) <> (p.status = 'succeeded')::int
          or coalesce(o.orders, 0) <> (p.status = 'succeeded' and i.simulate is null)::int`,
    sums: await tx<{ owed: number; credited: number }[]>`
      select coalesce((select sum(net_amount) from payments where status = 'succeeded'), 0)::bigint as owed,
             (select sum(balance) from accounts where account = 'available')::bigint as credited`,
  }))
  assert.deepEqual([...unlike], [], 'what the operator collected is credited once, and nothing else is')
  assert.equal(sums[0]!.credited, sums[0]!.owed)
  const audit = await installation.bandama('audit')
  assert.equal(audit.ok, true, JSON.stringify(audit))
}

/** Checks that no reference reached the operator more often than our journal allows, or as another order. */
async function checkJournal(sql: Sql): Promise<void> {
  const unknown = await readWhole(
    sql,
    async (tx) => tx`
      select o.reference, o.times_received, s.sends
        from json_to_recordset(${await ordersOf(tx)})
             as o (merchant_id bigint, reference uuid, direction text, amount bigint, msisdn_end text, times_received int)
        left join instructions i using (reference)
        left join (select merchant_id, livemode, reference, count(*) filter (where not_sent_at is null) as sends
                     from sends
                    group by 1, 2, 3) s
          on (s.merchant_id, s.livemode, s.reference) = (i.merchant_id, i.livemode, i.reference)
       where o.times_received > coalesce(s.sends, 0)
          or o.merchant_id <> i.merchant_id
          or (o.direction, o.amount, o.msisdn_end)
             is distinct from (i.direction, i.amount, coalesce(right(i.msisdn, 4), ''))`,
  )
  assert.deepEqual([...unknown], [], 'the operator was given nothing that we did not write down before')
}

/** Checks that the audit finds nothing, and that the database had no deadlock. */
export async function checkBooks(sql: Sql): Promise<void> {
  const { ok, checks } = await audit(sql)
  assert.ok(ok, JSON.stringify(checks.filter(({ wrong }) => wrong > 0)))
  const [row] = await sql<{ deadlocks: number }[]>`
    select deadlocks from pg_stat_database where datname = current_database()`
  assert.equal(row!.deadlocks, 0, 'deadlocks')
}

/**
 * Checks payouts: none was executed twice by the operator's journal; none reached it without a row in our journal; a payout is `succeeded`
 * if the operator paid and `failed` if it refused; the books balance; there was no deadlock. Call it when no work is under way.
 * @returns the number of payouts in each state
 */
export const checkPayouts = (sql: Sql) =>
  checkOutcomes(sql, 'payouts', ({ status, msisdn_end, orders }) => {
    if (orders > 1) return false
    if (orders === 0) return status === 'created'
    return status === 'indeterminate' || status === endOf('payout', msisdn_end)
  })

/** Checks the same for refunds. Each was sent once, and again only if the first send never reached the operator. */
export const checkRefunds = (sql: Sql) =>
  checkOutcomes(sql, 'refunds', ({ status, msisdn_end, orders, sends, sent_again }) => {
    return orders === 1 && sends === 1 + sent_again && status === endOf('refund', msisdn_end)
  })

/** Returns the end that the simulator gives an order. */
function endOf(direction: 'payout' | 'refund', msisdn_end: string): 'succeeded' | 'failed' {
  return scenarioOf(direction, msisdn_end).end.kind === 'settled' ? 'succeeded' : 'failed'
}

async function checkOutcomes(
  sql: Sql,
  kind: 'payouts' | 'refunds',
  isTrue: (fact: Fact) => boolean,
): Promise<Record<string, number>> {
  const facts = await readWhole(
    sql,
    async (tx) => tx<Fact[]>`
      with operator_orders as (select reference from json_to_recordset(${await ordersOf(tx)}) as o (reference uuid))
      select p.id, p.status, right(i.msisdn, 4) as msisdn_end, i.sent_again,
             (select count(*)
                from operator_orders o
               where o.reference = i.reference) as orders,
             (select count(*)
                from sends s
               where (s.merchant_id, s.livemode, s.subject_id) = (p.merchant_id, p.livemode, p.id)) as sends
        from ${tx(kind)} p
        join instructions i on (i.merchant_id, i.livemode, i.subject_id) = (p.merchant_id, p.livemode, p.id)`,
  )
  const wrong = facts.filter((fact) => !isTrue(fact))
  assert.deepEqual(wrong, [], `all ${kind} say what the operator did`)
  await checkJournal(sql)
  await checkBooks(sql)
  const counts: Record<string, number> = {}
  for (const { status } of facts) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

/** Checks that each move has one event, and that each event reached the merchant at least once, always with the same bytes. */
export async function checkEvents(
  sql: Sql,
  receiver: Receiver,
  { merchant_id }: { merchant_id: number },
  deadline_ms?: number,
) {
  const uneven = await readWhole(
    sql,
    (tx) => tx`
      select subject_id, type, m.moves, e.events
        from (select payment_id as subject_id, 'payment.' || to_status as type, count(*) as moves
                from payment_transitions_log group by 1, 2) m
        full join (select subject_id, type, count(*) as events from events group by 1, 2) e using (subject_id, type)
       where m.moves is distinct from e.events`,
  )
  assert.deepEqual([...uneven], [], 'one event for each move')
  await waitFor(async () => (await sql`select from deliveries where status <> 'delivered' limit 1`).length === 0, {
    deadline_ms,
    what: 'every event to be delivered',
  })
  const events = await sql<{ id: string; body: string }[]>`
    select id, body from events where merchant_id = ${merchant_id}`
  const bodies = new Map(events.map(({ id, body }) => [id, body]))
  const received = new Set<string>()
  for (const { headers, body } of receiver.requests) {
    const id = String(headers['service-event-id'])
    assert.equal(body.toString('utf8'), bodies.get(id), 'every copy of an event is the event')
    received.add(id)
  }
  assert.equal(received.size, events.length, 'every event arrived')
  return { events: events.length, copies: receiver.requests.length }
}

/** Checks that each successful refund has one event of its payment, and the others none. */
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

const ordersOf = async (tx: Tx) => tx.json(await readOperatorOrders(tx))

/** Reads whole tables, with plans and a timeout that the service's pools do not allow. */
export function readWhole<Result>(sql: Sql, read: (tx: Tx) => PromiseLike<Result>): Promise<Result> {
  return sql.begin('read only', async (tx) => {
    await tx`select set_config(name, 'on', true)
               from unnest(array['enable_seqscan', 'enable_hashjoin', 'enable_mergejoin']) as name`
    await tx`set local statement_timeout = '60s'`
    return await read(tx)
  }) as Promise<Result>
}
