import { type ActCall, defineAct, isWithin, refuse, row } from '../acts/act.ts'
import type { ActDeps } from '../acts/perform.ts'
import { findActivePayoutBeneficiaries } from '../beneficiaries/find-beneficiaries.ts'
import { feesAt } from '../merchants/fees.ts'
import { selectSettings } from '../merchants/store.ts'
import type { Clock } from '../platform/clock.ts'
import { applyEffects } from '../platform/commands/effects.ts'
import { sweepApart } from '../platform/each-apart.ts'
import { writeAmount } from '../platform/http/pages/write-values.ts'
import type { Log } from '../platform/log.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'
import { SCHEDULE } from '../values/actor.ts'
import { tenantKey, tenantOf } from '../values/caller.ts'
import { newId } from '../values/ids.ts'
import { ownApproval } from './alone/approve-alone.ts'
import { endAlone, endApprovalAlone } from './alone/end-alone.ts'
import type { SoloKey } from './alone/store.ts'
import { type ApprovalDeps, approvalFacts, approvalRefusals, declineReason } from './approval-facts.ts'
import { isOfMakersSide } from './makers-side.ts'
import { releaseUsage } from './move-payout.ts'
import { decideRequest, transitionRequest } from './move-request.ts'
import type { PayoutRequestRow } from './payout-request.ts'
import * as requestStore from './request-store.ts'
import { lockSpending, lockTransfer, uncheckedBar } from './spending-limits.ts'
import { recordUsage, startPayout } from './start-payout.ts'
import type { Usage } from './store.ts'

export const onRequest = row('por', 'payout request')

/** Finds a request of the page's place. Null when there is none. */
export async function findRequest(tx: Tx, { id, within }: Pick<ActCall<typeof onRequest>, 'id' | 'within'>) {
  const key = await requestStore.findPayoutRequest(tx, id)
  return key !== null && isWithin(key, within) ? key : null
}

/** The values that a person reads before they decide. The whole number is signed too, and the terminal shows its end. */
export function requestContent({
  amount,
  name,
  label,
  msisdn,
  operator,
  reference,
  made_by: requested_by,
}: PayoutRequestRow) {
  const recipient = { name: name ?? label, operator, number_end: msisdn.slice(-4) }
  return { ...nothingElse, amount, recipient, msisdn, reference, requested_by }
}

const nothingElse = { lines: null, decline_reason: null, fee_amount: null, taken: null }

const common = {
  right: 'payouts.approve',
  fresh: true,
  on: onRequest,
  facts: approvalFacts,
  unknown: 'There is no such payout request.',
} as const

const decidedAlready = {
  words: ['La demande n’est plus comme avant. Relisez-la.', 'The request has changed. Read it again.'],
  command: 'This payout request was decided or has expired.',
} as const

/**
 * Approves a payout that a cap held back: the funds are taken now and the payout starts, whatever the caps say. The
 * maker cannot decide, and neither can anybody on the maker's side (`isOfMakersSide`), except when an approval alone has waited for
 * its day. Refusals in order of precedence: decided or expired, a person of the maker's side, an inactive merchant, a destination archived
 * since, the limit of an unchecked merchant, insufficient funds. The last four leave the request waiting.
 */
