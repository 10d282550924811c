import { maySecond } from '../../acts/second-person.ts'
import type { OwnApproval } from '../../api-keys/confirm-key.ts'
import { findKeyOf, keyStatus } from '../../api-keys/find-keys.ts'
import { recordAct } from '../../audit-log/record-act.ts'
import { notify } from '../../people/notices/notify.ts'
import type { Db, Sql, Tx } from '../../platform/postgres/database.ts'
import { type Actor, SCHEDULE } from '../../values/actor.ts'
import { tenantOf } from '../../values/caller.ts'
import { readRequestToDecide } from '../approval-store.ts'
import { isOfMakersSide } from '../makers-side.ts'
import { lockRequest } from '../request-store.ts'
import { whyTermsEnd } from './allow-single-person.ts'
import { endAlone, nounOf } from './end-alone.ts'
import * as store from './store.ts'

/** Hours between the approval and its effect. Until then the person and the staff can stop it. */
export const ALONE_HOURS = 24

export type ApprovedAlone =
  | { kind: 'approved'; approval: store.SoloApproval }
  | {
      kind: 'refused'
      /**
       * - `not_allowed`: the merchant has no confirmed terms.
       * - `not_alone`: another person may approve too, or the terms name another person.
       * - `not_waiting`: the subject does not wait, or this person did not make it (and approves it the ordinary way).
       * - `expires_first`: the request expires before the approval would take effect.
       * - `step_up_missing`: the person gave no fresh factor.
       */
      code: 'not_allowed' | 'not_alone' | 'not_waiting' | 'expires_first' | 'step_up_missing'
    }

/** Null when this person may decide alone at a merchant: the terms name them, and nobody else may approve. Otherwise the refusal. */
export async function mayDecideAlone(
  db: Db,
  merchant_id: number,
  person: string,
): Promise<'not_allowed' | 'not_alone' | null> {
  const terms = await store.readTerms(db, merchant_id)
  if (terms === null || terms.confirmed_at === null) return 'not_allowed'
  return terms.person === person && (await whyTermsEnd(db, terms)) === null ? null : 'not_alone'
}

/**
 * Locks a subject until the transaction ends, so that nobody decides it meanwhile. Returns whether this person made it,
 * whether it waits for a second person, and whether it waits long enough.
 */
export type WaitsForSecond = (
  tx: Tx,
  key: store.SoloKey,
  person: string,
) => Promise<'waits' | 'not_waiting' | 'expires_first'>

/**
 * Records the approval by a merchant's only person of something that they made themselves: a payout request of their
 * key, a batch, or a payout key. The approval takes effect in `ALONE_HOURS` (`carryOutAlone`), and its subject does not
 * change before. A repeated call answers the approval that waits. A refused call writes nothing.
 * @param waitsForSecond the check for this kind of subject
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
    // Locks the subject before the terms, as a decision does. Otherwise an approval could outlive its subject or the terms.
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

/** The approval as the transaction that carries it out uses it. `lock` comes after its other locks, and is false for a stopped approval. */
export function ownApproval(key: store.SoloKey, person: string): OwnApproval {
  return {
    lock: async (tx) =>
      (await store.lockSoloApproval(tx, key, person)) && (await mayDecideAlone(tx, key.merchant_id, person)) === null,
    end: async (tx) => void (await endAlone(tx, key, 'carried_out', SCHEDULE)),
  }
}

/** `took_effect`: the approval was already carried out. `nothing_waits`: it ended otherwise, or there was none. */
export type StoppedAlone = { kind: 'stopped' } | { kind: 'refused'; code: 'took_effect' | 'nothing_waits' }

/** Stops an approval before its effect, for the person who gave it or for the staff. */
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

/** The check for a payout request: this person is on the side of its maker. */
export const requestWaits: WaitsForSecond = async (tx, key, person) => {
  const request_key = { ...tenantOf(key), request_id: key.subject_id }
  await lockRequest(tx, request_key)
  const request = await readRequestToDecide(tx, request_key)
  if (request === null || request.status !== 'pending_approval' || request.is_over) return 'not_waiting'
  if (!(await isOfMakersSide(tx, key, request.made_by, person))) return 'not_waiting'
  return (await expiresFirst(tx, request)) ? 'expires_first' : 'waits'
}

/** The check for a payout key: this person made or widened it, or let somebody in who did, and it waits for a second person to confirm it. */
export const keyWaits: WaitsForSecond = async (tx, key, person) => {
  const made = await findKeyOf(tx, key, key.subject_id)
  if (made === null || keyStatus(made) !== 'to_confirm') return 'not_waiting'
  return (await maySecond(tx, [made.created_by, made.widened_by], person)) ? 'not_waiting' : 'waits'
}
