import { machineMilliseconds } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { enqueue, type NewJob } from '../../platform/queue/jobs.ts'
import { type EndpointKey, endpointKey } from '../endpoints/endpoint.ts'
import { deliverJob } from '../jobs.ts'
import { holdDeliveries } from '../store.ts'
import { type AttemptRow, recordAttempts } from './attempt-store.ts'
import type { WebhookMetrics } from './webhook-metrics.ts'

/**
 * Writes the results of many attempts with the jobs of their retries. If a result disables its endpoint, the endpoint's waiting
 * deliveries are held. @throws when a result cannot be written: its delivery is tried again when its lease ends
 */
export function createRecordAttempts({ sql, log, metrics }: { sql: Sql; log: Log; metrics: WebhookMetrics }) {
  return async (attempts: readonly AttemptRow[]): Promise<void> => {
    const retries = retryJobs(attempts, machineMilliseconds())
    const { disabled } = await sql.begin((tx) => {
      if (retries.length > 0) enqueue(tx, deliverJob, retries)
      return { disabled: recordAttempts(tx, attempts) }
    })
    for (const endpoint of await disabled) {
      metrics.disabled()
      log.warn({ ...endpoint }, 'webhooks: endpoint disabled after five days of failures, tell its merchant')
      await holdDeliveries(sql, endpoint)
    }
  }
}

/**
 * Makes one job for each endpoint and due moment: a thousand deliveries that failed together are retried by a few dozen jobs. Moments
 * are rounded up, so that a job never runs before its deliveries are due.
 */
function retryJobs(attempts: readonly AttemptRow[], now: number): NewJob<EndpointKey>[] {
  const jobs = new Map<string, NewJob<EndpointKey>>()
  for (const attempt of attempts) {
    if (attempt.delay_seconds === null) continue
    const step = attempt.delay_seconds < 60 ? 100 : attempt.delay_seconds < 3_600 ? 1_000 : 10_000
    const due = Math.ceil((now + attempt.delay_seconds * 1_000) / step) * step
    const key = `webhooks.retry:${attempt.endpoint_id}:${due}`
    jobs.set(key, { payload: endpointKey(attempt), delay_ms: due - now, key })
  }
  return [...jobs.values()]
}
