import type { OwnApproval } from '../../api-keys/change-key.ts'
import { findKeyOf, keyStatus, madeKeyOf } from '../../api-keys/find-keys.ts'
import { recordAct } from '../../audit-log/record-act.ts'
import { notify } from '../../people/notices/notify.ts'
import type { Db, Sql, Tx } from '../../platform/postgres/database.ts'
import { type Actor, SYSTEM } from '../../values/actor.ts'
import { tenantOf } from '../../values/caller.ts'
import { readRequestToDecide } from '../approval-store.ts'
import { termsHold } from './allow-single-person.ts'
import * as store from './store.ts'

/** Hours between the approval of the only person and its effect, in which they and the team can stop it. */
export const ALONE_HOURS = 24

export type ApprovedAlone =
  | { kind: 'approved'; approval: store.SoloApproval }
  | {
      kind: 'refused'
      /**
       * `not_allowed`: the team does not allow it here. `not_alone`: another person may decide, or it was another whom the team allowed. `not_waiting`: it waits for no approval of
       * this person; one who is not of the maker's side approves as everywhere. `step_up_missing`: no fresh factor.
       */
      code: 'not_allowed' | 'not_alone' | 'not_waiting' | 'step_up_missing'
    }

/** Whether this person may decide alone at a merchant: the team allows it to them, and nobody else has the right. */
export async function mayDecideAlone(
  db: Db,
  merchant_id: number,
  person: string,
): Promise<'not_allowed' | 'not_alone' | null> {
  const terms = await store.readTerms(db, merchant_id)
  if (terms === null || terms.confirmed_at === null) return 'not_allowed'
  return terms.person === person && (await termsHold(db, terms)) ? null : 'not_alone'
}

/**
 * Keeps the agreement of a merchant's only person to what they made themselves: a payout request of their key, or a key that sends money.
 * It takes effect in 24 hours (`carryOutAlone`), and what it is about stays as it is until then. The same again is the one that waits.
 */
export function approveAlone(sql: Sql, key: store.SoloKey, by: Actor): Promise<ApprovedAlone> {
  return sql.begin(async (tx): Promise<ApprovedAlone> => {
    const { step_up_id } = by
    if (step_up_id === null) return { kind: 'refused', code: 'step_up_missing' }
    const why = await mayDecideAlone(tx, key.merchant_id, by.person)
    if (why !== null) return { kind: 'refused', code: why }
    if (!(await waitsForMaker(tx, key, by.person))) return { kind: 'refused', code: 'not_waiting' }
    const known = await store.readSoloApproval(tx, key)
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
    end: async (tx) => void (await store.endSoloApproval(tx, key, 'carried_out', SYSTEM.person)),
  }
}

/** `took_effect`: too late, what was approved is done. `nothing_waits`: it has ended otherwise, or there was none. */
export type StoppedAlone = { kind: 'stopped' } | { kind: 'refused'; code: 'took_effect' | 'nothing_waits' }

/** Stops an approval before its effect: by the person who gave it, or by the team. */
export function stopAlone(sql: Sql, key: store.SoloKey, by: Actor): Promise<StoppedAlone> {
  return sql.begin(async (tx): Promise<StoppedAlone> => {
    if (await store.endSoloApproval(tx, key, 'stopped', by.person)) {
      recordAct(tx, tenantOf(key), { actor: by, act: `${nounOf(key)}.stop_alone`, subject: key.subject_id })
      return { kind: 'stopped' }
    }
    const took_effect = (await store.readLastOutcome(tx, key)) === 'carried_out'
    return { kind: 'refused', code: took_effect ? 'took_effect' : 'nothing_waits' }
  })
}

export function isRequest({ subject_id }: store.SoloKey): boolean {
  return subject_id.startsWith('por_')
}

function nounOf(key: store.SoloKey): 'payout_request' | 'key' {
  return isRequest(key) ? 'payout_request' : 'key'
}

/** Whether this waits for a second person who is not this one. */
async function waitsForMaker(tx: Tx, key: store.SoloKey, person: string): Promise<boolean> {
  if (isRequest(key)) {
    const request = await readRequestToDecide(tx, { ...tenantOf(key), request_id: key.subject_id })
    if (request === null || request.status !== 'pending_approval' || request.is_over) return false
    return madeKeyOf(tx, key, request.made_by, person)
  }
  const made = await findKeyOf(tx, key, key.subject_id)
  return made !== null && keyStatus(made) === 'to_confirm' && made.created_by === person
}
