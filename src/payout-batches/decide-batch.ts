import { recordAct } from '../audit-log/record-act.ts'
import { ownApproval, type WaitsForSecond } from '../payouts/alone/approve-alone.ts'
import { endAlone } from '../payouts/alone/end-alone.ts'
import { isOfMakersSide } from '../payouts/makers-side.ts'
import { releaseUsage } from '../payouts/move-payout.ts'
import { lockTransfer } from '../payouts/spending-limits.ts'
import type { Clock } from '../platform/clock.ts'
import { applyEffects, defineEffect } from '../platform/commands/effects.ts'
import type { Transitioned } from '../platform/commands/transitions.ts'
import type { Sql } from '../platform/postgres/database.ts'
import { type Actor, SCHEDULE } from '../values/actor.ts'
import { type Tenant, tenantOf } from '../values/caller.ts'
import { type BatchRow, type PayoutBatch, viewBatch } from './batch.ts'
import { transitionBatch } from './move-batch.ts'
import * as store from './store.ts'

type Dependencies = { sql: Sql; clock: Clock }

export type CancelBatchResult =
  | { kind: 'cancelled'; batch: PayoutBatch }
  /** One answer for an unknown batch, another merchant's, and one that can no longer be cancelled (interface). */
  | { kind: 'refused'; code: 'batch_not_cancellable' }

/**
 * Cancels a batch that has sent nothing. Of a simultaneous cancellation and execution only one succeeds.
 * @param actor the person, for the audit log; absent: an API key acts
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
 * Approves a batch above the cap, so that it can be executed. The person must not be on its maker's side (`isOfMakersSide`), unless their
 * own approval has waited for its day. Refusals, in order of precedence: an unknown batch, the maker's side, a batch that does not wait.
 */
export function approveBatch(deps: Dependencies, batch_id: string, decided_by: Actor): Promise<DecideBatchResult> {
  return decide(deps, batch_id, { trigger: 'approved', decided_by: decided_by.person }, decided_by)
}

/** Refuses a batch above the cap, with the refusals of `approveBatch`. @param decline_reason for its maker, 1 to 500 characters; null: none */
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
    const ofMakersSide = await isOfMakersSide(tx, key, batch!.made_by, decided_by.person)
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

/** Returns the key of the approval by a merchant's only person for a batch. */
function soloKeyOf({ id: subject_id, ...batch }: BatchRow) {
  return { ...tenantOf(batch), subject_id }
}

/** Whether a batch above the cap, made by a person or by a key of theirs, waits for a second person. It does not expire. */
export const batchWaits: WaitsForSecond = async (tx, key, person) => {
  const [batch] = await store.lockBatches(tx, [{ ...tenantOf(key), batch_id: key.subject_id }])
  const waits = batch?.status === 'en_attente_validation' && (await isOfMakersSide(tx, key, batch.made_by, person))
  return waits ? 'waits' : 'not_waiting'
}

/**
 * Decides a locked batch, and returns the effects. Refusals, in order of precedence: the maker's side, a batch that does not wait. Pure.
 * @param is_excluded whether the person is on the maker's side and may not decide alone
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
 * Ends a locked batch that has sent nothing: cancels its lines and releases its usage of the 24 hours. Null when it has sent something or
 * has ended. Pure. The caller applies the effects with the account `transfer` locked.
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
