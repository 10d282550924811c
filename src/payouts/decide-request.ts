import { recordAct } from '../audit-log/record-act.ts'
import { findActivePayoutBeneficiaries } from '../beneficiaries/find-beneficiaries.ts'
import { feesAt, type ReadSettings } from '../merchants/fees.ts'
import type { Clock } from '../platform/clock.ts'
import { applyEffects } from '../platform/commands/effects.ts'
import { sweepApart } from '../platform/each-apart.ts'
import type { Log } from '../platform/log.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'
import { type Actor, SCHEDULE } from '../values/actor.ts'
import { tenantKey, tenantOf } from '../values/caller.ts'
import { newId } from '../values/ids.ts'
import { ownApproval } from './alone/approve-alone.ts'
import { endAlone } from './alone/end-alone.ts'
import type { SoloKey } from './alone/store.ts'
import { isOfMakersSide } from './makers-side.ts'
import { releaseUsage } from './move-payout.ts'
import { decideRequest, transitionRequest } from './move-request.ts'
import type { PayoutRequestRow } from './payout-request.ts'
import * as requestStore from './request-store.ts'
import { lockSpending, lockTransfer, type UsualCaps } from './spending-limits.ts'
import { recordUsage, startPayout } from './start-payout.ts'
import type { Usage } from './store.ts'

type Dependencies = { sql: Sql; clock: Clock }

export type ApprovalDeps = Dependencies & {
  settings: ReadSettings
  caps: UsualCaps
}

/** Why a request was not decided. The request is unchanged. */
type Refusal = 'resource_not_found' | 'already_decided' | 'same_person'

export type ApproveRequestResult =
  | { kind: 'approved'; payout_id: string }
  /**
   * The last three leave the request waiting.
   * - `beneficiary_archived`: its entry of the book was archived since, so no money goes there.
   * - `insufficient_funds`: it can be approved once the transfer balance covers it.
   */
  | { kind: 'refused'; code: Refusal | 'merchant_inactive' | 'beneficiary_archived' | 'insufficient_funds' }

/**
 * Approves a payout that a cap held back: the funds are taken now and the payout starts, whatever the caps say. The
 * maker cannot decide, and neither can anybody on the maker's side (`isOfMakersSide`), except when an approval alone has waited for
 * its day. Refusals in order of precedence: no such request, decided or expired, a person of the maker's side, an
 * inactive merchant, a destination archived since, insufficient funds.
 */
export async function approveRequest(
  deps: ApprovalDeps,
  request_id: string,
  decided_by: Actor,
): Promise<ApproveRequestResult> {
  const { sql, clock } = deps
  const key = await requestStore.findPayoutRequest(sql, request_id)
  if (key === null) return { kind: 'refused', code: 'resource_not_found' }
  const asked_at = clock.now()
  const merchant = await deps.settings(key.merchant_id)

  return sql.begin(async (tx): Promise<ApproveRequestResult> => {
    const locked = await lockSpending(tx, [key], deps.caps)
    const request = (await requestStore.lockRequest(tx, key))!
    const now = clock.now()
    const payout_id = newId('txn', now.getTime())
    const decided = decideRequest(request, { trigger: 'approved', decided_by: decided_by.person, payout_id }, now)
    if (decided.kind === 'refused') return decided
    const ofMakersSide = await isOfMakersSide(tx, key, request.made_by, decided_by.person)
    const own = ownApproval(soloKeyOf(request), decided_by.person)
    if (ofMakersSide && !(await own.lock(tx))) return { kind: 'refused', code: 'same_person' }
    if (!merchant.active) return { kind: 'refused', code: 'merchant_inactive' }
    const found = await findActivePayoutBeneficiaries(tx, [{ ...tenantOf(request), id: request.beneficiary_id }])
    if (found.length === 0) return { kind: 'refused', code: 'beneficiary_archived' }
    const fees = feesAt(merchant, 'payout', request.amount, asked_at)
    const spending = locked.get(tenantKey(key))!
    const payout = payoutFrom(request, payout_id, fees.fee_amount, now)
    if (payout.total_debited > spending.transfer) return { kind: 'refused', code: 'insufficient_funds' }
    const usage = { ...tenantOf(payout), subject_id: payout_id, amount: payout.amount, cap_total: spending.cap_total }
    // From now on the payout counts instead of the request. Write the total before subtracting from it.
    const counted = [recordUsage(usage), releaseUsage(usageOf(request))]
    await applyEffects(tx, [...startPayout(payout, request.order_key), ...counted, ...decided.effects], now)
    if (ofMakersSide) await own.end(tx)
    else await endAlone(tx, soloKeyOf(request), 'decided', decided_by)
    recordDecision(tx, request, decided.row, decided_by)
    return { kind: 'approved', payout_id }
  })
}

