import { madeKeyOf } from '../../api-keys/find-keys.ts'
import { absent, type Confirmation, defineConsoleScreen, moved, type ScreenAnswer } from '../../console/screen.ts'
import { readBalances } from '../../ledger/balances.ts'
import type { NameMatch } from '../../operators/port.ts'
import { readBatchToDecide } from '../../payout-batches/approval-store.ts'
import type { CheckBatch } from '../../payout-batches/check-batch.ts'
import { readRequestToDecide } from '../../payouts/approval-store.ts'
import type { CheckDestination } from '../../payouts/check-recipient.ts'
import { isIndependentApprover } from '../../values/independent-approver.ts'
import { Msisdn } from '../../values/msisdn.ts'
import { readAlone } from './alone-part.ts'
import { aloneScreens } from './alone-routes.ts'
import { batchView } from './batch-view.ts'
import { confirmationOf } from './confirmation.ts'
import { decide, type RefusalOfDecision, refusalWords } from './decide.ts'
import { listView, parts } from './list-view.ts'
import { type ApprovalRequest, declineReasonIn, operatorOf } from './parts.ts'
import { readBatchFacts } from './read-batch.ts'
import { type ReadDeps, readDifferences, readPayoutOf, readRequestFacts } from './read-request.ts'
import { requestView } from './request-view.ts'
import { type Act, isSettled, settledView } from './settled-view.ts'
import { type Approval, countApprovals, readApprovals, readNames } from './waiting.ts'

/** Requests and batches of a page. */
const PAGE = 30

export type ApprovalDeps = ReadDeps & {
  readonly checkDestination: CheckDestination
  readonly checkBatch: CheckBatch
}

/** The list: what waits for this person, what they asked for, and what was decided. */
const listApprovals = defineConsoleScreen({
  method: 'GET',
  path: '/approvals',
  query: ['part', 'after'],
  operation: 'listApprovals',
  summary: 'Payouts and batches that wait for a decision',
  right: 'payouts.read',
  menu: {
    group: 'first',
    icon: 'stamp',
    words: ['À approuver', 'To approve'],
    dock: ['Approuver', 'Approve'],
    count: 'approvals',
  },
  async handle(request, { sql, clock }: ApprovalDeps) {
    const { tenant, actor, query } = request
    const part = parts.find((one) => one === query.get('part')) ?? 'waiting'
    const after = /^[0-9a-z]{26}$/.exec(query.get('after') ?? '')?.[0] ?? null
    const [page, waiting, balances, names] = await Promise.all([
      readApprovals(sql, tenant, { person: actor.person, part, limit: PAGE, after }),
      countApprovals(sql, tenant, actor.person),
      readBalances(sql, tenant),
      readNames(sql, tenant),
    ])
    const requests = page.rows.flatMap(({ kind, row }) => (kind === 'request' ? [row] : []))
    const differences = part === 'waiting' ? await readDifferences(sql, tenant, requests, clock.now()) : new Map()
    return listView(request, { part, page, waiting, transfer: balances?.transfer ?? 0, differences, names })
  },
})

/** One request or batch: to decide on while it waits, and how it ended afterwards. */
const showApproval = defineConsoleScreen({
  method: 'GET',
  path: '/approvals/:id',
  query: ['lines'],
  operation: 'showApproval',
  summary: 'A payout or a batch that waits for a decision, or how it was decided',
  right: 'payouts.read',
  async handle(request, deps: ApprovalDeps) {
    const approval = await find(request, deps)
    return approval === null ? absent : show(request, deps, approval)
  },
})

const approve = decision('approve', 'approvePayout', 'Approve a payout or a batch')
const reject = decision('reject', 'rejectPayout', 'Decline a payout or a batch')

function decision(act: Act, operation: string, summary: string) {
  return defineConsoleScreen({
    method: 'POST',
    path: `/approvals/:id/${act}`,
    operation,
    summary,
    right: 'payouts.approve',
    async confirm(request, deps: ApprovalDeps): Promise<Confirmation | ScreenAnswer> {
      const approval = await find(request, deps)
      if (approval === null) return absent
      if (isSettled(approval)) return show(request, deps, approval, { tried: act })
      // Known before anybody looks for their telephone. The operation asks again, under its locks.
      if (!(await isIndependent(request, deps, approval))) {
        return show(request, deps, approval, { refused: 'same_person' })
      }
      const decline_reason = act === 'reject' ? declineReasonIn(request) : null
      if (act === 'reject' && decline_reason === null && request.fields.text('decline_reason') !== '')
        return show(request, deps, approval, { refused: 'reason_unreadable' })
      const facts =
        approval.kind === 'request'
          ? await readRequestFacts(deps, approval.row)
          : await readBatchFacts(deps, approval.row)
      if (act === 'approve' && approval.kind === 'request' && facts.funds.missing > 0) {
        return show(request, deps, approval, { refused: 'insufficient_funds' })
      }
      const names = await readNames(deps.sql, request.tenant)
      return confirmationOf(request, act, approval, { ...facts, decline_reason }, names)
    },
    async handle(request, deps: ApprovalDeps) {
      const approval = await find(request, deps)
      if (approval === null) return absent
      const refused = await decide(deps, act, approval, request.actor, declineReasonIn(request))
      if (refused === null) {
        const done = act === 'approve' ? 'approved' : 'declined'
        return moved(request.at(`/approvals/${approval.row.id}?done=${done}`))
      }
      // Somebody else, time, or the maker was quicker: the page says how things stand.
      const now = await find(request, deps)
      if (now === null) return absent
      return show(request, deps, now, isSettled(now) ? { tried: act } : { refused })
    },
  })
}

