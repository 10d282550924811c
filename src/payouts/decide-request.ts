import { recordAct } from '../audit-log/record-act.ts'
import { findActivePayoutBeneficiaries } from '../beneficiaries/find-beneficiaries.ts'
import type { MerchantSettings } from '../merchants/fees.ts'
import type { Clock } from '../platform/clock.ts'
import { applyEffects } from '../platform/commands/effects.ts'
import { sweepApart } from '../platform/each-apart.ts'
import type { Log } from '../platform/log.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'
import { tenantKey } from '../values/caller.ts'
import { newId } from '../values/ids.ts'
import { isIndependentApprover } from '../values/independent-approver.ts'
import { emitEvents } from '../webhooks/emit.ts'
import { payoutFees } from './create-payout.ts'
import { type PayoutRequestRow, viewPayoutRequest } from './payout-request.ts'
import * as requestStore from './request-store.ts'
import { lockSpending, lockTransfer, type UsualCaps } from './spending-limits.ts'
import { recordUsage, startPayout } from './start-payout.ts'
import * as store from './store.ts'

type Dependencies = { sql: Sql; clock: Clock }

type ApprovalDeps = Dependencies & {
  settings: (merchant_id: number) => MerchantSettings | Promise<MerchantSettings>
  caps: UsualCaps
}

/** Why a request was not decided; it stays as it was. */
type Refusal = 'resource_not_found' | 'already_decided' | 'same_person'

export type ApproveRequestResult =
  | { kind: 'approved'; payout_id: string }
  /**
   * The last three leave it waiting. `beneficiary_archived`: its entry of the book was archived, and nothing goes there any more.
   * `insufficient_funds`: it can be approved when the transfer balance covers it.
   */
  | { kind: 'refused'; code: Refusal | 'merchant_inactive' | 'beneficiary_archived' | 'insufficient_funds' }

/**
 * Approves a payout that a cap held back: the funds are taken now and the payout starts, whatever the caps say. The
 * maker cannot decide. Refusals, in order of precedence: no such request, decided or expired, the maker, a
 * merchant that may not operate, a destination that was archived since, funds.
 */
export async function approveRequest(
  deps: ApprovalDeps,
  request_id: string,
  decided_by: string,
): Promise<ApproveRequestResult> {
  const { sql, clock } = deps
  const key = await requestStore.findRequest(sql, request_id)
  if (key === null) return { kind: 'refused', code: 'resource_not_found' }
  const asked_at = clock.now()
  const { active, fee_schedules } = await deps.settings(key.merchant_id)

  return sql.begin(async (tx): Promise<ApproveRequestResult> => {
    const locked = await lockSpending(tx, [key], deps.caps)
    const request = (await requestStore.lockRequest(tx, key))!
    const refused = refusalOf(request, decided_by)
    if (refused !== null) return { kind: 'refused', code: refused }
    if (!active) return { kind: 'refused', code: 'merchant_inactive' }
    const { merchant_id, livemode, beneficiary_id } = request
    const found = await findActivePayoutBeneficiaries(tx, [{ merchant_id, livemode, id: beneficiary_id }])
    if (found.length === 0) return { kind: 'refused', code: 'beneficiary_archived' }
    const { fee_amount } = payoutFees(fee_schedules, request.amount, asked_at)
    const total_debited = request.amount + fee_amount
    const spending = locked.get(tenantKey(key))!
    if (total_debited > spending.transfer) return { kind: 'refused', code: 'insufficient_funds' }

    const payout_id = newId('txn', clock.milliseconds())
    // The payout has all of the request but what is the request's own.
    const { reason: _, cap: __, made_by: ___, status: ____, decided_at: _____, is_over: ______, ...kept } = request
    const payout = {
      ...kept,
      id: payout_id,
      fee_amount,
      total_debited,
      batch_id: null,
      rank: null,
      created_at: clock.now(),
    }
    // The payout counts from now on, and the request no longer.
    const usage = { merchant_id, livemode, subject_id: payout_id, amount: payout.amount, cap_total: spending.cap_total }
    await applyEffects(tx, [...startPayout(payout), recordUsage(usage)], payout.created_at)
    await store.releaseUsage(tx, [usageOf(request)])
    const decision = { status: 'approved', decided_by, payout_id } as const
    await decide(tx, key, decision, clock)
    recordDecision(tx, request, decision)
    return { kind: 'approved', payout_id }
  })
}