/** The payout with the fields of its request, apart from those that only a request has. */
function payoutFrom(request: requestStore.LockedRequest, id: string, fee_amount: number, created_at: Date) {
  const {
    reason: _,
    cap: __,
    made_by: ___,
    status: ____,
    decided_at,
    decided_by,
    decline_reason,
    is_over,
    order_key: _____,
    ...kept
  } = request
  const total_debited = request.amount + fee_amount
  return { ...kept, id, fee_amount, total_debited, batch_id: null, rank: null, created_at }
}

export type RejectRequestResult = { kind: 'rejected' } | { kind: 'refused'; code: Refusal }

/**
 * Rejects a payout that a cap held back. No money has moved, and none will.
 * @param decline_reason shown to the maker, 1 to 500 characters; null when none was given
 */
export async function rejectRequest(
  deps: Dependencies,
  request_id: string,
  decided_by: Actor,
  decline_reason: string | null = null,
): Promise<RejectRequestResult> {
  const key = await requestStore.findPayoutRequest(deps.sql, request_id)
  if (key === null) return { kind: 'refused', code: 'resource_not_found' }
  return deps.sql.begin(async (tx): Promise<RejectRequestResult> => {
    await lockTransfer(tx, key)
    const request = (await requestStore.lockRequest(tx, key))!
    const now = deps.clock.now()
    const decided = decideRequest(request, { trigger: 'rejected', decided_by: decided_by.person, decline_reason }, now)
    if (decided.kind === 'refused') return decided
    if (await isOfMakersSide(tx, key, request.made_by, decided_by.person))
      return { kind: 'refused', code: 'same_person' }
    await applyEffects(tx, [...decided.effects, releaseUsage(usageOf(request))], now)
    await endAlone(tx, soloKeyOf(request), 'rejected', decided_by)
    recordDecision(tx, request, decided.row, decided_by)
    return { kind: 'rejected' }
  })
}

function recordDecision(
  tx: Tx,
  request: requestStore.LockedRequest,
  { status, payout_id, decline_reason }: requestStore.LockedRequest,
  actor: Actor,
): void {
  const act = status === 'approved' ? 'payout_request.approve' : 'payout_request.reject'
  const change = {
    before: { status: request.status },
    after: { status, payout_id, amount: request.amount, ...(decline_reason !== null && { decline_reason }) },
  }
  recordAct(tx, request, { actor, act, subject: request.id, ...change })
}

/** Requests that a sweep reads at once. */
const PART = 200

/** Expires the requests that nobody decided in time, each in its own transaction. Returns their number. */
export function expireRequests({ sql, clock, log }: Dependencies & { log: Log }): Promise<number> {
  return sweepApart({
    task: 'expiry of payout requests',
    log,
    read: (met) => requestStore.readExpiredRequests(sql, PART, met),
    nameOf: ({ request_id }) => request_id,
    act: (key) =>
      sql.begin(async (tx) => {
        await lockTransfer(tx, key)
        const request = (await requestStore.lockRequest(tx, key))!
        const now = clock.now()
        const expired = transitionRequest(request, { trigger: 'time_ran_out', decided_by: 'time' }, now)
        // Null when somebody decided the request after it was read.
        if (expired === null) return
        await applyEffects(tx, [...expired.effects, releaseUsage(usageOf(request))], now)
        await endAlone(tx, soloKeyOf(request), 'expired', SCHEDULE)
      }),
  })
}

/** The key of the approval that the only person of a merchant gave to a request. */
function soloKeyOf({ id: subject_id, ...request }: PayoutRequestRow): SoloKey {
  return { ...tenantOf(request), subject_id }
}

function usageOf({ merchant_id, livemode, id, amount }: PayoutRequestRow): Usage {
  return { merchant_id, livemode, subject_id: id, amount }
}