export const approveRequest = defineAct({
  ...common,
  name: 'payout_request.approve',
  summary: 'Approve a payout request; the service debits its funds now',
  title: ['Confirmer l’approbation', 'Confirm the approval'],
  fields: {},
  async load(tx, call, { payoutCaps, operators_said = {}, clock }: ApprovalDeps & ActDeps) {
    const about = await findRequest(tx, call)
    if (about === null) return null
    // The fees are those of the moment when the person decided, however long the locks take.
    const asked_at = clock.now()
    const spending = (await lockSpending(tx, [about], payoutCaps)).get(tenantKey(about))!
    const request = (await requestStore.lockRequest(tx, about))!
    const merchant = (await selectSettings(tx, [about.merchant_id])).get(about.merchant_id)!
    const inBook = await findActivePayoutBeneficiaries(tx, [{ ...tenantOf(request), id: request.beneficiary_id }])
    const { fee_amount } = feesAt(merchant, 'payout', request.amount, asked_at)
    const isMakers = await isOfMakersSide(tx, about, request.made_by, call.by.person)
    const isOwn = isMakers && (await ownApproval(soloKeyOf(request), call.by.person).lock(tx))
    const bar = await uncheckedBar(tx, usageOf(request), payoutCaps, spending.cap_total)
    return {
      bar,
      ...{ about, spending, request, fee_amount, isMakers, isOwn, operators_said },
      ...{ is_active: merchant.active, is_in_book: inBook.length > 0 },
    }
  },
  content: ({ request, fee_amount, operators_said }) => ({
    ...requestContent(request),
    ...{ fee_amount, taken: request.amount + fee_amount, operators_said },
  }),
  decide({ by, id }, has, now) {
    const { request, spending, fee_amount, isMakers, isOwn } = has
    const payout_id = newId('txn', now.getTime())
    const decided = decideRequest(request, { trigger: 'approved', decided_by: by.person, payout_id }, now)
    if (decided.kind === 'refused') return refuse(decided.code)
    if (isMakers && !isOwn) return refuse('same_person')
    if (!has.is_active) return refuse('merchant_inactive')
    if (!has.is_in_book) return refuse('beneficiary_archived')
    if (has.bar !== null) return refuse('unchecked', { max: writeAmount(has.bar) })
    const payout = payoutFrom(request, payout_id, fee_amount, now)
    if (payout.total_debited > spending.transfer) return refuse('insufficient_funds')
    const usage = { ...tenantOf(payout), subject_id: payout_id, amount: payout.amount, cap_total: spending.cap_total }
    // From now on the payout counts instead of the request. Write the total before subtracting from it.
    const counted = [recordUsage(usage), releaseUsage(usageOf(request))]
    const ended = isOwn ? ({ outcome: 'carried_out', by: SCHEDULE } as const) : ({ outcome: 'decided', by } as const)
    const alone = endApprovalAlone({ key: soloKeyOf(request), ...ended })
    const effects = [...startPayout(payout, request.order_key), ...counted, ...decided.effects, alone]
    return { kind: 'accepted', effects, result: { request_id: id, payout_id }, ...changeOf(request, decided.row) }
  },
  refusals: {
    ...approvalRefusals,
    already_decided: decidedAlready,
    merchant_inactive: {
      words: [
        'Rien n’est parti. Écrivez à l’équipe du service : la demande attend.',
        'Nothing left. Write to the team of the service: the request waits.',
      ],
      command: 'This merchant is deactivated. The payout request goes on waiting for approval.',
    },
    beneficiary_archived: {
      words: [
        'Rien n’est parti. Refusez la demande, ou ajoutez le bénéficiaire et demandez un nouvel envoi.',
        'Nothing left. Decline the request, or save the beneficiary and request a new payout.',
      ],
      command:
        'The destination of this payout was archived, so nothing can be sent there. Reject the payout request; to pay the same ' +
        'person, the merchant makes a new payout.',
    },
    insufficient_funds: {
      words: [
        'Rien n’est parti. La demande attend toujours : approuvez-la quand le solde suffit.',
        'Nothing left. The request still waits: approve it once the balance covers it.',
      ],
      command: 'The transfer balance does not cover this payout yet. It goes on waiting for approval.',
    },
  },
})

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

/** Rejects a payout that a cap held back. No money has moved, and none will. The maker reads the reason. */
export const rejectRequest = defineAct({
  ...common,
  name: 'payout_request.reject',
  summary: 'Reject a payout request',
  title: ['Confirmer le refus', 'Confirm the refusal'],
  fields: { decline_reason: declineReason },
  async load(tx, call) {
    const about = await findRequest(tx, call)
    if (about === null) return null
    await lockTransfer(tx, about)
    const request = (await requestStore.lockRequest(tx, about))!
    return { about, request, isMakers: await isOfMakersSide(tx, about, request.made_by, call.by.person) }
  },
  content: ({ request }, { decline_reason }) => ({ ...requestContent(request), decline_reason }),
  decide({ by, id, values: { decline_reason } }, { request, isMakers }, now) {
    const decided = decideRequest(request, { trigger: 'rejected', decided_by: by.person, decline_reason }, now)
    if (decided.kind === 'refused') return refuse(decided.code)
    if (isMakers) return refuse('same_person')
    const alone = endApprovalAlone({ key: soloKeyOf(request), outcome: 'rejected', by })
    const effects = [...decided.effects, releaseUsage(usageOf(request)), alone]
    return { kind: 'accepted', effects, result: { request_id: id }, ...changeOf(request, decided.row) }
  },
  refusals: { ...approvalRefusals, already_decided: decidedAlready },
})

function changeOf(
  { status: before, amount }: requestStore.LockedRequest,
  { status, payout_id, decline_reason }: requestStore.LockedRequest,
) {
  const reason = decline_reason === null ? {} : { decline_reason }
  return { before: { status: before }, after: { status, payout_id, amount, ...reason } }
}

/** Requests that a sweep reads at once. */
const PART = 200

/** Expires the requests that nobody decided in time, each in its own transaction. Returns their number. */
export function expireRequests({ sql, clock, log }: { sql: Sql; clock: Clock; log: Log }): Promise<number> {
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
