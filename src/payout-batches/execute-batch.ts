import { randomUUID } from 'node:crypto'
import { findNumbers } from '../beneficiaries/find-beneficiaries.ts'
import { insertBookEntry, type NamedEntry, type PayoutBook, readBook } from '../beneficiaries/payout-book.ts'
import { releaseUsage } from '../payouts/move-payout.ts'
import { type LockedSpending, lockSpending, type UsualCaps } from '../payouts/spending-limits.ts'
import { renewUsage, startPayout } from '../payouts/start-payout.ts'
import { isUsageCounted } from '../payouts/store.ts'
import type { Clock } from '../platform/clock.ts'
import { applyEffects, defineEffect, type Effect } from '../platform/commands/effects.ts'
import { createGroupCall } from '../platform/commands/group-commit.ts'
import { crashPoint } from '../platform/crash-point.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'
import { type Tenant, tenantKey, tenantOf } from '../values/caller.ts'
import { newId } from '../values/ids.ts'
import { Msisdn } from '../values/msisdn.ts'
import type { LineFailure, LineRow } from './batch.ts'
import { authorOf, type BatchCaller } from './create-batch.ts'
import { decideLines } from './decide-lines.ts'
import { updateLine } from './follow-lines.ts'
import { tellOfWaiting, transitionBatch } from './move-batch.ts'
import * as store from './store.ts'

export type ExecuteBatchDeps = {
  sql: Sql
  clock: Clock
  caps: UsualCaps
}

type Refusal = 'merchant_inactive' | 'batch_pending_approval' | 'batch_not_executable'

export type ExecuteBatchResult = { kind: 'executed' } | { kind: 'refused'; code: 'resource_not_found' | Refusal }

/** A locked batch, and for a draft what decides its lines, under the lock of the account `transfer`. */
export type Execution = {
  readonly batch: store.LockedBatch
  readonly ready:
    | (Ready & { /** Whether its total still counts among the francs used. */ readonly counted: boolean })
    | null
}

/** The facts that decide the lines of a draft. */
type Ready = {
  readonly lines: readonly LineRow[]
  readonly spending: LockedSpending
  readonly book: PayoutBook
  readonly numbers: Awaited<ReturnType<typeof findNumbers>>
}

/**
 * Executes a draft for a key. It takes funds line by line in the order of the ranks and sends the covered lines. A line that the funds do not
 * cover fails alone, and so does one whose destination was archived since. It adds the inline destinations of sent lines to the book. Of
 * simultaneous executions only one succeeds: the state under the lock is the idempotency. The lines have their outcomes later
 * (`createFollowBatches`). Refusals, in order of precedence: an unknown batch, an inactive merchant, one that waits for an approval, one
 * that is no draft.
 */
export async function executeBatch(
  deps: ExecuteBatchDeps,
  { merchant_active, maker, ...caller }: BatchCaller,
  batch_id: string,
): Promise<ExecuteBatchResult> {
  const result = await deps.sql.begin(async (tx): Promise<ExecuteBatchResult> => {
    const execution = await loadExecution(tx, { ...tenantOf(caller), batch_id }, deps.caps)
    if (execution === null) return { kind: 'refused', code: 'resource_not_found' }
    const now = deps.clock.now()
    const decided = decideExecution(execution, { merchant_active, executed_by: authorOf(maker) }, now)
    if (decided.kind === 'refused') return decided
    await applyEffects(tx, decided.effects, now)
    crashPoint('mid_batch_line')
    return decided.kind === 'waits' ? { kind: 'refused', code: 'batch_pending_approval' } : { kind: 'executed' }
  })
  if (result.kind === 'executed') crashPoint('after_commit_before_ack')
  return result
}

/** Resolves when every line of a batch has an outcome, or after `wait_seconds`. */
export type UntilBatchEnded = (key: store.BatchKey, wait_seconds: number) => Promise<void>

