import { type AdjustmentRow, viewAdjustment } from '../../adjustments/adjustment.ts'
import { type DecideAdjustmentResult, decideAdjustment } from '../../adjustments/decide-adjustment.ts'
import { readAdjustment, readWaitingAdjustments } from '../../adjustments/find-adjustments.ts'
import { panel, status } from '../../console/components.ts'
import { decideBar, type FieldError } from '../../console/forms.ts'
import { quoted, type Words } from '../../console/say.ts'
import {
  defineDeskScreen,
  moved,
  type ScreenAnswer,
  type ScreenRequest,
  type ScreenView,
} from '../../console/screen.ts'
import { adjustment as adjustmentLegs } from '../../ledger/postings.ts'
import { readMerchantName } from '../../merchants/store.ts'
import { canDecideOn } from '../../people/second-person.ts'
import type { Clock } from '../../platform/clock.ts'
import { html } from '../../platform/http/html.ts'
import { drawAmount } from '../../platform/http/pages/write-values.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { personName, titleOf } from './case-words.ts'
import { legsTable } from './legs-table.ts'
import { actOn, proposalSection, readAround, subjectPage } from './subject-page.ts'
import { waitingListView } from './waiting-list.ts'

export type AdjustmentDeps = { sql: Sql; clock: Clock }
type Request = ScreenRequest<'desk'>

const withAdjustment = actOn(readAdjustment)

/** Adjustments that wait for a second person, oldest first. */
export const getDeskAdjustments = defineDeskScreen<AdjustmentDeps>({
  method: 'GET',
  path: '/adjustments',
  operation: 'deskAdjustments',
  summary: 'Read the adjustments that wait for a second person',
  right: 'cases.read',
  menu: { group: 'money', icon: 'in', words: ['Ajustements', 'Adjustments'], count: 'to_adjust' },
  async handle(request, deps) {
    const { say, livemode } = request
    const adjustments = await readWaitingAdjustments(deps.sql, livemode)
    return waitingListView(request, deps, {
      path: '/adjustments',
      title: say(['Ajustements à confirmer', 'Adjustments to confirm']),
      none: {
        title: say(['Aucun ajustement n’attend', 'No adjustment waits']),
        text: say([
          'Un ajustement se propose sur la page de son marchand, puis une autre personne le confirme ici.',
          'An adjustment is proposed on the page of its merchant, and another person confirms it here.',
        ]),
      },
      rows: adjustments.map(({ direction, proposed_at, ...row }) => ({
        ...row,
        under: titleOf({ kind: 'adjustment', direction }, say),
        since: proposed_at,
      })),
      facts: { adjustments: adjustments.map(viewAdjustment) },
    })
  },
})

export const getDeskAdjustment = defineDeskScreen<AdjustmentDeps>({
  method: 'GET',
  path: '/adjustments/:id',
  operation: 'deskAdjustment',
  summary: 'Read an adjustment as the second person decides on it',
  right: 'cases.read',
  handle: (request, deps) => withAdjustment(request, deps, (row) => adjustmentView(request, deps, row)),
})

/** Books a proposed adjustment: by a second person, with a fresh factor for exactly this one. */
export const postApproveAdjustment = defineDeskScreen<AdjustmentDeps>({
  method: 'POST',
  path: '/adjustments/:id/approve',
  operation: 'deskApproveAdjustment',
  summary: 'Book a proposed adjustment, as the second of two people',
  right: 'adjustments.manage',
  confirm: (request, deps) =>
    withAdjustment(request, deps, async (row) => {
      const { say, at } = request
      const { id, merchant_id, direction, amount, counterpart, reason, status: standing } = row
      if (standing !== 'proposed')
        return adjustmentView(request, deps, row, [{ field: 'main', text: say(whyNot.already_decided) }])
      return {
        kind: 'confirm',
        subject: id,
        content: { adjustment_id: id, merchant_id, direction, amount, counterpart, reason },
        title: titleOf({ kind: 'adjustment', direction }, say),
        back: at(`/adjustments/${id}`),
        shown: html`<h1>${drawAmount(amount)}</h1><p class="say">${await readMerchantName(deps.sql, merchant_id)} · ${titleOf({ kind: 'adjustment', direction }, say)}</p><p class="soft">${say(quoted, { text: reason })}</p>`,
      }
    }),
  handle: (request, deps) => decide(request, deps, 'approved'),
})

