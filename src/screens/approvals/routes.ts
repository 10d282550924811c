import type { ActRefused } from '../../acts/act.ts'
import { type ActThere, actThere, consoleActs } from '../../console/acts/act-screen.ts'
import { absent, defineConsoleScreen, moved, type ScreenAnswer, type ScreenRequest } from '../../console/screen.ts'
import { readBalances } from '../../ledger/balances.ts'
import { approveBatch, rejectBatch } from '../../payout-batches/decide-batch.ts'
import { approveRequest, rejectRequest } from '../../payouts/decide-request.ts'
import { Msisdn } from '../../values/msisdn.ts'
import { askAboutSame, askedFacts, isAsking } from '../ask-first.ts'
import { aloneScreens } from './alone-routes.ts'
import { type Decision, drawDecision } from './confirmation.ts'
import { type ApprovalDeps, type ApprovingDeps, sendsOf } from './decision-deps.ts'
import { listView, parts } from './list-view.ts'
import { operatorOf } from './parts.ts'
import { readDifferences } from './read-request.ts'
import type { RefusalOfDecision } from './refusal-words.ts'
import { type Act, isSettled } from './settled-view.ts'
import { findApproval, isIndependent, showApproval } from './show-approval.ts'
import { countApprovals, readApprovals, readNames } from './waiting.ts'

type Request = ScreenRequest<'console'>

/** The number of requests and batches on a page. */
const PAGE = 30

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
    dock_unless: 'payouts.make',
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

type Deps = ApprovingDeps

/** Both decisions, at their address. */
function onPage(act: Act, done: string) {
  return {
    back: ({ at, params }: Request) => at(`/approvals/${params.id}`),
    done: ({ params }: Request) => `/approvals/${params.id}?done=${done}`,
    async again(request: Request, deps: Deps, _: unknown, refusal: ActRefused | null): Promise<ScreenAnswer> {
      const approval = await findApproval(request, deps)
      if (approval === null) return absent
      // Another person, the expiry or the maker was faster: the page shows the current state.
      if (isSettled(approval)) return showApproval(request, deps, approval, { tried: act })
      const refused = (refusal?.code ?? 'reason_unreadable') as RefusalOfDecision
      return showApproval(request, deps, approval, { refused })
    },
    shown: async (request: Request, deps: Deps, content: object) =>
      drawDecision(request, act, content as Decision, deps.asked ?? [], await readNames(deps.sql, request.tenant)),
  }
}

const approving = {
  ...onPage('approve', 'approved'),
  /** Asks the operators about failed payouts like those to approve, once the rest allows the approval. */
  async prepare(request: Request, deps: Deps): Promise<Deps | ScreenAnswer> {
    const approval = await findApproval(request, deps)
    if (approval === null || isSettled(approval) || !(await isIndependent(request, deps, approval))) return deps
    const asked = await askAboutSame(deps, request, await sendsOf(deps, approval))
    if (isAsking(asked)) return showApproval(request, deps, approval, { refused: 'asking_operator' })
    return { ...deps, asked, ...askedFacts(asked) }
  },
}
const rejecting = onPage('reject', 'declined')

/** The POST of an act on the request or the batch of its address. */
function decision(
  screen: { readonly path: string; readonly operation: string; readonly summary: string },
  request: ActThere<Deps>,
  batch: ActThere<Deps>,
) {
  return consoleActs(screen, [request, batch], ({ params: { id = '' } }) =>
    id.startsWith('por_') ? request : id.startsWith('pob_') ? batch : null,
  )
}

const approve = decision(
  { path: '/approvals/:id/approve', operation: 'approvePayout', summary: 'Approve a payout or a batch' },
  actThere(approveRequest, approving),
  actThere(approveBatch, approving),
)
const reject = decision(
  { path: '/approvals/:id/reject', operation: 'rejectPayout', summary: 'Decline a payout or a batch' },
  actThere(rejectRequest, rejecting),
  actThere(rejectBatch, rejecting),
)

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
