import { recordAct } from '../audit-log/record-act.ts'
import type { Sql } from '../platform/postgres/database.ts'
import { enqueue } from '../platform/queue/jobs.ts'
import type { Actor } from '../values/actor.ts'
import type { EndpointKey } from './endpoints/endpoint.ts'
import { deliverJob } from './jobs.ts'
import { type EventFilters, readEventRows } from './journal-store.ts'
import * as replays from './replay-store.ts'
import * as store from './store.ts'

/** The most transactions of one replay, each of a thousand deliveries. */
const CHUNKS_MAX = 100

/** The most events of a replay by filters, so that their exact number is known before. */
export const REPLAYED_MAX = 10_000

export type EndpointReplayed =
  | { readonly kind: 'replayed'; readonly deliveries: number }
  /** There is no such endpoint, or it is disabled: its deliveries are held until it is enabled. */
  | { readonly kind: 'refused'; readonly code: 'resource_not_found' | 'endpoint_disabled' }

/**
 * Sends deliveries of one endpoint again. Without filters, those that it did not take: each that was given up or waits for a retry. With
 * filters, those of the newest events that match, at most `REPLAYED_MAX`, delivered ones too. Each starts a new schedule. Deliveries that are added meanwhile
 * are not touched.
 * @param by the person, for the audit log
 */
export async function replayEndpoint(
  sql: Sql,
  endpoint: EndpointKey,
  by: Actor,
  filters: EventFilters | null = null,
): Promise<EndpointReplayed> {
  let deliveries = 0
  let after: string | null = null
  for (let round = 0; round < (filters === null ? CHUNKS_MAX : REPLAYED_MAX / store.CHUNK); round += 1) {
    const done: ReplayedChunk = await replayChunk(sql, endpoint, by, { filters, after })
    if (done.kind === 'refused') return done
    deliveries += done.deliveries
    after = done.last
    if (done.looked_at < store.CHUNK) break
  }
  return { kind: 'replayed', deliveries }
}

type ReplayedChunk =
  /** `looked_at`: the deliveries, or the events with filters. `last`: the last of these events. */
  | { kind: 'replayed'; deliveries: number; looked_at: number; last: string | null }
  | Extract<EndpointReplayed, { kind: 'refused' }>

/** Sends up to a thousand deliveries again, in one transaction. @param after the last event of the chunk before */
async function replayChunk(
  sql: Sql,
  endpoint: EndpointKey,
  by: Actor,
  { filters, after }: { filters: EventFilters | null; after: string | null },
): Promise<ReplayedChunk> {
  return await sql.begin(async (tx) => {
    // The endpoint is not locked, because writers of results lock deliveries first. If it is disabled meanwhile, the sweep holds its deliveries.
    const found = (await store.readEndpointsOf(tx, [endpoint])).find((one) => one.endpoint_id === endpoint.endpoint_id)
    if (found === undefined) return { kind: 'refused', code: 'resource_not_found' }
    if (found.status === 'disabled') return { kind: 'refused', code: 'endpoint_disabled' }
    const events =
      filters && (await readEventRows(tx, endpoint, filters, { limit: store.CHUNK, after })).map(({ id }) => id)
    const deliveries =
      events === null ? await replays.restartFailing(tx, endpoint) : await replays.restartOf(tx, endpoint, events)
    if (deliveries > 0) {
      enqueue(tx, deliverJob, [{ payload: endpoint }])
      recordAct(tx, endpoint, {
        actor: by,
        act: 'endpoint.replay',
        subject: endpoint.endpoint_id,
        after: { deliveries },
      })
    }
    return { kind: 'replayed', deliveries, looked_at: events?.length ?? deliveries, last: events?.at(-1) ?? null }
  })
}
