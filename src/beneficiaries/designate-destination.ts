import { recordAct } from '../audit-log/record-act.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'
import { type Actor, SYSTEM } from '../values/actor.ts'
import type { Tenant } from '../values/caller.ts'
import { type BeneficiaryKey, beneficiaryIdIn } from './beneficiary.ts'
import { insertBreakGlass } from './proposal-store.ts'
import * as store from './store.ts'

export type DestinationDesignated =
  | { kind: 'designated'; id: string; designated_at: Date }
  | { kind: 'refused'; code: 'resource_not_found' }

/**
 * Designates a destination for settlements in place of the previous one, by a command on the host. In the console this takes two people
 * (`propose-destination.ts`, `decide-destination.ts`). A destination that is designated already keeps its time, because the cooling-off
 * guards only changes. Refused for an unknown or archived destination.
 * @param since the time of a designation that was made elsewhere earlier; null: now
 * @param by the author, for the audit log
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
    const { designated_at, changed } = await designateLocked(tx, key, destinations, { since, by })
    if (changed) await insertBreakGlass(tx, key, id, by.person)
    return designated_at
  })
  if (designated_at === null) return { kind: 'refused', code: 'resource_not_found' }
  return { kind: 'designated', id, designated_at }
}

type Locked = Awaited<ReturnType<typeof store.lockDestinations>>

/**
 * Designates an active destination, with its line in the audit log. The transaction has locked all of the merchant's destinations.
 * @param destinations the result of that lock
 */
export async function designateLocked(
  tx: Tx,
  key: BeneficiaryKey,
  destinations: Locked,
  { since, by, proposal_id }: { since: Date | null; by: Actor; proposal_id?: string },
): Promise<{ designated_at: Date; changed: boolean }> {
  await store.clearDesignations(tx, key)
  const designated_at = await store.designateEntry(tx, key, since)
  const before = destinations.find((destination) => destination.designated_at !== null) ?? null
  const changed = before?.id !== key.id || before.designated_at!.getTime() !== designated_at.getTime()
  if (changed) {
    const after = { id: key.id, designated_at, since, ...(proposal_id === undefined ? {} : { proposal_id }) }
    recordAct(tx, key, { actor: by, act: 'destination.designate', subject: key.id, before, after })
  }
  return { designated_at, changed }
}
