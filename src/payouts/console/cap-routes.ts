import { type ActScreenDeps, consoleAct } from '../../console/acts/act-screen.ts'
import { note, pageHead, panel } from '../../console/components.ts'
import { errorList, type FieldError } from '../../console/forms.ts'
import { defineConsoleScreen, type ScreenAnswer, type ScreenRequest } from '../../console/screen.ts'
import { readPaymentUndo } from '../../merchants/store.ts'
import type { Clock } from '../../platform/clock.ts'
import { html } from '../../platform/http/html.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import type { CapProposal } from '../caps/cap-proposal.ts'
import { readCapProposals } from '../caps/proposal-store.ts'
import { type CapProposed, type CapWishDeps, proposeCap } from '../caps/propose-cap.ts'
import { readCapsInUse, type UsualLimits } from '../caps/read-caps.ts'
import { type CountPaymentsAbove, capForm, capUse, drawCapQuestion, proposalList, undoPanel } from './cap-parts.ts'

export type CapDeps = {
  readonly sql: Sql
  readonly clock: Clock
  readonly payoutCaps: UsualLimits
  readonly countPaymentsAbove: CountPaymentsAbove
}
type Request = ScreenRequest<'console'>

export const getCaps = defineConsoleScreen<CapDeps>({
  method: 'GET',
  path: '/caps',
  operation: 'consoleCaps',
  summary: 'The caps in force for payouts with their use, and the higher ones that were asked for',
  right: 'payouts.read',
  menu: { group: 'sent', icon: 'gear', words: ['Plafonds', 'Caps'] },
  handle: (request, deps) => show(request, deps, []),
})

/** Asks for another cap. A lower cap applies at once, a higher one waits for the staff. */
const postCaps = consoleAct<CapWishDeps, CapProposed, CapDeps & ActScreenDeps & CapWishDeps>(proposeCap, {
  path: '/caps',
  back: ({ at }) => at('/caps'),
  prepare: async (request, deps) => ({ ...deps, asker: askerOf(request) }),
  shown: drawCapQuestion,
  done: (_, { proposal }) => `/caps?done=${proposal === null ? 'saved' : 'asked_team'}`,
  again: show,
})

function askerOf({ can }: Request): 'owner' | 'member' {
  return can('caps.limit_payments') ? 'owner' : 'member'
}

async function show(request: Request, deps: CapDeps, errors: readonly FieldError[]): Promise<ScreenAnswer> {
  const { say, at, can, tenant } = request
  const [caps, proposals, lowered] = await Promise.all([
    readCapsInUse(deps.sql, tenant, deps.payoutCaps),
    readCapProposals(deps.sql, tenant),
    readPaymentUndo(deps.sql, tenant.merchant_id),
  ])
  const undo = tenant.livemode && askerOf(request) === 'owner' ? lowered : null
  const title = say(['Plafonds', 'Caps'])
  const asking = can('caps.propose')
    ? panel(say(['Demander un autre plafond', 'Request another cap']), capForm(request, at('/caps'), errors))
    : note(
        'plain',
        null,
        say([
          'Un propriétaire, un demandeur ou un approbateur peut demander un autre plafond.',
          'An owner, a maker or an approver can request another cap.',
        ]),
      )
  const asked =
    proposals.length > 0 && panel(say(['Demandes', 'Requests']), proposalList(request, proposals), { flush: true })
  const undoing = undo !== null && undoPanel(request, at('/caps'), undo)
  const inForce = panel(say(['En vigueur', 'In force']), capUse(request, caps))
  const parts = html`${undoing}<div class="half">${inForce}${asking}</div>${asked}`
  const main = html`${pageHead({ title })}${errorList(say, errors)}<div class="stack">${parts}</div>`
  const facts = { caps, proposals: proposals.map(shownToMerchant), undo, errors }
  return { kind: 'view', status: errors.length > 0 ? 422 : 200, title, main, facts }
}

/** Leaves out the staff's names. */
function shownToMerchant({ id, cap, amount, reason, status, proposed_at, decided_at, refusal_reason }: CapProposal) {
  return { id, cap, amount, reason, status, proposed_at, decided_at, refusal_reason }
}

export const capScreens = [getCaps, postCaps] as const
