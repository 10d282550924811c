import { defineEffect } from '../platform/commands/effects.ts'
import type { Tx } from '../platform/postgres/database.ts'
import type { About, Act } from './act.ts'
import * as store from './store.ts'
import { watchAct } from './watched-acts.ts'

export { type About, type Act, WHOLE_SERVICE } from './act.ts'

/**
 * Writes a line of the audit log in the transaction of the act, and the notice of an act that is watched (`watched-acts.ts`). The merchant need not exist: a transaction that finds
 * it missing fails as a whole.
 */
export function recordAct(tx: Tx, { merchant_id, livemode }: About, act: Act): void {
  const { actor, act: name, subject = null, before = null, after = null } = act
  const { person, door, from: from_address, step_up_id } = actor
  const by = { actor: person, door, from_address, step_up_id }
  store.insertAct(tx, { merchant_id, livemode, ...by, act: name, subject, before, after })
  watchAct(tx, { merchant_id, livemode }, act)
}

/** A line as an effect, for an act that writes effects. */
export const recordActs = defineEffect<About & Act>('new row', (tx, lines) => {
  for (const { merchant_id, livemode, ...act } of lines) recordAct(tx, { merchant_id, livemode }, act)
})