/** Creates the wait for executed batches. One query asks for all that wait. */
export function createFollowBatches({ sql }: { sql: Sql }): UntilBatchEnded {
  const hasEnded = createGroupCall<store.BatchKey, boolean>(sql, {
    for: 'polling',
    tenantOf: (key) => key,
    async run(keys) {
      const running = new Set(await store.findRunning(sql, keys))
      return keys.map(({ batch_id }) => !running.has(batch_id))
    },
  })
  return async (key, wait_seconds) => {
    const deadline = performance.now() + wait_seconds * 1_000
    while (!(await hasEnded(key)) && performance.now() < deadline) {
      // The group call waits for its interval before each query.
    }
  }
}

/** Locks a batch, and reads what decides its lines if it is a draft. Null: no such batch. */
export async function loadExecution(tx: Tx, key: store.BatchKey, caps: UsualCaps): Promise<Execution | null> {
  const [batch] = await store.lockBatches(tx, [key])
  if (batch === undefined) return null
  if (batch.status !== 'brouillon') return { batch, ready: null }
  const spending = (await lockSpending(tx, [key], caps)).get(tenantKey(key))!
  const counted = await isUsageCounted(tx, usageOf(batch), spending.cap_total)
  const lines = await store.readLines(tx, key)
  return { batch, ready: { lines, spending, counted, ...(await readBooks(tx, key, lines)) } }
}

/** The cap of 24 hours in francs that a draft exceeds now, so that it would wait for an approval. Null: it would be sent. */
export function capExceeded({ batch, ready }: Execution): number | null {
  return ready === null || fitsCap(batch, ready.spending, ready.counted) ? null : ready.spending.caps.day
}

/**
 * Decides an execution. `waits`: since the draft was made, the cap of 24 hours was used up or lowered, so that it waits for an approval now.
 * Refusals, in order of precedence: an inactive merchant, a batch that waits for an approval, one that is no draft. Pure, except that it uses
 * `ready` up.
 */
export function decideExecution(
  { batch, ready }: Execution,
  { merchant_active, executed_by }: { merchant_active: boolean; executed_by: string },
  now: Date,
):
  | { readonly kind: 'executed' | 'waits'; readonly effects: readonly Effect[] }
  | { readonly kind: 'refused'; readonly code: Refusal } {
  if (!merchant_active) return { kind: 'refused', code: 'merchant_inactive' }
  if (batch.status === 'en_attente_validation') return { kind: 'refused', code: 'batch_pending_approval' }
  if (ready === null) return { kind: 'refused', code: 'batch_not_executable' }
  const { spending, counted } = ready
  if (!fitsCap(batch, spending, counted)) {
    const waiting = transitionBatch(batch, { trigger: 'cap_exceeded_since' }, now)!
    return { kind: 'waits', effects: [...waiting.effects, tellOfWaiting(batch)] }
  }
  const { cap_total } = spending
  const renewed = renewUsage({ ...usageOf(batch), cap_total, added: counted ? 0 : batch.total_amount })
  return { kind: 'executed', effects: [renewed, ...sendDraft(batch, ready, executed_by, now)] }
}

/** The effects of sending a draft that fits the cap: decides its lines, and adds inline destinations to the book. Pure, except that it uses `ready` up. */
export function sendDraft(
  batch: store.LockedBatch,
  { lines, spending, book, numbers }: Ready,
  executed_by: string,
  now: Date,
): Effect[] {
  const key = store.keyOf(batch)
  const isActive = (line: LineRow) => book.find(destinationOf(key, line)) !== null
  const decided = decideLines(lines, { isActive, numbers }, spending)
  const covered = decided.filter(({ kind }) => kind === 'sent')
  const { sent, added } = addToBook(key, covered, book, batch.made_by)
  const failed = decided.flatMap((one) => (one.kind === 'failed' ? [one] : []))
  return [...added, ...executeLines({ ...batch, executed_by }, sent, failed, now)]
}

function usageOf(batch: store.LockedBatch) {
  return { ...tenantOf(batch), subject_id: batch.id }
}

/** Written after its payout, to which it refers. No other code writes the lines of a locked draft. */
const startLine = defineEffect('new row', store.updateLines)

type Sent = { line: LineRow; total_debited: number; beneficiary_id: string }
type Failed = { line: LineRow; failure_code: LineFailure }

/**
 * The effects of executing a draft whose lines were decided: a payout for each sent line, and the release of the others' usage of the
 * 24 hours. A batch of which no line is sent ends at once. Pure.
 */
