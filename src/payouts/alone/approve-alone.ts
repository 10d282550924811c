import { maySecond } from '../../acts/second-person.ts'
import type { OwnApproval } from '../../api-keys/confirm-key.ts'
import { findKeyOf } from '../../api-keys/find-keys.ts'
import { keyStatus } from '../../api-keys/states.ts'
import type { Db, Tx } from '../../platform/postgres/database.ts'
import { SCHEDULE } from '../../values/actor.ts'
import { tenantOf } from '../../values/caller.ts'
import { readRequestToDecide } from '../approval-store.ts'
import { isOfMakersSide } from '../makers-side.ts'
import { lockRequest } from '../request-store.ts'
import { whyTermsEnd } from './allow-single-person.ts'
import { endAlone } from './end-alone.ts'
import * as store from './store.ts'

/** Hours between the approval and its effect. Until then the person and the staff can stop it. */
export const ALONE_HOURS = 24

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

/** The approval as the transaction that carries it out uses it. `lock` comes after its other locks, and is false for a stopped approval. */
export function ownApproval(key: store.SoloKey, person: string): OwnApproval {
  return {
    lock: async (tx) =>
      (await store.lockSoloApproval(tx, key, person)) && (await mayDecideAlone(tx, key.merchant_id, person)) === null,
    end: async (tx) => void (await endAlone(tx, key, 'carried_out', SCHEDULE)),
  }
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
