import { defineJob } from '../platform/queue/jobs.ts'
import type { EndpointKey } from './endpoints/endpoint.ts'

/**
 * Deliveries are due for this endpoint: a retry, or ones that were held, sent again or forgotten. A job names endpoints and not
 * deliveries, and is done as soon as the due ones are claimed, not when the endpoint has answered: a merchant whose server
 * hangs keeps no worker waiting, and one with a backlog of a hundred thousand has a queue of its own.
 */
export const deliverJob = defineJob<EndpointKey>('webhooks.deliver', 'webhooks')

/**
 * There are new events for these endpoints. One job carries those of many merchants, because a batch of payments moves on
 * together and each has another merchant. It has no key: with one, concurrent transactions of a merchant would wait for each
 * other on the row of the job.
 */
export const deliverNewJob = defineJob<{ endpoints: EndpointKey[] }>('webhooks.deliver-new', 'webhooks')

/** Endpoints that one job names at most. */
export const ENDPOINTS_PER_JOB = 64
