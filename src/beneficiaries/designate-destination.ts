import { recordAct } from '../audit-log/record-act.ts'
import type { Sql } from '../platform/postgres/database.ts'
import { type Actor, SYSTEM } from '../values/actor.ts'
import type { Tenant } from '../values/caller.ts'
import { beneficiaryIdIn } from './beneficiary.ts'
import * as store from './store.ts'

export type DestinationDesignated =
  | { kind: 'designated'; id: string; designated_at: Date }
  | { kind: 'refused'; code: 'resource_not_found' }

/**
 * Makes a destination the one that settlements go to, instead of the one before. One that is it already keeps its time:
 * the cooling-off of settlements guards a change, and this is none.
 * @param since for a designation made elsewhere earlier; null: now
 * @param by who designates it, for the audit log
 */
export async function designateDestination(
  sql: Sql,
  { merchant_id, livemode }: Tenant,
  text: string,
  since: Date | null,
  by: Actor = SYSTEM,
): Promise<DestinationDesignated> {
  const id = beneficiaryIdIn(text)
  if (id === null) return { kind: 'refused', code: 'resource_not_found' }
  const designated_at = await sql.begin(async (tx) => {
    const key = { merchant_id, livemode, id }
    const destinations = await store.lockDestinations(tx, key)
    if (!destinations.some((destination) => destination.id === id)) return null
    await store.clearDesignations(tx, key)
    const designated_at = await store.designateEntry(tx, key, since)
    const before = destinations.find((destination) => destination.designated_at !== null) ?? null
    if (before?.id !== id || before.designated_at!.getTime() !== designated_at.getTime()) {
      const after = { id, designated_at, since }
      recordAct(tx, key, { actor: by, act: 'destination.designate', subject: id, before, after })
    }
    return designated_at
  })
  if (designated_at === null) return { kind: 'refused', code: 'resource_not_found' }
  return { kind: 'designated', id, designated_at }
}