/** Asks operators whether the names are those of the numbers' holders. Nothing moves. */
const checkNames = defineConsoleScreen({
  method: 'POST',
  path: '/approvals/:id/names',
  operation: 'checkNamesOfApproval',
  summary: 'Check the names of a payout or a batch at the operators',
  right: 'payouts.approve',
  async handle(request, deps: ApprovalDeps) {
    const approval = await find(request, deps)
    if (approval === null) return absent
    const { tenant } = request
    const { active } = await deps.settings(tenant.merchant_id)
    const checker = { ...tenant, merchant_active: active }
    if (approval.kind === 'batch') {
      const asked = await deps.checkBatch(checker, approval.row.id)
      if (asked.kind === 'refused') return show(request, deps, approval, { refused: asked.code })
      return moved(request.at(`/approvals/${approval.row.id}#lines`))
    }
    const { msisdn, operator, name, label } = approval.row
    const destination = {
      kind: 'inline' as const,
      msisdn: Msisdn.stored(msisdn),
      operator: operatorOf(operator),
      name: name ?? label ?? '',
    }
    const checked = await deps.checkDestination(checker, destination, (call) => call())
    // The word stands in this answer alone: in an address anybody could write it.
    return checked.kind === 'refused'
      ? show(request, deps, approval, { refused: checked.code })
      : show(request, deps, approval, { name_check: checked.result })
  },
})

/** In the order of the menu. */
export const approvalScreens = [listApprovals, showApproval, approve, reject, checkNames, ...aloneScreens] as const

/** The request or the batch of the address; null: it is not this merchant's, or not of this mode. */
async function find({ tenant, params }: ApprovalRequest, { sql }: ApprovalDeps): Promise<Approval | null> {
  const [, prefix] = /^(por|pob)_[0-9a-z]{26}$/.exec(params.id ?? '') ?? []
  const id = params.id!
  if (prefix === 'por') {
    const row = await readRequestToDecide(sql, { ...tenant, request_id: id })
    return row && { kind: 'request', row }
  }
  if (prefix === undefined) return null
  const row = await readBatchToDecide(sql, { ...tenant, batch_id: id })
  return row && { kind: 'batch', row }
}

/** The page of a request or a batch as it stands. */
async function show(
  request: ApprovalRequest,
  deps: ApprovalDeps,
  approval: Approval,
  news: { tried?: Act; refused?: RefusalOfDecision; name_check?: NameMatch } = {},
): Promise<ScreenAnswer> {
  const names = await readNames(deps.sql, request.tenant)
  const refused = news.refused === undefined ? null : { code: news.refused, ...refusalWords(request, news.refused) }
  if (isSettled(approval)) {
    const payout = approval.kind === 'request' ? await readPayoutOf(deps.sql, approval.row) : null
    const next = await firstWaiting(request, deps)
    return settledView(request, { settled: { ...approval, payout }, names, next, tried: news.tried ?? null })
  }
  const independent = await isIndependent(request, deps, approval)
  if (approval.kind === 'batch') {
    return batchView(request, { facts: await readBatchFacts(deps, approval.row), names, independent, refused })
  }
  const facts = await readRequestFacts(deps, approval.row)
  const alone = independent ? null : await readAlone(deps.sql, request, approval.row.id)
  return requestView(request, { facts, names, independent, alone, name_check: news.name_check ?? null, refused })
}

/** Whether this person neither asked nor made the key that asked. The operation holds the same. */
async function isIndependent(
  { tenant, actor }: ApprovalRequest,
  { sql }: ApprovalDeps,
  { row }: Approval,
): Promise<boolean> {
  if (!isIndependentApprover(row.made_by, actor.person)) return false
  return !(await madeKeyOf(sql, tenant, row.made_by, actor.person))
}

/** The first that waits for this person; null: nothing does, or it is not theirs to decide. */
async function firstWaiting({ tenant, actor, can }: ApprovalRequest, { sql }: ApprovalDeps): Promise<Approval | null> {
  if (!can('payouts.approve')) return null
  const wanted = { person: actor.person, part: 'waiting' as const, limit: 1, after: null }
  return (await readApprovals(sql, tenant, wanted)).rows[0] ?? null
}
