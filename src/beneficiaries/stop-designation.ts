import { recordAct } from '../audit-log/record-act.ts'
import type { Sql } from '../platform/postgres/database.ts'
import type { Actor } from '../values/actor.ts'
import type { BeneficiaryKey } from './beneficiary.ts'
import { markStopped } from './proposal-store.ts'
import * as store from './store.ts'

export type DesignationStopped = { kind: 'stopped' } | { kind: 'refused'; code: 'not_cooling' }

/**
 * Removes the designation of a destination during its cooling-off. One person is enough, because stopping a change moves no money. No
 * destination is designated then, until two people designate one, even the former.
 *
 * Refused when the destination is not designated, or its cooling-off is over.
 * @param cooling_hours hours between a designation and the first settlement to it
 */
export async function stopDesignation(
  sql: Sql,
  key: BeneficiaryKey,
  cooling_hours: number,
  by: Actor,
): Promise<DesignationStopped> {
  return sql.begin(async (tx): Promise<DesignationStopped> => {
    await store.lockDestinations(tx, key)
    const designated = await store.readDesignated(tx, key, cooling_hours)
    if (designated === null || designated.id !== key.id || designated.has_cooled)
      return { kind: 'refused', code: 'not_cooling' }
    await store.clearDesignations(tx, { ...key, id: null })
    await markStopped(tx, key, key.id, by.person)
    const { id, designated_at } = designated
    recordAct(tx, key, { actor: by, act: 'destination.stop', subject: id, before: { id, designated_at }, after: null })
    return { kind: 'stopped' }
  })
}
