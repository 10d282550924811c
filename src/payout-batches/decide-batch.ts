import { madeKeyOf } from '../api-keys/find-keys.ts'
import { recordAct } from '../audit-log/record-act.ts'
import { ownApproval, type WaitsForSecond } from '../payouts/alone/approve-alone.ts'
import { endAlone } from '../payouts/alone/end-alone.ts'
import { releaseUsage } from '../payouts/move-payout.ts'
import { lockTransfer } from '../payouts/spending-limits.ts'
import type { Clock } from '../platform/clock.ts'
import { applyEffects, defineEffect } from '../platform/commands/effects.ts'
import type { Transitioned } from '../platform/commands/transitions.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'
import { type Actor, SCHEDULE } from '../values/actor.ts'
import { type Tenant, tenantOf } from '../values/caller.ts'
import { isIndependentApprover } from '../values/independent-approver.ts'
import { type BatchRow, type PayoutBatch, viewBatch } from './batch.ts'
import { transitionBatch } from './move-batch.ts'
import * as store from './store.ts'

type Dependencies = { sql: Sql; clock: Clock }

export type CancelBatchResult =
  | { kind: 'cancelled'; batch: PayoutBatch }
  /** Unknown, somebody else's, or past cancelling: one answer for all (interface). */
  | { kind: 'refused'; code: 'batch_not_cancellable' }

/**
 * Cancels a batch that has sent nothing. Of a cancellation and an execution at once one wins.
 * @param actor the person, for the audit log; absent: an API key
 */
export async function cancelBatch(
  { sql, clock }: Dependencies,
  caller: Tenant,
  batch_id: string,
  actor?: Actor,
): Promise<CancelBatchResult> {
  const key = { ...tenantOf(caller), batch_id }
  return sql.begin(async (tx): Promise<CancelBatchResult> => {
    const [batch] = await store.lockBatches(tx, [key])
    const now = clock.now()
    const cancelled = batch && annulBatch(batch, { trigger: 'cancelled' }, now)
    if (!cancelled) return { kind: 'refused', code: 'batch_not_cancellable' }
    await lockTransfer(tx, key)
    await applyEffects(tx, cancelled.effects, now)
    await endAlone(tx, soloKeyOf(batch), 'cancelled', actor ?? SCHEDULE)
    if (actor !== undefined) {
      const change = {
        before: { status: batch.status },
        after: { status: cancelled.row.status, amount: batch.total_amount },
      }
      recordAct(tx, key, { actor, act: 'payout_batch.cancel', subject: batch_id, ...change })
    }
    return { kind: 'cancelled', batch: viewBatch(cancelled.row, await store.readLines(tx, key)) }
  })
}

export type DecideBatchResult =
  | { kind: 'decided'; status: BatchRow['status'] }
  | { kind: 'refused'; code: 'resource_not_found' | 'already_decided' | 'same_person' }

/**
 * Lets a batch above the cap be executed. A person decides, and neither the one who made it nor the one who made its key, unless their
 * approval alone has waited for its day.
 */
export function approveBatch(deps: Dependencies, batch_id: string, decided_by: Actor): Promise<DecideBatchResult> {
  return decide(deps, batch_id, { trigger: 'approved', decided_by: decided_by.person }, decided_by)
}

/** Refuses a batch above the cap. @param decline_reason words for its maker, 1 to 500 characters; null: none */
export function refuseBatch(
  deps: Dependencies,
  batch_id: string,
  decided_by: Actor,
  decline_reason: string | null = null,
): Promise<DecideBatchResult> {
  return decide(deps, batch_id, { trigger: 'refused', decided_by: decided_by.person, decline_reason }, decided_by)
}

type PersonsDecision = { trigger: 'approved' | 'refused'; decided_by: string; decline_reason?: string | null }

