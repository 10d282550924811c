import webPush from 'web-push'
import type { Clock } from '../../platform/clock.ts'
import type { Egress } from '../../platform/egress/post.ts'
import type { Log } from '../../platform/log.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { defineJob } from '../../platform/queue/jobs.ts'
import { mayGet, type Notice, noticeNames } from '../notices/notice.ts'
import type { PushDevices } from './devices.ts'
import * as store from './push-store.ts'

/** A notice to one device. `at`: the time of the event, in milliseconds since 1970. */
type PushJob = { readonly notice: Notice; readonly notice_id: string; readonly device_id: string; readonly at: number }

export const pushJob = defineJob<PushJob>('send-push', 'upkeep')

/** The words of a push. It has no number, no name of a person and no code. */
export type PushText = { readonly title: string; readonly body: string; readonly url: string }

type Deps = {
  sql: Sql
  clock: Clock
  log: Log
  egress: Pick<Egress, 'post'>
  devices: Pick<PushDevices, 'readKey' | 'open' | 'refusalOf'>
  write: (notice: Notice, to: store.WaitingPush) => PushText
  /** The contact of this service for push services: an https address or `mailto:`. */
  contact: () => string
}

/** The push service did not take a push, and the queue tries again. */
class PushWaits extends Error {
  override name = 'PushWaits'
}

const HOUR_MS = 3_600_000

/**
 * Sends a notice to a device, perhaps twice: the browser shows one of the same tag once. Retries end when the notice is old, a payment after an hour
 * and all others after a day. A device is deleted when its push service no longer knows it or our key, or has failed for a week.
 */
export function createSendPush({ sql, clock, log, egress, devices, write, contact }: Deps) {
  return async ({ notice, notice_id, device_id, at }: PushJob): Promise<void> => {
    const kind = noticeNames[notice.name]
    const left_ms = at + (kind === 'payment' ? HOUR_MS : 24 * HOUR_MS) - clock.milliseconds()
    if (left_ms <= 0) return
    const to = await store.readWaiting(sql, device_id, notice.about?.merchant_id ?? null)
    if (to === null || !mayGet(kind, to.roles)) return
    const { publicKey, privateKey } = await devices.readKey()
    const payload = JSON.stringify({ ...write(notice, to), tag: notice_id })
    const subscription = devices.open(device_id, to.sealed)
    const refusal = await devices.refusalOf(subscription.endpoint)
    const { endpoint, headers, body } = webPush.generateRequestDetails(subscription, payload, {
      vapidDetails: { subject: contact(), publicKey, privateKey },
      TTL: Math.ceil(left_ms / 1_000),
      urgency: 'high',
    })
    const { 'Content-Length': _, ...named } = headers
    const sent = Object.fromEntries(Object.entries(named).map(([name, value]) => [name, String(value)]))
    const answer =
      refusal === null
        ? await egress.post({ url: endpoint, body: body!, headers: sent, livemode: true })
        : ({ kind: 'failed', reason: refusal } as const)
    if (answer.kind === 'failed') {
      await store.noteFailure(sql, device_id)
      if (answer.reason !== 'refused_address') throw new PushWaits(`The push service did not answer: ${answer.reason}.`)
      log.warn({ device_id, reason: answer.reason }, 'push: given up')
      return
    }
    const { status } = answer
    if (status >= 200 && status < 300) return store.noteTaken(sql, device_id)
    // 401 and 403: it subscribed with another key than ours.
    if ([401, 403, 404, 410].includes(status)) return store.deleteDevice(sql, device_id)
    await store.noteFailure(sql, device_id)
    if (status === 429 || status >= 500) throw new PushWaits(`The push service answered ${status}.`)
    log.warn({ device_id, status }, 'push: given up')
  }
}
