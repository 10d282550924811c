import type { Registry } from 'prom-client'
import type { Clock } from '../../platform/clock.ts'
import { createGroupCall } from '../../platform/commands/group-commit.ts'
import type { Brand } from '../../platform/config.ts'
import { crashPoint } from '../../platform/crash-point.ts'
import type { Egress } from '../../platform/egress/post.ts'
import type { Log } from '../../platform/log.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import type { Secret } from '../../values/secret.ts'
import { createSecretBox, type EndpointKey, endpointKey } from '../endpoints/endpoint.ts'
import { attemptDelivery, decideAttempt } from './attempt-delivery.ts'
import {
  type AttemptRow,
  giveBackDeliveries,
  LEASE_SECONDS,
  type TakenDelivery,
  takeDeliveries,
  type Wanted,
} from './attempt-store.ts'
import type { EndpointQueue } from './endpoint-queue.ts'
import { EndpointQueues } from './endpoint-queues.ts'
import { createRecordAttempts } from './record-attempts.ts'
import { sweepDeliveries } from './sweep.ts'
import { createWebhookMetrics } from './webhook-metrics.ts'

export type DelivererOptions = {
  sql: Sql
  secretKey: Secret
  brand: Brand
  egress: Egress
  log: Log
  clock: Clock
  registry: Registry
  random?: () => number
  /** For one whole attempt, in milliseconds. */
  deadline_ms?: number
  /** The longest pause of an endpoint after failures, in milliseconds. */
  pause_max_ms?: number
}

export type Deliverer = {
  /** The job: claims due deliveries of an endpoint. Resolves when some are claimed; the rest and the attempts follow. */
  deliver(endpoint: EndpointKey): Promise<void>
  /** The same for many endpoints, in one statement. */
  deliverNew(due: { endpoints: readonly EndpointKey[] }): Promise<void>
  /** Enqueues jobs for deliveries that lost theirs (`sweepDeliveries`). */
  sweep(): Promise<number>
  /** Resolves when no attempt is in progress. */
  idle(): Promise<void>
  /** Releases claimed deliveries that were not tried, and waits for the attempts in progress. To be called after the worker stopped. */
  close(): Promise<void>
}

/** The longest wait of a claimed delivery for its attempt, in milliseconds. After it, the lease might end during the attempt. */
const TURN_MAX_MS = (LEASE_SECONDS - 12) * 1_000

/**
 * Delivers events. Due deliveries are claimed, and results written, for all endpoints together: five hundred deliveries a second take
 * a few dozen statements. In between, each endpoint has a queue of its own (endpoint-queue.ts).
 */
export function createDeliverer(options: DelivererOptions): Deliverer {
  const { sql, brand, egress, log, clock, registry, random = Math.random, deadline_ms = 10_000, pause_max_ms } = options
  const secrets = createSecretBox(options.secretKey)
  const metrics = createWebhookMetrics(registry, () => queues.underWay())
  const recordAttempts = createRecordAttempts({ sql, log, metrics })

  const take = createGroupCall<Wanted, TakenDelivery[]>(sql, {
    for: 'background',
    tenantOf: (endpoint) => endpoint,
    concurrency: 2,
    run: (wanted) => takeDeliveries(sql, wanted),
  })
  const record = createGroupCall<AttemptRow, void>(sql, {
    for: 'acknowledgement',
    tenantOf: (attempt) => attempt,
    concurrency: 2,
    run: async (attempts) => {
      await recordAttempts(attempts)
      return attempts.map(() => undefined)
    },
  })

  const queues = new EndpointQueues<TakenDelivery>({
    async take(queue, slots) {
      const taken = await take({ ...endpointKey(queue.endpoint), slots })
      const taken_at = performance.now()
      return taken.map((delivery) => ({ item: delivery, taken_at }))
    },
    giveBack: (deliveries) => giveBackDeliveries(sql, deliveries),
    attempt,
    log,
    ...(pause_max_ms === undefined ? {} : { pause_max_ms }),
  })

  async function attempt(_queue: EndpointQueue<TakenDelivery>, delivery: TakenDelivery, waited_ms: number) {
    if (waited_ms > TURN_MAX_MS) return { outcome: 'untried' as const }
    if (delivery.attempts === 0) {
      metrics.firstAttemptAfter((clock.milliseconds() - delivery.event_created_at.getTime()) / 1_000)
    }
    const result = await attemptDelivery({ egress, secrets, brand, deadline_ms }, delivery)
    const row = decideAttempt(delivery, result, random())
    const delivered = row.status === 'delivered'
    if (delivered) crashPoint('after_webhook_2xx_before_commit')
    metrics.attempted(delivered ? 'delivered' : (row.error ?? 'answered_otherwise'))
    return {
      outcome: delivered ? ('succeeded' as const) : ('failed' as const),
      duration_ms: result.duration_ms,
      written: record(row),
    }
  }

  return {
    deliver: (endpoint) => queues.wake(endpointKey(endpoint)),
    async deliverNew({ endpoints }) {
      await Promise.all(endpoints.map((endpoint) => queues.wake(endpointKey(endpoint))))
    },
    sweep: () => sweepDeliveries(sql, log),
    idle: () => queues.idle(),
    close: () => queues.close(),
  }
}