async function decide(
  { sql, clock }: Dependencies,
  batch_id: string,
  decision: PersonsDecision,
  decided_by: Actor,
): Promise<DecideBatchResult> {
  const key = await store.findBatch(sql, batch_id)
  if (key === null) return { kind: 'refused', code: 'resource_not_found' }
  return sql.begin(async (tx): Promise<DecideBatchResult> => {
    const [batch] = await store.lockBatches(tx, [key])
    const now = clock.now()
    const own = ownApproval(soloKeyOf(batch!), decided_by.person)
    const ofMakersSide = await isOfMakersSide(tx, batch!, decided_by.person)
    const alone = ofMakersSide && decision.trigger === 'approved' && (await own.lock(tx))
    const decided = decideBatch(batch!, decision, now, ofMakersSide && !alone)
    if (decided.kind === 'refused') return decided
    if (decision.trigger === 'refused') await lockTransfer(tx, key)
    await applyEffects(tx, decided.effects, now)
    if (alone) await own.end(tx)
    else await endAlone(tx, soloKeyOf(batch!), decision.trigger === 'approved' ? 'decided' : 'rejected', decided_by)
    const { status, decline_reason } = decided.row
    const act = decision.trigger === 'approved' ? 'payout_batch.approve' : 'payout_batch.reject'
    const change = {
      before: { status: batch!.status },
      after: { status, amount: batch!.total_amount, ...(decline_reason !== null && { decline_reason }) },
    }
    recordAct(tx, key, { actor: decided_by, act, subject: batch_id, ...change })
    return { kind: 'decided', status }
  })
}

/** Whether a person made a batch, or the key that did. */
async function isOfMakersSide(tx: Tx, { made_by, ...batch }: BatchRow, person: string): Promise<boolean> {
  return !isIndependentApprover(made_by, person) || (await madeKeyOf(tx, batch, made_by, person))
}

/** The key of the approval that the only person of a merchant gave to a batch. */
function soloKeyOf({ id: subject_id, ...batch }: BatchRow) {
  return { ...tenantOf(batch), subject_id }
}

/** A batch above the cap that a person made, or a key of theirs, waits for a second one. It does not expire. */
export const batchWaits: WaitsForSecond = async (tx, key, person) => {
  const [batch] = await store.lockBatches(tx, [{ ...tenantOf(key), batch_id: key.subject_id }])
  const waits = batch?.status === 'en_attente_validation' && (await isOfMakersSide(tx, batch, person))
  return waits ? 'waits' : 'not_waiting'
}

/**
 * A person's decision on a locked batch, and its effects. Refusals in their order: the maker's side, one that does not wait. Pure.
 * @param is_excluded the person is of the maker's side, and does not decide alone either
 */
export function decideBatch(
  batch: store.LockedBatch,
  decision: PersonsDecision,
  now: Date,
  is_excluded: boolean,
):
  | ({ kind: 'decided' } & Transitioned<store.LockedBatch>)
  | { kind: 'refused'; code: 'same_person' | 'already_decided' } {
  const { trigger, decided_by, decline_reason } = decision
  const waits = batch.status === 'en_attente_validation'
  if (waits && is_excluded) return { kind: 'refused', code: 'same_person' }
  const moved =
    trigger === 'refused'
      ? annulBatch(batch, { trigger, decided_by, decline_reason: decline_reason ?? null }, now)
      : transitionBatch(batch, { trigger, decided_by }, now)
  return moved === null ? { kind: 'refused', code: 'already_decided' } : { kind: 'decided', ...moved }
}

const cancelLines = defineEffect('batch line', store.cancelLines)

/**
 * Ends a locked batch that has sent nothing: its lines are cancelled and it no longer counts towards the 24 hours. Null: it has, or has
 * ended. Pure; its effects are to be applied with the account `transfer` locked.
 */
export function annulBatch(
  batch: store.LockedBatch,
  trigger: { trigger: 'cancelled' | 'refused'; decided_by?: string; decline_reason?: string | null },
  now: Date,
): Transitioned<store.LockedBatch> | null {
  const moved = transitionBatch(batch, trigger, now)
  if (moved === null) return null
  const usage = { ...tenantOf(batch), subject_id: batch.id, amount: batch.total_amount }
  return { row: moved.row, effects: [cancelLines(store.keyOf(batch)), ...moved.effects, releaseUsage(usage)] }
}
