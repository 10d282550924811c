import type { Actor } from '../values/actor.ts'
import type { Tenant } from '../values/caller.ts'
import type { ActName } from './act-words.ts'

/** The `merchant_id` of an act on the service as a whole. */
export const WHOLE_SERVICE = 0

/** The subject of an act: a merchant in one mode, or in both (`livemode` null), or `WHOLE_SERVICE`. */
export type About = { merchant_id: Tenant['merchant_id']; livemode: boolean | null }

export type Act = {
  actor: Actor
  act: ActName
  /** The identifier of the changed object; absent when the act concerns the merchant itself. */
  subject?: string | null
  /** The values before the act; absent when there were none, or none changed. Never a secret, a full number or account, or free text. */
  before?: object | null
  /** The values after the act, by the same rules. */
  after?: object | null
}
