import { absent, type Confirmation, defineConsoleScreen, moved, type ScreenAnswer } from '../../console/screen.ts'
import { readBalances } from '../../ledger/balances.ts'
import type { CheckBatch } from '../../payout-batches/check-batch.ts'
import type { CheckDestination } from '../../payouts/check-recipient.ts'
import { Msisdn } from '../../values/msisdn.ts'
import { type AskFirstDeps, askAboutSame, isAsking } from '../ask-first.ts'
import { aloneScreens } from './alone-routes.ts'
import { confirmationOf } from './confirmation.ts'
import { decide } from './decide.ts'
import { listView, parts } from './list-view.ts'
import { declineReasonIn, operatorOf } from './parts.ts'
import { readBatchFacts } from './read-batch.ts'
import { type ReadDeps, readDifferences, readRequestFacts } from './read-request.ts'
import { type Act, isSettled } from './settled-view.ts'
import { findApproval, isIndependent, showApproval } from './show-approval.ts'
import { countApprovals, readApprovals, readNames } from './waiting.ts'

/** The number of requests and batches on a page. */
const PAGE = 30

export type ApprovalDeps = ReadDeps &
  AskFirstDeps & {
    readonly checkDestination: CheckDestination
    readonly checkBatch: CheckBatch
  }

/** The list: requests that wait for this person, their own, and decided ones. */
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

/** One request or batch: the decision while it waits, and its end afterwards. */
const getApproval = defineConsoleScreen({
  method: 'GET',
  path: '/approvals/:id',
  query: ['lines'],
  operation: 'showApproval',
  summary: 'A payout or a batch that waits for a decision, or how it was decided',
  right: 'payouts.read',
  async handle(request, deps: ApprovalDeps) {
    const approval = await findApproval(request, deps)
    return approval === null ? absent : showApproval(request, deps, approval)
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
      const approval = await findApproval(request, deps)
      if (approval === null) return absent
      if (isSettled(approval)) return showApproval(request, deps, approval, { tried: act })
      // Checked before the person is asked for a factor. The operation checks it again under its locks.
      if (!(await isIndependent(request, deps, approval))) {
        return showApproval(request, deps, approval, { refused: 'same_person' })
      }
      const decline_reason = act === 'reject' ? declineReasonIn(request) : null
      if (act === 'reject' && decline_reason === null && request.fields.text('decline_reason') !== '')
        return showApproval(request, deps, approval, { refused: 'reason_unreadable' })
      const facts =
        approval.kind === 'request'
          ? await readRequestFacts(deps, approval.row)
          : await readBatchFacts(deps, approval.row)
      if (act === 'approve' && approval.kind === 'request' && facts.funds.missing > 0) {
        return showApproval(request, deps, approval, { refused: 'insufficient_funds' })
      }
      const sends = 'lines' in facts ? facts.lines : [facts.request]
      const asked = act === 'approve' ? await askAboutSame(deps, request, sends) : []
      if (isAsking(asked)) return showApproval(request, deps, approval, { refused: 'asking_operator' })
      const names = await readNames(deps.sql, request.tenant)
      return confirmationOf(request, act, approval, { ...facts, decline_reason, asked }, names)
    },
    async handle(request, deps: ApprovalDeps) {
      const approval = await findApproval(request, deps)
      if (approval === null) return absent
      const refused = await decide(deps, act, approval, request.actor, declineReasonIn(request))
      if (refused === null) {
        const done = act === 'approve' ? 'approved' : 'declined'
        return moved(request.at(`/approvals/${approval.row.id}?done=${done}`))
      }
      // Another person, the expiry or the maker was faster: the page shows the current state.
      const now = await findApproval(request, deps)
      if (now === null) return absent
      return showApproval(request, deps, now, isSettled(now) ? { tried: act } : { refused })
    },
  })
}

/** Asks operators whether the names are those of the numbers' holders. No money moves. */
const checkNames = defineConsoleScreen({
  method: 'POST',
  path: '/approvals/:id/names',
  operation: 'checkNamesOfApproval',
  summary: 'Check the names of a payout or a batch at the operators',
  right: 'payouts.approve',
  async handle(request, deps: ApprovalDeps) {
    const approval = await findApproval(request, deps)
    if (approval === null) return absent
    const { tenant } = request
    const { active } = await deps.settings(tenant.merchant_id)
    const checker = { ...tenant, merchant_active: active }
    if (approval.kind === 'batch') {
      const asked = await deps.checkBatch(checker, approval.row.id)
      if (asked.kind === 'refused') return showApproval(request, deps, approval, { refused: asked.code })
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
    // Only this answer has the result. In an address anybody could forge it.
    return checked.kind === 'refused'
      ? showApproval(request, deps, approval, { refused: checked.code })
      : showApproval(request, deps, approval, { name_check: checked.result })
  },
})

/** The screens of approvals, in the order of the menu. */
export const approvalScreens = [listApprovals, getApproval, approve, reject, checkNames, ...aloneScreens] as const