export function executeLines(
  batch: store.LockedBatch,
  sent: readonly Sent[],
  failed: readonly Failed[],
  now: Date,
): Effect[] {
  const [key, tenant, batch_id] = [store.keyOf(batch), tenantOf(batch), batch.id]
  const payouts = sent.map(({ line, total_debited, beneficiary_id }) => {
    const { status: _, payout_id: __, failure_code: ___, archived_before: ____, ...kept } = line
    const made = { id: newId('txn', now.getTime()), total_debited, currency: batch.currency, batch_id }
    return { ...tenant, ...kept, ...made, beneficiary_id, created_at: now }
  })
  const counts = { open_lines: payouts.length, bad_lines: failed.length }
  const running = transitionBatch(batch, { trigger: 'executed', ...counts }, now)!
  const ended =
    payouts.length > 0 ? null : transitionBatch(running.row, { trigger: 'ended_with_errors', ...counts }, now)!
  return [
    ...payouts.flatMap((payout) => startPayout(payout, batch.order_key)),
    ...payouts.map(({ rank, id: payout_id, beneficiary_id }) =>
      startLine({ ...key, rank, status: 'processing', failure_code: null, payout_id, beneficiary_id }),
    ),
    ...failed.map(({ line: { rank }, failure_code }) => updateLine({ ...key, rank, status: 'failed', failure_code })),
    ...failed.map(({ line: { amount } }) => releaseUsage({ ...tenant, subject_id: batch_id, amount })),
    ...running.effects,
    ...(ended?.effects ?? []),
  ]
}

/** Reads the destinations of these lines in the merchant's book. The caller has locked the account `transfer`, so no entry is archived or added meanwhile. */
async function readBooks(tx: Tx, tenant: Tenant, lines: readonly LineRow[]) {
  const inline = lines.filter(({ is_inline }) => is_inline)
  const [book, numbers] = await Promise.all([
    readBook(
      tx,
      lines.map((line) => destinationOf(tenant, line)),
    ),
    findNumbers(
      tx,
      tenant,
      inline.map(({ msisdn }) => Msisdn.stored(msisdn)),
    ),
  ])
  return { book, numbers }
}

function destinationOf(tenant: Tenant, { is_inline, beneficiary_id, msisdn }: LineRow): NamedEntry {
  if (is_inline) return { ...tenantOf(tenant), kind: 'inline', msisdn: Msisdn.stored(msisdn) }
  return { ...tenantOf(tenant), kind: 'book', beneficiary_id: beneficiary_id! }
}

/**
 * Returns the book entry of each of these lines, and the effects that add missing ones, one for each new number. Pure, except that it adds
 * the new entries to `book`.
 */
export function addToBook<Line extends { line: LineRow }>(
  tenant: Tenant,
  sent: readonly Line[],
  book: PayoutBook,
  added_by: string,
): { sent: (Line & { beneficiary_id: string })[]; added: Effect[] } {
  const added: Effect[] = []
  const inBook = sent.map((one) => {
    const { msisdn, operator, name } = one.line
    const known = book.find(destinationOf(tenant, one.line))
    if (known !== null) return { ...one, beneficiary_id: known.beneficiary_id }
    const entry = { ...tenantOf(tenant), beneficiary_id: randomUUID(), name: name!, label: null, msisdn, operator }
    book.add(entry)
    added.push(insertBookEntry({ ...entry, added_by }))
    return { ...one, beneficiary_id: entry.beneficiary_id }
  })
  return { sent: inBook, added }
}

/**
 * Whether a draft fits the cap. Its usage began when it was made, that of its payouts begins now. It must fit again when more than a
 * day has passed or the cap was lowered since, unless a person has approved it. No approval lifts the limit of an unchecked merchant.
 * @param counted whether the total still counts among the francs used
 */
function fitsCap(batch: store.LockedBatch, { used, caps, cap_total }: LockedSpending, counted: boolean): boolean {
  if (batch.approved_at !== null && !cap_total.unchecked) return true
  if (counted && caps.day >= batch.cap_day) return true
  return used + (counted ? 0 : batch.total_amount) <= caps.day
}
