import { defineJob } from '../platform/queue/jobs.ts'
import type { EndpointKey } from './endpoints/endpoint.ts'

/**
 * Deliveries of this endpoint are due: retries, or ones that were held, replayed or lost. A job names endpoints, not deliveries, and
 * ends as soon as due deliveries are claimed, not when the endpoint has answered. So a merchant's hanging server keeps no worker
 * waiting, and one with a backlog of a hundred thousand has a queue of its own.
 */
export const deliverJob = defineJob<EndpointKey>('webhooks.deliver', 'webhooks')

/**
 * These endpoints have new events. One job names endpoints of many merchants, because one transaction changes payments of many. It has
 * no key: with one, concurrent transactions of a merchant would wait for each other on the job's row.
 */
export const deliverNewJob = defineJob<{ endpoints: EndpointKey[] }>('webhooks.deliver-new', 'webhooks')

/** The most endpoints that one job names. */
export const ENDPOINTS_PER_JOB = 64
