import { maySecond } from '../../acts/second-person.ts'
import type { ActName } from '../../audit-log/act-words.ts'
import { recordAct } from '../../audit-log/record-act.ts'
import { findHolders, findSoleHolder } from '../../people/find-persons.ts'
import type { Db, Sql, Tx } from '../../platform/postgres/database.ts'
import type { Actor } from '../../values/actor.ts'
import { endAlone } from './end-alone.ts'
import * as store from './store.ts'

/**
 * The outcome of a change to a merchant's terms. Refusals:
 * - `not_alone`: nobody or several people may approve payouts of this merchant.
 * - `already_open`: the merchant has terms already.
 * - `nothing_to_confirm`: there is no proposal.
 * - `another_person`: the person of the proposal is no longer the only one.
 * - `same_person`: the staff member who proposed the terms cannot confirm them, nor whoever let them in within 90 days.
 */
export type SinglePersonChanged =
  | { kind: 'changed' }
  | { kind: 'refused'; code: 'not_alone' | 'already_open' | 'nothing_to_confirm' | 'another_person' | 'same_person' }

/**
 * The reason why terms no longer hold. Null while their person is the only one who may approve, and their account was
 * not reset since the proposal: after a reset, somebody else may use the account.
 */
export async function whyTermsEnd(
  db: Db,
  { merchant_id, person, proposed_at }: Pick<store.SinglePersonTerms, 'merchant_id' | 'person' | 'proposed_at'>,
): Promise<'not_alone' | 'right_lost' | null> {
  const sole = await findSoleHolder(db, merchant_id, 'payouts.approve')
  if (sole !== null) return sole.person === person && sole.since <= proposed_at ? null : 'right_lost'
  return (await findHolders(db, merchant_id, 'payouts.approve')).includes(person) ? 'not_alone' : 'right_lost'
}

/**
 * Proposes that the only person of a merchant decides alone. A second staff member has to confirm it. Refused when nobody
 * or several people may approve, and when the merchant has terms already.
 * @param reason one line of 1 to 500 characters, stored with the terms and not in the audit log
 */
export function proposeSinglePerson(
  sql: Sql,
  { merchant_id, reason }: { merchant_id: number; reason: string },
  by: Actor,
): Promise<SinglePersonChanged> {
  return sql.begin(async (tx): Promise<SinglePersonChanged> => {
    const sole = await findSoleHolder(tx, merchant_id, 'payouts.approve')
    if (sole === null) return refused('not_alone')
    const { person } = sole
    if (!(await store.insertTerms(tx, { merchant_id, person, proposed_by: by.person, reason })))
      return refused('already_open')
    record(tx, merchant_id, by, 'merchant.propose_single_person', { in_force: false, person })
    return { kind: 'changed' }
  })
}

/** Puts the terms in force, for a second staff member. */
export function confirmSinglePerson(sql: Sql, merchant_id: number, by: Actor): Promise<SinglePersonChanged> {
  return sql.begin(async (tx): Promise<SinglePersonChanged> => {
    const terms = await store.lockTerms(tx, merchant_id)
    if (terms === null || terms.confirmed_at !== null) return refused('nothing_to_confirm')
    if (!(await maySecond(tx, [terms.proposed_by], by.person))) return refused('same_person')
    if ((await whyTermsEnd(tx, terms)) !== null) return refused('another_person')
    await store.confirmTerms(tx, merchant_id, by.person)
    const { person, proposed_by } = terms
    record(tx, merchant_id, by, 'merchant.confirm_single_person', { in_force: true, person, proposed_by })
    return { kind: 'changed' }
  })
}

/** Ends a merchant's terms or their proposal, for one staff member or the service, with all approvals that wait under them. */
export async function endSinglePerson(
  sql: Sql,
  merchant_id: number,
  by: Actor,
  why: 'leave_ended' | 'not_alone' | 'right_lost' = 'leave_ended',
): Promise<void> {
  await sql.begin(async (tx) => {
    // Locks the approvals before the terms, as `lockSoloApproval` does.
    await store.lockSoloApprovals(tx, merchant_id)
    const terms = await store.lockTerms(tx, merchant_id)
    if (terms === null) return
    await store.endTerms(tx, merchant_id, by.person)
    record(tx, merchant_id, by, 'merchant.end_single_person', { in_force: false })
    for (const approval of await store.readAllSoloApprovals(tx, merchant_id)) await endAlone(tx, approval, why, by)
  })
}

function record(
  tx: Tx,
  merchant_id: number,
  actor: Actor,
  act: Extract<ActName, `merchant.${string}`>,
  after: object,
): void {
  recordAct(tx, { merchant_id, livemode: null }, { actor, act, after })
}

function refused(code: Extract<SinglePersonChanged, { kind: 'refused' }>['code']): SinglePersonChanged {
  return { kind: 'refused', code }
}
