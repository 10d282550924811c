import { type ActCall, defineAct, isWithin, refuse, row } from '../acts/act.ts'
import { ownApproval, type WaitsForSecond } from '../payouts/alone/approve-alone.ts'
import { endApprovalAlone } from '../payouts/alone/end-alone.ts'
import { type ApprovalDeps, approvalFacts, approvalRefusals, declineReason } from '../payouts/approval-facts.ts'
import { isOfMakersSide } from '../payouts/makers-side.ts'
import { releaseUsage } from '../payouts/move-payout.ts'
import { lockTransfer, uncheckedBar } from '../payouts/spending-limits.ts'
import type { Clock } from '../platform/clock.ts'
import { applyEffects, defineEffect } from '../platform/commands/effects.ts'
import type { Transitioned } from '../platform/commands/transitions.ts'
import { writeAmount } from '../platform/http/pages/write-values.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'
import { SCHEDULE } from '../values/actor.ts'
import { type Tenant, tenantOf } from '../values/caller.ts'
import { type BatchRow, type PayoutBatch, viewBatch } from './batch.ts'
import { tellOfApproval, transitionBatch } from './move-batch.ts'
import * as store from './store.ts'

type Dependencies = { sql: Sql; clock: Clock }

export type CancelBatchResult =
  | { kind: 'cancelled'; batch: PayoutBatch }
  /** One answer for an unknown batch, another merchant's, and one that can no longer be cancelled (interface). */
  | { kind: 'refused'; code: 'batch_not_cancellable' }

/** Cancels a batch that has sent nothing, for a key. Of a simultaneous cancellation and execution only one succeeds. */
export async function cancelBatch(
  { sql, clock }: Dependencies,
  caller: Tenant,
  batch_id: string,
): Promise<CancelBatchResult> {
  const key = { ...tenantOf(caller), batch_id }
  return sql.begin(async (tx): Promise<CancelBatchResult> => {
    const [batch] = await store.lockBatches(tx, [key])
    const now = clock.now()
    const cancelled = batch && annulBatch(batch, { trigger: 'cancelled' }, now)
    if (!cancelled) return { kind: 'refused', code: 'batch_not_cancellable' }
    await lockTransfer(tx, key)
    const ended = endApprovalAlone({ key: soloKeyOf(batch), outcome: 'cancelled', by: SCHEDULE })
    await applyEffects(tx, [...cancelled.effects, ended], now)
    return { kind: 'cancelled', batch: viewBatch(cancelled.row, await store.readLines(tx, key)) }
  })
}

export const onBatch = row('pob', 'batch')

/** Cancels a batch that has sent nothing, for a person. A batch that is cancelled already stays so. */
export const cancelByPerson = defineAct({
  name: 'payout_batch.cancel',
  summary: 'Cancel a batch that has sent nothing',
  title: ['Annuler ce lot', 'Cancel this batch'],
  right: 'payouts.make',
  fresh: false,
  on: onBatch,
  fields: {},
  async load(tx, { id, within }) {
    const about = await store.findBatch(tx, id)
    if (about === null || !isWithin(about, within)) return null
    const [batch] = await store.lockBatches(tx, [about])
    await lockTransfer(tx, about)
    return { about, batch: batch! }
  },
  facts: {},
  content: () => ({}),
  decide({ by, id }, { batch }, now) {
    if (batch.status === 'annule') return { kind: 'unchanged', result: { batch_id: id, status: batch.status } }
    const cancelled = annulBatch(batch, { trigger: 'cancelled' }, now)
    if (cancelled === null) return refuse('batch_not_cancellable')
    const { status } = cancelled.row
    return {
      kind: 'accepted',
      effects: [...cancelled.effects, endApprovalAlone({ key: soloKeyOf(batch), outcome: 'cancelled', by })],
      result: { batch_id: id, status },
      before: { status: batch.status },
      after: { status, amount: batch.total_amount },
    }
  },
  unknown: 'There is no such batch.',
  refusals: {
    batch_not_cancellable: [
      'Il est déjà lancé : ce qui est parti ne revient pas.',
      'It is sent already: money that has left does not come back.',
    ],
  },
})

/** The values that a person reads before they decide. */
export function batchContent({
  batch,
  fee_amount,
  operators_said,
}: Pick<Has, 'batch' | 'fee_amount' | 'operators_said'>) {
  const { total_amount: amount, line_count: lines, reference, made_by: requested_by } = batch
  const nothing = { recipient: null, decline_reason: null }
  const money = { fee_amount, taken: amount + fee_amount, operators_said }
  return { ...nothing, amount, lines, reference, requested_by, ...money }
}

