import { createHash, ECDH, randomUUID } from 'node:crypto'
import type { Egress } from '../../platform/egress/post.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { seal, unseal } from '../../platform/sealing.ts'
import { notify } from '../notices/notify.ts'
import { recordActOf } from '../record-act-of.ts'
import type { Browser } from '../sessions/browser.ts'
import { browserName } from '../sessions/browser-name.ts'
import type { Session } from '../sessions/session.ts'
import { lockPerson } from '../store.ts'
import { createPushKey, type PushKey } from './push-key.ts'
import * as store from './push-store.ts'

/** A browser as its push service knows it. Anybody who has it may send to the browser. */
export type Subscription = {
  readonly endpoint: string
  readonly keys: { readonly p256dh: string; readonly auth: string }
}

/** The most devices of one person. The oldest goes when there are more. */
const DEVICES_MAX = 10

/** Reads what `PushSubscription.toJSON()` wrote. Null: it is no subscription. */
export function readSubscription(text: string): Subscription | null {
  try {
    const { endpoint, keys } = JSON.parse(text) as Subscription
    const isKey = (value: unknown, bytes: number) =>
      typeof value === 'string' && /^[\w-]+$/.test(value) && Buffer.from(value, 'base64url').length === bytes
    if (typeof endpoint !== 'string' || endpoint.length > 2_000) return null
    // An uncompressed point of P-256, and the secret of RFC 8291.
    if (!isKey(keys.p256dh, 65) || !isKey(keys.auth, 16)) return null
    // Throws where the point is not on the curve.
    ECDH.convertKey(Buffer.from(keys.p256dh, 'base64url'), 'prime256v1')
    return { endpoint, keys: { p256dh: keys.p256dh, auth: keys.auth } }
  } catch {
    return null
  }
}

/** The push services of browsers. All others share one partition, so that nobody's own server delays them. */
const services = ['fcm.googleapis.com', 'push.services.mozilla.com', 'push.apple.com', 'notify.windows.com']

function serviceOf(endpoint: string): string {
  const { hostname } = new URL(endpoint)
  return services.find((name) => hostname === name || hostname.endsWith(`.${name}`)) ?? 'other'
}

export type PushDevices = ReturnType<typeof createPushDevices>

/** The devices to which people get notices, and the key of this installation. */
export function createPushDevices({ sql, key, vet }: { sql: Sql; key: Buffer; vet: Egress['vet'] }) {
  /** Why nothing is sent to an address that a person named. Null: it may be. */
  async function refusalOf(endpoint: string): Promise<'refused_address' | 'dns' | null> {
    const target = await vet(endpoint, true)
    if (target.kind === 'refused') return target.reason
    // The service calls nothing inside for its members. Plain http passes with EGRESS_LOOPBACK_HTTP alone, on a machine of tests.
    return target.inside && target.url.protocol === 'https:' ? 'refused_address' : null
  }

  return {
    refusalOf,

    readKey: createPushKey(sql, key) satisfies () => Promise<PushKey>,

    list: (person_id: string) => store.readDevices(sql, person_id),

    /** Adds the browser of a session. False: its push service is at no address that we may call. */
    async add({ person, session_id }: Session, subscription: Subscription, from: Browser): Promise<boolean> {
      if ((await refusalOf(subscription.endpoint)) !== null) return false
      const id = randomUUID()
      const { person_id, email } = person
      const name = browserName(from.user_agent) ?? '?'
      await sql.begin(async (tx) => {
        await lockPerson(tx, { person_id })
        const address_hash = createHash('sha256').update(subscription.endpoint).digest()
        const sealed = seal(key, JSON.stringify(subscription), id)
        await store.putDevice(tx, {
          ...{ id, person_id, address_hash, sealed, name, session_id },
          service: serviceOf(subscription.endpoint),
        })
        await store.dropDevicesBeyond(tx, person_id, DEVICES_MAX)
        recordActOf(tx, email, from, { act: 'person.add_device', subject: person_id, after: { device: name } })
        notify(tx, { name: 'device_added', to: [email], facts: { device: name } })
      })
      return true
    },

    /** Ends the notices to a device. Nothing happens when the person has no such device. */
    remove({ person: { person_id, email } }: Session, id: string, from: Pick<Browser, 'address'>): Promise<void> {
      return sql.begin(async (tx) => {
        if (!(await store.deleteDeviceOf(tx, person_id, id))) return
        recordActOf(tx, email, from, { act: 'person.remove_device', subject: person_id })
      })
    },

    open: (id: string, sealed: Uint8Array) => JSON.parse(unseal(key, sealed, id)) as Subscription,
  }
}
