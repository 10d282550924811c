import type { Clock } from '../platform/clock.ts'
import { takeAdvisoryLock } from '../platform/postgres/advisory-lock.ts'
import type { Sql } from '../platform/postgres/database.ts'
import { SYSTEM } from '../values/actor.ts'
import type { Link } from './give-link.ts'
import { inviteIn } from './invite-person.ts'
import { STAFF } from './person.ts'
import * as store from './store.ts'

/** The name of the first administrator, who invites the others under their own addresses. */
const FIRST: string = 'administrator@localhost'

export type FirstInvited =
  | { kind: 'invited'; link: Link }
  /**
   * `by_command`: nobody does yet, and a command alone gives the role. A link that was shown opens still, or the first administrator signs
   * in and somebody took the role away from them: no start gives it back.
   */
  | { kind: 'has_administrator' | 'by_command' }

/**
 * Gives a service that nobody administers a link for the first administrator. Of several processes that start at once one gets it.
 */
export async function inviteFirstAdministrator({ sql, clock }: { sql: Sql; clock: Clock }): Promise<FirstInvited> {
  return sql.begin(async (tx): Promise<FirstInvited> => {
    // Another process would not see the link that this one makes.
    await takeAdvisoryLock(tx, 'first administrator')
    const found = await store.findAdministrator(tx)
    if (found !== null) return { kind: found === 'active' ? 'has_administrator' : 'by_command' }
    const former = await store.lockPerson(tx, { email: FIRST })
    if (former?.status === 'active') return { kind: 'by_command' }
    const wanted = { email: FIRST, name: 'Administrator', merchant_id: STAFF, roles: ['administrator'] as const }
    const invited = await inviteIn(tx, clock, wanted, SYSTEM)
    if (invited.kind === 'refused' || invited.link === null) throw new Error('The first administrator got no link.')
    return { kind: 'invited', link: invited.link }
  })
}
