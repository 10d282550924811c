import type { OwnApproval } from '../../api-keys/change-key.ts'
import { findKeyOf, keyStatus, madeKeyOf } from '../../api-keys/find-keys.ts'
import { recordAct } from '../../audit-log/record-act.ts'
import { notify } from '../../people/notices/notify.ts'
import type { Db, Sql, Tx } from '../../platform/postgres/database.ts'
import { type Actor, SCHEDULE } from '../../values/actor.ts'
import { tenantOf } from '../../values/caller.ts'
import { readRequestToDecide } from '../approval-store.ts'
import { lockRequest } from '../request-store.ts'
import { whyTermsEnd } from './allow-single-person.ts'
import { endAlone, nounOf } from './end-alone.ts'
import * as store from './store.ts'

/** Hours between the approval of the only person and its effect, in which they and the staff can stop it. */
export const ALONE_HOURS = 24

export type ApprovedAlone =
  | { kind: 'approved'; approval: store.SoloApproval }
  | {
      kind: 'refused'
      /**
       * `not_allowed`: the staff do not allow it here. `not_alone`: another person may decide, or the staff allowed it to another. `not_waiting`: it waits for no approval of
       * this person; one who is not of the maker's side approves as everywhere. `expires_first`: the request expires before the approval
       * would take effect. `step_up_missing`: no fresh factor.
       */
      code: 'not_allowed' | 'not_alone' | 'not_waiting' | 'expires_first' | 'step_up_missing'
    }

/** Whether this person may decide alone at a merchant: the staff allow it to them, and nobody else has the right. */
export async function mayDecideAlone(
  db: Db,
  merchant_id: number,
  person: string,
): Promise<'not_allowed' | 'not_alone' | null> {
  const terms = await store.readTerms(db, merchant_id)
  if (terms === null || terms.confirmed_at === null) return 'not_allowed'
  return terms.person === person && (await whyTermsEnd(db, terms)) === null ? null : 'not_alone'
}

/** Whether something that a person made waits for a second one, and long enough. It is locked, so that nothing decides it meanwhile. */
export type WaitsForSecond = (
  tx: Tx,
  key: store.SoloKey,
  person: string,
) => Promise<'waits' | 'not_waiting' | 'expires_first'>

/**
 * Keeps the agreement of a merchant's only person to what they made themselves: a payout request of their key, a batch, or a key that sends
 * money. It takes effect in 24 hours (`carryOutAlone`), and what it is about stays as it is until then. The same again is the one that waits.
 * @param waitsForSecond of what it is about
 */
export function approveAlone(
  sql: Sql,
  key: store.SoloKey,
  by: Actor,
  waitsForSecond: WaitsForSecond,
): Promise<ApprovedAlone> {
  return sql.begin(async (tx): Promise<ApprovedAlone> => {
    const { step_up_id } = by
    if (step_up_id === null) return { kind: 'refused', code: 'step_up_missing' }
    // It and the terms are locked in the order of those who decide: no approval is left behind the end of either.
    const stands = await waitsForSecond(tx, key, by.person)
    await store.lockTerms(tx, key.merchant_id)
    const why = await mayDecideAlone(tx, key.merchant_id, by.person)
    if (why !== null) return { kind: 'refused', code: why }
    const known = await store.readSoloApproval(tx, key)
    if (stands === 'not_waiting' || (stands === 'expires_first' && known === null))
      return { kind: 'refused', code: stands }
    if (known !== null) return { kind: 'approved', approval: known }
    const new_one = { ...key, approved_by: by.person, step_up_id, from_address: by.from, hours: ALONE_HOURS }
    await store.insertSoloApproval(tx, new_one)
    const approval = (await store.readSoloApproval(tx, key))!
    const after = { takes_effect_at: approval.takes_effect_at.toISOString() }
    recordAct(tx, tenantOf(key), { actor: by, act: `${nounOf(key)}.approve_alone`, subject: key.subject_id, after })
    notify(tx, { name: 'approved_alone', about: tenantOf(key), subject: key.subject_id, to: [by.person] })
    return { kind: 'approved', approval }
  })
}

/** A person's own approval for the transaction that carries it out, after its other locks: what is stopped has not left, and never leaves. */
export function ownApproval(key: store.SoloKey, person: string): OwnApproval {
  return {
    lock: async (tx) =>
      (await store.lockSoloApproval(tx, key, person)) && (await mayDecideAlone(tx, key.merchant_id, person)) === null,
    end: async (tx) => void (await endAlone(tx, key, 'carried_out', SCHEDULE)),
  }
}

/** `took_effect`: too late, what was approved is done. `nothing_waits`: it has ended otherwise, or there was none. */
export type StoppedAlone = { kind: 'stopped' } | { kind: 'refused'; code: 'took_effect' | 'nothing_waits' }

/** Stops an approval before its effect: by the person who gave it, or by the staff. */
export function stopAlone(sql: Sql, key: store.SoloKey, by: Actor): Promise<StoppedAlone> {
  return sql.begin(async (tx): Promise<StoppedAlone> => {
    if (await endAlone(tx, key, 'stopped', by)) return { kind: 'stopped' }
    const [last] = await store.readLastApprovals(tx, key, [key.subject_id])
    return { kind: 'refused', code: last?.outcome === 'carried_out' ? 'took_effect' : 'nothing_waits' }
  })
}

/** Whether a request expires before an approval that its maker gave now would take effect. */
export async function expiresFirst(db: Db, { expires_at }: { expires_at: Date }): Promise<boolean> {
  return !(await store.outlasts(db, expires_at, ALONE_HOURS))
}

/** A payout request of a key that the person made. */
export const requestWaits: WaitsForSecond = async (tx, key, person) => {
  const request_key = { ...tenantOf(key), request_id: key.subject_id }
  await lockRequest(tx, request_key)
  const request = await readRequestToDecide(tx, request_key)
  if (request === null || request.status !== 'pending_approval' || request.is_over) return 'not_waiting'
  if (!(await madeKeyOf(tx, key, request.made_by, person))) return 'not_waiting'
  return (await expiresFirst(tx, request)) ? 'expires_first' : 'waits'
}

/** A key that the person made, and that sends money once it is confirmed. */
export const keyWaits: WaitsForSecond = async (tx, key, person) => {
  const made = await findKeyOf(tx, key, key.subject_id)
  const waits = made !== null && keyStatus(made) === 'to_confirm' && made.created_by === person
  return waits ? 'waits' : 'not_waiting'
}
