import { defineJob } from '../platform/queue/jobs.ts'
import type { EndpointKey } from './endpoint.ts'

/**
 * Something is due for this endpoint. A job names the endpoint and not the delivery, and is done as soon as what is due
 * has been taken, not when the endpoint has answered: a merchant whose server hangs keeps no worker waiting, and one
 * with a backlog of a hundred thousand has its own line, which nobody else stands in.
 *
 * New events bring one job for each endpoint and transaction, without a key: with one, concurrent transactions of a
 * merchant would wait for each other on the row of the job.
 */
export const deliverJob = defineJob<EndpointKey>('webhooks.deliver', 'webhooks')