const common = {
  right: 'payouts.approve',
  fresh: true,
  on: onBatch,
  facts: approvalFacts,
  content: (has: Has) => batchContent(has),
  unknown: 'There is no such batch.',
} as const

type Has = {
  readonly about: store.BatchKey
  readonly batch: store.LockedBatch
  readonly fee_amount: number
  readonly operators_said: object
  readonly isMakers: boolean
  readonly isOwn: boolean
  /** The limit of an unchecked merchant in francs, if the batch is above it. */
  readonly bar: number | null
}

async function load(
  tx: Tx,
  { id, within, by }: ActCall<typeof onBatch>,
  wanted: 'approve' | 'reject',
  { operators_said = {}, payoutCaps }: Partial<ApprovalDeps>,
): Promise<Has | null> {
  const about = await store.findBatch(tx, id)
  if (about === null || !isWithin(about, within)) return null
  const [batch] = await store.lockBatches(tx, [about])
  // A rejected batch gives its usage back, and an approved one must fit the day of an unchecked merchant.
  await lockTransfer(tx, about)
  const fee_amount = await store.readFees(tx, about)
  const isMakers = await isOfMakersSide(tx, about, batch!.made_by, by.person)
  const isOwn = wanted === 'approve' && isMakers && (await ownApproval(soloKeyOf(batch!), by.person).lock(tx))
  const usage = { ...tenantOf(about), subject_id: batch!.id, amount: batch!.total_amount }
  const bar = payoutCaps === undefined ? null : await uncheckedBar(tx, usage, payoutCaps)
  return { about, batch: batch!, fee_amount, operators_said, isMakers, isOwn, bar }
}

/** The decision on a batch, with its line. */
function judge(
  { by, id }: Pick<ActCall<typeof onBatch>, 'by' | 'id'>,
  has: Has,
  decision: Omit<PersonsDecision, 'decided_by'>,
  now: Date,
) {
  const { batch, isMakers, isOwn } = has
  const decided = decideBatch(batch, { ...decision, decided_by: by.person }, now, isMakers && !isOwn)
  if (decided.kind === 'refused') return refuse(decided.code)
  if (has.bar !== null) return refuse('unchecked', { max: writeAmount(has.bar) })
  const approved = decision.trigger === 'approved'
  const ended = isOwn
    ? ({ outcome: 'carried_out', by: SCHEDULE } as const)
    : ({ outcome: approved ? 'decided' : 'rejected', by } as const)
  const { status, decline_reason } = decided.row
  const reason = decline_reason === null ? {} : { decline_reason }
  return {
    kind: 'accepted',
    effects: [...decided.effects, endApprovalAlone({ key: soloKeyOf(batch), ...ended })],
    result: { batch_id: id, status },
    before: { status: batch.status },
    after: { status, amount: batch.total_amount, ...reason },
  } as const
}

const refusals = {
  ...approvalRefusals,
  already_decided: {
    words: ['La demande n’est plus comme avant. Relisez-la.', 'The request has changed. Read it again.'],
    command: 'This batch does not wait for approval.',
  },
} as const

/**
 * Approves a batch above the cap, so that it can be executed. The person must not be on its maker's side (`isOfMakersSide`), unless their
 * own approval has waited for its day. Refusals, in order of precedence: the maker's side, a batch that does not wait, the limit
 * of an unchecked merchant.
 */
export const approveBatch = defineAct({
  ...common,
  name: 'payout_batch.approve',
  summary: 'Approve a batch above the cap, so that it can be executed',
  title: ['Confirmer l’approbation', 'Confirm the approval'],
  fields: {},
  load: (tx, call, deps: ApprovalDeps) => load(tx, call, 'approve', deps),
  decide: (call, has, now) => judge(call, has, { trigger: 'approved' }, now),
  refusals,
})

/** Refuses a batch above the cap, with the refusals of `approveBatch`. Its maker reads the reason. */
export const rejectBatch = defineAct({
  ...common,
  name: 'payout_batch.reject',
  summary: 'Reject a batch above the cap',
  title: ['Confirmer le refus', 'Confirm the refusal'],
  fields: { decline_reason: declineReason },
  load: (tx, call) => load(tx, call, 'reject', {}),
  content: (has, { decline_reason }) => ({ ...batchContent(has), fee_amount: null, taken: null, decline_reason }),
  decide: (call, has, now) => judge(call, has, { trigger: 'refused', ...call.values }, now),
  refusals,
})

type PersonsDecision = { trigger: 'approved' | 'refused'; decided_by: string; decline_reason?: string | null }

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
  if (moved === null) return { kind: 'refused', code: 'already_decided' }
  const told = trigger === 'approved' ? tellOfApproval(batch) : []
  return { kind: 'decided', ...moved, effects: [...moved.effects, ...told] }
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
