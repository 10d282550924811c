import assert from 'node:assert/strict'
import type { Sql, Tx } from '../../src/platform/postgres/database.ts'
import type { Receiver } from '../harness/receiver.ts'
import { waitFor } from '../harness/wait-for.ts'
import type { Installation, Merchant } from './installation.ts'
import type { Load } from './load.ts'

/** Waits until every payment has ended by itself. Returns how many were sent again, because a process died before it sent them. */
export async function waitForEnds(sql: Sql, deadline_ms: number): Promise<number> {
  await waitFor(async () => (await readOpen(sql)).length === 0, { deadline_ms, what: 'every payment to end' }).catch(
    async (error) => assert.fail(`${error.message} Left: ${JSON.stringify((await readOpen(sql)).slice(0, 10))}`),
  )
  const [again] = await sql<{ count: number }[]>`
    select count(*) from instructions where direction = 'collect' and sent_again > 0`
  return again!.count
}

function readOpen(sql: Sql) {
  return readWhole(
    sql,
    (tx) => tx`
      select p.id, p.status, i.state, i.simulate, i.asked, i.next_check_at
        from payments p
        left join instructions i on (i.merchant_id, i.livemode, i.subject_id) = (p.merchant_id, p.livemode, p.id)
       where p.status in ('created', 'pending')`,
  )
}

/** Every acknowledged payment is there once, as acknowledged; nothing that was not asked for is. */
export async function checkAcknowledged(sql: Sql, load: Pick<Load, 'wanted' | 'wrong'>): Promise<void> {
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
 * Nothing was carried out twice or credited twice, by the operator's own journal and by the ledger; nothing reached the operator that
 * our journal does not know to have left; and the books balance.
 */
export async function checkMoney(sql: Sql, installation: Installation): Promise<void> {
  const { unknown, unlike, sums } = await readWhole(sql, async (tx) => ({
    unknown: await readUnknown(tx),
    unlike: await tx`
      select p.id, p.status, i.state, t.credits, o.orders
        from payments p
        left join instructions i on (i.merchant_id, i.livemode, i.subject_id) = (p.merchant_id, p.livemode, p.id)
        left join (select subject_id, count(*) as credits from ledger_transactions group by 1) t on t.subject_id = p.id
        left join (select reference, count(*) as orders from simulator_orders group by 1) o on o.reference = i.reference
       where coalesce(t.credits, 0) <> (p.status = 'succeeded')::int
          or coalesce(o.orders, 0) <> (p.status = 'succeeded' and i.simulate is null)::int`,
    sums: await tx<{ owed: number; credited: number }[]>`
      select coalesce((select sum(net_amount) from payments where status = 'succeeded'), 0)::bigint as owed,
             (select sum(balance) from accounts where account = 'available')::bigint as credited`,
  }))
  assert.deepEqual(unknown, [], 'the operator was given nothing more often than the journal says')
  assert.deepEqual([...unlike], [], 'what the operator collected is credited once, and nothing else is')
  assert.equal(sums[0]!.credited, sums[0]!.owed)
  const audit = await installation.bandama('audit')
  assert.equal(audit.ok, true, JSON.stringify(audit))
}

/** References that reached the operator more often than our journal says that they may have left, or as another order. */
export async function readUnknown(tx: Tx): Promise<object[]> {
  const rows = await tx<object[]>`
    select o.reference, o.times_received, s.sends
      from simulator_orders o
      left join (select merchant_id, livemode, reference, count(*) filter (where not_sent_at is null) as sends
                   from sends
                  group by 1, 2, 3) s using (merchant_id, livemode, reference)
      left join instructions i using (merchant_id, livemode, reference)
     where o.times_received > coalesce(s.sends, 0)
        or (o.direction, o.amount, o.msisdn_end) is distinct from (i.direction, i.amount, coalesce(right(i.msisdn, 4), ''))`
  return [...rows]
}

/** Each move has one event, and each event reached the merchant at least once, always with the same bytes. */
export async function checkEvents(sql: Sql, receiver: Receiver, merchant: Merchant, deadline_ms: number) {
  const uneven = await readWhole(
    sql,
    (tx) => tx`
      select subject_id, type, m.moves, e.events
        from (select payment_id as subject_id, 'payment.' || to_status as type, count(*) as moves
                from payment_moves group by 1, 2) m
        full join (select subject_id, type, count(*) as events from events group by 1, 2) e using (subject_id, type)
       where m.moves is distinct from e.events`,
  )
  assert.deepEqual([...uneven], [], 'one event for each move')
  await waitFor(
    async () => {
      const [row] = await sql<{ left: number }[]>`select count(*) as left from deliveries where status <> 'delivered'`
      return row!.left === 0
    },
    { deadline_ms, what: 'every event to be delivered' },
  )
  const events = await sql<{ id: string; body: string }[]>`
    select id, body from events where merchant_id = ${merchant.merchant_id}`
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

/** Reads whole tables, as the service never does: its pools are set against it. */
function readWhole<Result>(sql: Sql, read: (tx: Tx) => PromiseLike<Result>): Promise<Result> {
  return sql.begin('read only', async (tx) => {
    await tx`select set_config(name, 'on', true)
               from unnest(array['enable_seqscan', 'enable_hashjoin', 'enable_mergejoin']) as name`
    await tx`set local statement_timeout = '60s'`
    return await read(tx)
  }) as Promise<Result>
}