/** Refuses a proposed adjustment: nothing is booked. */
export const postRefuseAdjustment = defineDeskScreen<AdjustmentDeps>({
  method: 'POST',
  path: '/adjustments/:id/refuse',
  operation: 'deskRefuseAdjustment',
  summary: 'Refuse a proposed adjustment',
  right: 'adjustments.manage',
  handle: (request, deps) => decide(request, deps, 'refused'),
})

const whyNot: Readonly<Record<Extract<DecideAdjustmentResult, { kind: 'refused' }>['code'], Words>> = {
  resource_not_found: ['Il n’y a rien à cette adresse.', 'There is nothing at this address.'],
  already_decided: ['Déjà décidé.', 'Decided already.'],
  same_person: [
    'Vous l’avez proposé, ou vous avez fait entrer qui l’a proposé depuis moins de 90 jours : une autre personne décide.',
    'You proposed it, or let in within 90 days the person who did: another person decides.',
  ],
  insufficient_funds: [
    'Le solde disponible du marchand ne le couvre pas encore. Il attend.',
    'The merchant’s available balance does not cover it yet. It waits.',
  ],
}

function decide(request: Request, deps: AdjustmentDeps, decided: 'approved' | 'refused'): Promise<ScreenAnswer> {
  return withAdjustment(request, deps, async (row) => {
    const result = await decideAdjustment(deps.sql, row.id, { status: decided, decided_by: request.actor })
    if (result.kind === 'decided')
      return moved(request.at(`/adjustments/${row.id}?done=${decided === 'approved' ? 'confirmed' : 'declined'}`))
    const now = (await readAdjustment(deps.sql, row.id)) ?? row
    return adjustmentView(request, deps, now, [{ field: 'main', text: request.say(whyNot[result.code]) }])
  })
}

async function adjustmentView(
  request: Request,
  { sql }: AdjustmentDeps,
  row: AdjustmentRow,
  errors: readonly FieldError[] = [],
): Promise<ScreenView> {
  const { say, at, can, actor } = request
  const { id, direction, amount, counterpart, reason, proposed_by, decided_by } = row
  const around = await readAround(sql, row, [proposed_by, decided_by], actor.person)
  const { merchant, names } = around
  const open = row.status === 'proposed'
  const deciding = open && can('adjustments.manage') && canDecideOn(around.reader, [proposed_by])
  const why =
    !open || deciding
      ? null
      : can('adjustments.manage')
        ? say(whyNot.same_person)
        : say(['La finance décide.', 'Finance decides.'])
  const shown = open
    ? status('wait', say(['Proposé, à confirmer', 'Proposed, to confirm']))
    : row.status === 'approved'
      ? status('ok', say(['Écrit', 'Booked']))
      : status('off', say(['Refusé', 'Refused']))
  const ended =
    decided_by !== null &&
    html`<p class="soft">${say(['Décidé par {name}.', 'Decided by {name}.'], { name: personName(decided_by, names, say) })}</p>`
  const bar =
    deciding &&
    decideBar(
      request,
      { to: at(`/adjustments/${id}/refuse`), words: say(['Refuser', 'Decline']) },
      { to: at(`/adjustments/${id}/approve`), words: say(['Confirmer', 'Confirm']) },
    )
  const legs = adjustmentLegs({ counterpart, amount: direction === 'credit' ? amount : -amount })
  const title = titleOf({ kind: 'adjustment', direction }, say)
  return subjectPage(request, id, around, errors, {
    back: { to: '/adjustments', words: say(['Ajustements', 'Adjustments']) },
    title,
    standing: shown,
    amount: { said: `${title}${say([' : ', ': '])}`, francs: amount },
    line: html`${merchant} · ${title}`,
    slip: html`${proposalSection(request, around, { proposed_by, reason, ended, why })}${bar}`,
    beside: panel(
      open ? say(['Ce qui va s’écrire', 'What will be written']) : say(['L’écriture', 'The entry']),
      legsTable(legs, say),
    ),
    open,
    facts: { adjustment: viewAdjustment(row), merchant },
    deciding,
  })
}
