import type { Tx } from '../platform/postgres/database.ts'
import type { Actor } from '../values/actor.ts'
import type { Tenant } from '../values/caller.ts'
import * as store from './store.ts'

/** The merchant of an act on the service as a whole. */
export const WHOLE_SERVICE = 0

/** The subject of an act: a merchant in one mode, or in both (null), or the service as a whole. */
export type About = { merchant_id: Tenant['merchant_id']; livemode: boolean | null }

export type Act = {
  actor: Actor
  /** The noun and what was done to it, such as `caps.set`. */
  act: `${string}.${string}`
  /** The identifier of what it was done to; absent: the merchant itself. */
  subject?: string | null
  /** How it stood; absent: it did not exist, or nothing of it changed. Never a secret, a whole number or account, or free text. */
  before?: object | null
  /** How it stands from now on; the same rules. */
  after?: object | null
}

/**
 * Writes a line of the audit log on its way with the transaction of the act. The merchant need not exist: a transaction that
 * finds it missing fails as a whole.
 */
export function recordAct(tx: Tx, { merchant_id, livemode }: About, act: Act): void {
  const { actor, act: name, subject = null, before = null, after = null } = act
  const { person, door, from: from_address, step_up_id } = actor
  const by = { actor: person, door, from_address, step_up_id }
  store.insertAct(tx, { merchant_id, livemode, ...by, act: name, subject, before, after })
}
