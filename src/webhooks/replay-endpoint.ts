import { recordAct } from '../audit-log/record-act.ts'
import type { Sql } from '../platform/postgres/database.ts'
import { enqueue } from '../platform/queue/jobs.ts'
import type { Actor } from '../values/actor.ts'
import type { EndpointKey } from './endpoints/endpoint.ts'
import { deliverJob } from './jobs.ts'
import * as replays from './replay-store.ts'
import * as store from './store.ts'

/** The most transactions of one replay, each of a thousand deliveries. */
const CHUNKS_MAX = 100

export type EndpointReplayed =
  | { readonly kind: 'replayed'; readonly deliveries: number }
  /** There is no such endpoint, or it is disabled: its deliveries are held until it is enabled. */
  | { readonly kind: 'refused'; readonly code: 'resource_not_found' | 'endpoint_disabled' }

/**
 * Sends the undelivered deliveries of one endpoint again: each that was given up or waits for a retry starts a new schedule. Deliveries
 * that are added meanwhile are not touched.
 * @param by the person, for the audit log
 */
export async function replayEndpoint(sql: Sql, endpoint: EndpointKey, by: Actor): Promise<EndpointReplayed> {
  const isThis = ({ endpoint_id }: EndpointKey) => endpoint_id === endpoint.endpoint_id
  let deliveries = 0
  for (let round = 0; round < CHUNKS_MAX; round += 1) {
    const restarted = await sql.begin(async (tx) => {
      // The endpoint is not locked, because writers of results lock deliveries first. If it is disabled meanwhile, the sweep holds its deliveries.
      const found = (await store.readEndpointsOf(tx, [endpoint])).find(isThis)
      if (found === undefined) return 'resource_not_found'
      if (found.status === 'disabled') return 'endpoint_disabled'
      const count = await replays.restartFailing(tx, endpoint)
      if (count === 0) return 0
      enqueue(tx, deliverJob, [{ payload: endpoint }])
      const after = { deliveries: count }
      recordAct(tx, endpoint, { actor: by, act: 'endpoint.replay', subject: endpoint.endpoint_id, after })
      return count
    })
    if (typeof restarted === 'string') return { kind: 'refused', code: restarted }
    deliveries += restarted
    if (restarted < store.CHUNK) break
  }
  return { kind: 'replayed', deliveries }
}
