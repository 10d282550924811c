import { recordAct } from '../audit-log/record-act.ts'
import type { Sql } from '../platform/postgres/database.ts'
import type { Actor } from '../values/actor.ts'
import type { BeneficiaryKey } from './beneficiary.ts'
import { markStopped } from './proposal-store.ts'
import * as store from './store.ts'

export type DesignationStopped = { kind: 'stopped' } | { kind: 'refused'; code: 'not_cooling' }

/**
 * Takes the designation from a destination that still cools. One person is enough: to say that a change was none of theirs moves no money.
 * Settlements go nowhere until two people designate a destination, the former one too.
 *
 * Refused: settlements are not to go there, or its cooling-off is over.
 * @param cooling_hours between a designation and the first settlement to it
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
