import assert from 'node:assert/strict'
import type { Sql } from '../../src/platform/postgres/database.ts'
import { readWhole } from '../harness/oracle.ts'
import type { Receiver } from '../harness/receiver.ts'
import { waitFor } from '../harness/wait-for.ts'
import type { LoadRequest } from './many-machines-load.ts'

/** Checks that every request is in the books once, as acknowledged, and nothing else. */
export async function checkAcknowledged(sql: Sql, requests: readonly LoadRequest[]): Promise<void> {
  const kept = await readWhole(
    sql,
    (tx) => tx<{ key: string; body: string }[]>`
      select key, body from idempotency_keys`,
  )
  const bodies = new Map(kept.map(({ key, body }) => [key, body]))
  assert.equal(kept.length, requests.length, 'one answer is kept for one key')
  for (const { asked, acknowledged } of requests) assert.equal(bodies.get(asked.idempotency_key), acknowledged)
  const made = await readWhole(
    sql,
    (tx) => tx<{ kind: string; reference: string; id: string }[]>`
      select 'payment' as kind, merchant_reference as reference, id from payments
       union all
      select 'payout', reference, id from payouts`,
  )
  const byRank = (a: string, b: string) => (a < b ? -1 : 1)
  assert.deepEqual(
    made.map(({ kind, reference, id }) => `${kind} ${reference} ${id}`).sort(byRank),
    requests
      .map(({ kind, asked, acknowledged }) => `${kind} ${asked.idempotency_key} ${JSON.parse(acknowledged!).id}`)
      .sort(byRank),
    'one payment or payout for one key',
  )
}

/** Events whose delivery a process holds now. If the process dies, nobody knows whether they arrived. */
export async function eventsUnderWay(sql: Sql): Promise<string[]> {
  const rows = await readWhole(
    sql,
    (tx) => tx<{ event_id: string }[]>`
      select event_id from deliveries where lease_until is not null`,
  )
  return rows.map(({ event_id }) => event_id)
}

/**
 * Each move of a payment or a payout has one event; each event arrived, with its own bytes, and once, unless its delivery was
 * in the hands of a process that was killed.
 * @param maybeTwice events that may have arrived a second time for that reason
 */
export async function checkEvents(
  sql: Sql,
  receiver: Receiver,
  maybeTwice: ReadonlySet<string>,
  deadline_ms: number,
): Promise<{ events: number; twice: number }> {
  const uneven = await readWhole(
    sql,
    (tx) => tx`
      select subject_id, type, m.moves, e.events
        from (select payment_id as subject_id, 'payment.' || to_status as type, count(*) as moves
                from payment_transitions_log group by 1, 2
               union all
              select payout_id, 'payout.' || to_status, count(*) from payout_transitions_log group by 1, 2) m
        full join (select subject_id, type, count(*) as events from events group by 1, 2) e using (subject_id, type)
       where m.moves is distinct from e.events`,
  )
  assert.deepEqual([...uneven], [], 'one event for each move')
  const left = () => readWhole(sql, (tx) => tx`select event_id from deliveries where status <> 'delivered'`)
  await waitFor(async () => (await left()).length === 0, { deadline_ms, what: 'every event to be delivered' })

  const events = await readWhole(sql, (tx) => tx<{ id: string; body: string }[]>`select id, body from events`)
  const bodies = new Map(events.map(({ id, body }) => [id, body]))
  const copies = new Map<string, number>()
  for (const { headers, body } of receiver.requests) {
    const id = String(headers['service-event-id'])
    assert.equal(body.toString('utf8'), bodies.get(id), 'every copy of an event is the event')
    copies.set(id, (copies.get(id) ?? 0) + 1)
  }
  assert.equal(copies.size, events.length, 'every event arrived')
  const twice = [...copies].filter(([, count]) => count > 1).map(([id]) => id)
  assert.deepEqual(
    twice.filter((id) => !maybeTwice.has(id)),
    [],
    'no event arrived twice that was not being delivered when a worker was killed',
  )
  return { events: events.length, twice: twice.length }
}
