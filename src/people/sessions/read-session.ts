import type { Clock } from '../../platform/clock.ts'
import { sha256 } from '../../platform/digest.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { merchantRoles, staffRoles } from '../../values/rights.ts'
import { STAFF } from '../person.ts'
import type { Membership, Session, SessionDoor } from './session.ts'
import { standingOf } from './session-limits.ts'
import * as store from './store.ts'

export type SessionDeps = { sql: Sql; clock: Clock }

/** A token as openSession makes it. */
const tokenForm = /^[\w-]{43}$/

/**
 * Reads the session of a token with the current rights of its person, in one statement for each request. Null when there is none or it
 * has ended. A session that was idle or open for too long, or whose person was disabled, ends now, and its reason is recorded. A request
 * is noted at most once a minute.
 * @param token as the browser sent it, not validated yet
 * @param door the door of the request: a token works at its own door only
 * @param seen false for the refresh of an open page, which does not extend the session
 */
export async function readSession(
  { sql, clock }: SessionDeps,
  token: string,
  door: SessionDoor = 'console',
  seen = true,
): Promise<Session | null> {
  if (!tokenForm.test(token)) return null
  const lines = await store.selectSession(sql, sha256(token), door)
  const [first] = lines
  if (first === undefined) return null
  const staff_roles = staffRolesIn(lines)
  const standing = standingOf({ ...first, door, staff: staff_roles.length > 0 }, clock.milliseconds())
  if (first.status !== 'active' || standing.kind === 'over') {
    // A person who is invited again has no factor any more.
    const ofPerson = first.status === 'disabled' ? 'person_disabled' : 'factors_changed'
    await store.endSession(sql, first, standing.kind === 'over' ? standing.reason : ofPerson)
    return null
  }
  if (standing.note && seen) await store.markSeen(sql, first.session_id, clock.now())
  const { session_id, factor, created_at, person_id, email, name, language, has_offers } = first
  return {
    session_id,
    person: { person_id, email, name, language },
    factor,
    created_at,
    ends_at: standing.ends_at,
    memberships: membershipsIn(lines),
    staff_roles,
    has_offers,
  }
}

/** Finds the person whose session a token opened, also after its end. Null when there is none. */
export async function findPersonOfToken({ sql }: Pick<SessionDeps, 'sql'>, token: string): Promise<string | null> {
  return tokenForm.test(token) ? store.selectPersonOf(sql, sha256(token)) : null
}

function staffRolesIn(lines: readonly store.SessionLine[]): Session['staff_roles'] {
  const roles = lines.flatMap(({ merchant_id, role }) => (merchant_id === STAFF ? [role] : []))
  return staffRoles.filter((role) => roles.includes(role))
}

function membershipsIn(lines: readonly store.SessionLine[]): Membership[] {
  const ofMerchants = lines.filter(({ merchant_name }) => merchant_name !== null)
  return [...Map.groupBy(ofMerchants, ({ merchant_id }) => merchant_id!)].map(([merchant_id, some]) => ({
    merchant_id,
    merchant_name: some[0]!.merchant_name!,
    roles: merchantRoles.filter((known) => some.some(({ role }) => role === known)),
  }))
}
