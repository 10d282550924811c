import { recordAct } from '../audit-log/record-act.ts'
import type { Db, Sql, Tx } from '../platform/postgres/database.ts'
import { notify } from './notices/notify.ts'
import type { RoleRow } from './person.ts'
import type { Session } from './sessions/session.ts'
import * as store from './store.ts'

export type { OfferedRole } from './store.ts'

/** The most roles on the page of offers, the oldest. */
const SHOWN_MAX = 100

/** The roles that one team offers a person. `merchant_name` null: the staff of the service. */
export type Offer = { merchant_id: number; merchant_name: string | null; roles: readonly store.OfferedRole[] }

/** Finds the roles that teams have offered to a person, the oldest offer first. */
export async function findOffers(db: Db, person_id: string): Promise<Offer[]> {
  const roles = await store.readOffers(db, person_id, SHOWN_MAX)
  return [...Map.groupBy(roles, ({ merchant_id }) => merchant_id)].map(([merchant_id, some]) => ({
    merchant_id,
    merchant_name: some[0]!.merchant_name,
    roles: some,
  }))
}

/** An answer to the offer of a team: the person of the session, and their address. `merchant_id`: the merchant, or `STAFF`. */
export type OfferAnswer = { session: Session; merchant_id: number; address: string }

/** `resource_not_found`: this team offers the person nothing: it took the offer back, or the person has answered it. */
export type OfferAnswered = { kind: 'accepted' | 'declined' } | { kind: 'refused'; code: 'resource_not_found' }

/**
 * Accepts all roles that a team has offered to the person of this session. A role with one half of a decision still needs its second person, and
 * so does each role at an account that another place opened, also one confirmed before: only now can the second person ask for the account code. It
 * takes no fresh factor, because it gives its person nothing that a second person has not confirmed, and takes nothing from them.
 */
export function acceptOffer({ sql }: { sql: Sql }, answer: OfferAnswer): Promise<OfferAnswered> {
  return decide(sql, answer, 'person.accept_role', (tx, role) => store.markAccepted(tx, role))
}

/** Declines all roles that a team has offered to the person of this session, and tells the people who offered them. */
export function declineOffer({ sql }: { sql: Sql }, answer: OfferAnswer): Promise<OfferAnswered> {
  return decide(sql, answer, 'person.decline_role', (tx, role) => store.deleteRole(tx, role))
}

async function decide(
  sql: Sql,
  { session, merchant_id, address }: OfferAnswer,
  act: 'person.accept_role' | 'person.decline_role',
  answerOne: (tx: Tx, role: RoleRow) => Promise<void>,
): Promise<OfferAnswered> {
  const { person_id, email } = session.person
  return sql.begin(async (tx): Promise<OfferAnswered> => {
    const person = await store.lockPerson(tx, { person_id })
    const all = person?.status === 'active' ? await store.readRoles(tx, person_id) : []
    const offered = all.filter((role) => role.merchant_id === merchant_id && role.to_accept)
    if (offered.length === 0) return { kind: 'refused', code: 'resource_not_found' }
    const isAccepted = act === 'person.accept_role'
    const to_confirm = isAccepted ? await store.awaitConfirmation(tx, person_id, merchant_id) : []
    for (const role of offered) await answerOne(tx, role)
    const roles = offered.map(({ role }) => role)
    const actor = { person: email, door: 'console', from: address, step_up_id: null } as const
    const about = { merchant_id, livemode: null }
    const waits = to_confirm.length > 0 && { to_confirm: to_confirm.map(({ role }) => role) }
    recordAct(tx, about, { actor, act, subject: person_id, after: { email, roles, ...waits } })
    if (isAccepted) return { kind: 'accepted' }
    const to = [...new Set(offered.map(({ granted_by }) => granted_by))]
    notify(tx, { name: 'role_declined', about, to, facts: { role: roles.join(), email } })
    return { kind: 'declined' }
  })
}