export type RejectRequestResult = { kind: 'rejected' } | { kind: 'refused'; code: Refusal }

/** Refuses a payout that a cap held back. Nothing has left and nothing will. */
export async function rejectRequest(
  deps: Dependencies,
  request_id: string,
  decided_by: string,
): Promise<RejectRequestResult> {
  const key = await requestStore.findRequest(deps.sql, request_id)
  if (key === null) return { kind: 'refused', code: 'resource_not_found' }
  return deps.sql.begin(async (tx): Promise<RejectRequestResult> => {
    await lockTransfer(tx, key)
    const request = (await requestStore.lockRequest(tx, key))!
    const refused = refusalOf(request, decided_by)
    if (refused !== null) return { kind: 'refused', code: refused }
    const decision = { status: 'rejected', decided_by, payout_id: null } as const
    await end(tx, key, decision, deps.clock)
    recordDecision(tx, request, decision)
    return { kind: 'rejected' }
  })
}

function recordDecision(
  tx: Tx,
  request: requestStore.LockedRequest,
  { status, decided_by, payout_id }: requestStore.RequestDecision,
): void {
  const act = status === 'approved' ? 'payout_request.approve' : 'payout_request.reject'
  const change = { before: { status: request.status }, after: { status, payout_id, amount: request.amount } }
  recordAct(tx, request, { actor: decided_by, act, subject: request.id, ...change })
}

/** Why this person cannot decide on a request that the transaction has locked; null when it can. */
function refusalOf(request: requestStore.LockedRequest, decided_by: string): Refusal | null {
  if (request.status !== 'pending_approval' || request.is_over) return 'already_decided'
  return isIndependentApprover(request.made_by, decided_by) ? null : 'same_person'
}

/** Requests that a sweep reads at a time. */
const PART = 200

/** Ends the requests that nobody decided in time, each in a transaction of its own. Returns how many. */
export function expireRequests({ sql, clock, log }: Dependencies & { log: Log }): Promise<number> {
  return sweepApart({
    task: 'expiry of payout requests',
    log,
    read: (met) => requestStore.readExpiredRequests(sql, PART, met),
    nameOf: ({ request_id }) => request_id,
    act: (key) =>
      sql.begin(async (tx) => {
        await lockTransfer(tx, key)
        await end(tx, key, { status: 'expired', decided_by: 'time', payout_id: null }, clock)
      }),
  })
}

/** Ends a request without a payout, unless somebody decided it first. With the transfer account locked. */
async function end(
  tx: Tx,
  key: requestStore.RequestKey,
  decision: requestStore.RequestDecision,
  clock: Clock,
): Promise<void> {
  const request = await decide(tx, key, decision, clock)
  if (request !== null) await store.releaseUsage(tx, [usageOf(request)])
}

/** Writes the decision and tells the merchant; null when the request no longer waits. */
async function decide(
  tx: Tx,
  key: requestStore.RequestKey,
  decision: requestStore.RequestDecision,
  clock: Clock,
): Promise<PayoutRequestRow | null> {
  const request = await requestStore.decideRequest(tx, key, decision)
  if (request === null) return null
  const { merchant_id, livemode, id } = request
  const type = `payout_request.${decision.status}` as const
  await emitEvents(tx, [{ merchant_id, livemode, type, subject_id: id, data: viewPayoutRequest(request) }], clock.now())
  return request
}

function usageOf({ merchant_id, livemode, id, amount }: PayoutRequestRow): store.Usage {
  return { merchant_id, livemode, subject_id: id, amount }
}
