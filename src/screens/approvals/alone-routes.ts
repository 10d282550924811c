import type { ActRefused } from '../../acts/act.ts'
import { actThere, consoleActs } from '../../console/acts/act-screen.ts'
import { absent, moved, type ScreenAnswer, type ScreenRequest } from '../../console/screen.ts'
import { soloBatch } from '../../payout-batches/approve-batch-alone.ts'
import { soloRequest } from '../../payouts/approve-request-alone.ts'
import { html } from '../../platform/http/html.ts'
import { askAboutSame, askedFacts, isAsking } from '../ask-first.ts'
import { readAlone } from './alone-part.ts'
import { type Decision, drawDecision } from './confirmation.ts'
import { type ApprovingDeps, sendsOf } from './decision-deps.ts'
import type { RefusalOfDecision } from './refusal-words.ts'
import { isSettled } from './settled-view.ts'
import { findApproval, showApproval } from './show-approval.ts'
import { readNames } from './waiting.ts'

type Request = ScreenRequest<'console'>
type Deps = ApprovingDeps

const page = ({ params }: Request) => `/approvals/${params.id}`

const approving = {
  back: (request: Request) => request.at(page(request)),
  done: (request: Request) => `${page(request)}?done=approved_alone`,
  async again(request: Request, deps: Deps, _: unknown, refusal: ActRefused | null): Promise<ScreenAnswer> {
    const approval = await findApproval(request, deps)
    if (approval === null) return absent
    if (isSettled(approval)) return showApproval(request, deps, approval, { tried: 'approve' })
    // The page says itself who decides.
    if (refusal?.code === 'not_allowed' || refusal?.code === 'not_alone') return moved(request.at(page(request)))
    return showApproval(request, deps, approval, { refused: refusal!.code as RefusalOfDecision })
  },
  /** Asks the operators about failed payouts like those to approve, once the rest allows the approval. */
  async prepare(request: Request, deps: Deps): Promise<Deps | ScreenAnswer> {
    const approval = await findApproval(request, deps)
    if (approval === null || isSettled(approval)) return deps
    const { may, last, expiring } = await readAlone(deps.sql, request, approval)
    if (!may || last?.ended_at === null || expiring !== null) return deps
    const asked = await askAboutSame(deps, request, await sendsOf(deps, approval))
    if (isAsking(asked)) return showApproval(request, deps, approval, { refused: 'asking_operator' })
    return { ...deps, asked, ...askedFacts(asked) }
  },
  async shown(request: Request, deps: Deps, content: object) {
    const names = await readNames(deps.sql, request.tenant)
    const decision = drawDecision(request, 'approve', content as Decision, deps.asked ?? [], names)
    const later = request.say(['Prend effet dans 24 heures.', 'Takes effect in 24 hours.'])
    return html`${decision}<p><b>${later}</b></p>`
  },
}

const stopping = {
  back: (request: Request) => request.at(page(request)),
  done: (request: Request) => `${page(request)}?done=stopped`,
  again: async (request: Request, _: Deps, __: unknown, refusal: ActRefused | null) =>
    moved(request.at(`${page(request)}?done=${refusal!.code}`)),
}

const [approveRequest, approveBatch] = [
  actThere(soloRequest.approve, approving),
  actThere(soloBatch.approve, approving),
]
const [stopRequest, stopBatch] = [actThere(soloRequest.stop, stopping), actThere(soloBatch.stop, stopping)]

/** Chooses by the kind of the subject in the address. */
const byKind =
  <There>(request: There, batch: There) =>
  ({ params: { id = '' } }: Request): There | null =>
    id.startsWith('por_') ? request : id.startsWith('pob_') ? batch : null

export const aloneScreens = [
  consoleActs(
    {
      path: '/approvals/:id/approve-alone',
      operation: 'approvePayoutAlone',
      summary:
        'Approve a payout of one’s own key, or a batch of one’s own, as the only person of a merchant, a day ahead',
    },
    [approveRequest, approveBatch],
    byKind(approveRequest, approveBatch),
  ),
  consoleActs(
    {
      path: '/approvals/:id/stop-alone',
      operation: 'stopPayoutAlone',
      summary: 'Stop an approval of one person before it takes effect',
    },
    [stopRequest, stopBatch],
    byKind(stopRequest, stopBatch),
  ),
] as const
