import { machineMilliseconds } from '../../platform/clock.ts'
import type { Brand } from '../../platform/config.ts'
import type { Egress, PostResult } from '../../platform/egress/post.ts'
import { maskNumbers } from '../../values/msisdn.ts'
import { endpointKey, type SecretBox } from '../endpoints/endpoint.ts'
import type { AttemptRow, TakenDelivery } from './attempt-store.ts'
import { nextDelaySeconds } from './retry-schedule.ts'
import { signatureHeader } from './sign.ts'

export type AttemptDeps = {
  readonly egress: Egress
  readonly secrets: SecretBox
  readonly brand: Brand
  readonly deadline_ms: number
}

/** Makes one attempt: signs the body with the current time and sends it. Every failure outside the service is a result, not an exception. */
export function attemptDelivery(deps: AttemptDeps, delivery: TakenDelivery): Promise<PostResult> {
  return deps.egress.post({
    url: delivery.url,
    body: delivery.body,
    headers: headersOf(deps, delivery, Math.floor(machineMilliseconds() / 1_000)),
    livemode: delivery.livemode,
    deadline_ms: deps.deadline_ms,
  })
}

/** Sends each header under both names of the brand, with one value. */
function headersOf({ brand, secrets }: AttemptDeps, delivery: TakenDelivery, t: number): Record<string, string> {
  const sign = (sealed: Buffer) => signatureHeader(secrets.open(delivery, sealed), t, delivery.body)
  const ours: Record<string, string> = {
    Signature: sign(delivery.secret_sealed),
    'Event-Id': delivery.event_id,
    ...(delivery.previous_secret_sealed === null
      ? {}
      : { 'Signature-Previous': sign(delivery.previous_secret_sealed) }),
  }
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'user-agent': `${brand.name.replaceAll(' ', '-')}-Webhooks/1.0`,
  }
  for (const [name, value] of Object.entries(ours)) {
    headers[`${brand.header_prefix}-${name}`] = value
    headers[`${brand.legacy_header_prefix}-${name}`] = value
  }
  return headers
}

/**
 * Decides the outcome of an attempt. Any 2xx delivers the event. After any other answer, also a redirect, the delivery is tried again
 * until the schedule ends.
 * @param random from 0 to 1, spreads the delay
 */
export function decideAttempt(delivery: TakenDelivery, result: PostResult, random: number): AttemptRow {
  const made = delivery.scheduled_attempts + 1
  const answered = result.kind === 'answered' ? result : null
  const delivered = answered !== null && answered.status >= 200 && answered.status < 300
  const delay = delivered ? null : nextDelaySeconds(made, answered?.retry_after_seconds ?? null, random)
  return {
    ...endpointKey(delivery),
    id: delivery.id,
    fence: delivery.fence,
    number: delivery.attempts + 1,
    scheduled_attempts: made,
    status: delivered ? 'delivered' : delay === null ? 'failed' : 'pending',
    delay_seconds: delay,
    status_code: answered?.status ?? null,
    error: result.kind === 'failed' ? result.reason : null,
    duration_ms: result.duration_ms,
    // Web servers quote requests in their answers, and an event may hold a payout's phone number.
    response_excerpt: answered === null ? null : maskNumbers(answered.excerpt),
  }
}
