import { writeAloneEnd } from '../../console/alone-words.ts'
import { backLink, linkButton, rows, status, toast } from '../../console/components.ts'
import { type IconName, icon } from '../../console/icons.ts'
import type { ScreenView } from '../../console/screen.ts'
import { statusWords } from '../../console/words.ts'
import type { PayoutRow } from '../../payouts/payout.ts'
import { type Html, html, type Piece } from '../../platform/http/html.ts'
import { drawAmount, writeAmount, writeShortDate } from '../../platform/http/pages/write-values.ts'
import { sayLines } from '../batches/fault-words.ts'
import type { LastApproval } from './alone-part.ts'
import { type ApprovalRequest, operatorPiece, readerOf } from './parts.ts'
import { recipient } from './request-view.ts'
import { type Approval, amountOf } from './waiting.ts'
import { type Names, writePerson } from './words.ts'

/** The decision that a person requests. */
export type Act = 'approve' | 'reject'

/** A request or batch that no longer waits, its payout, and its last approval by one person. */
export type Settled = Approval & { readonly payout: PayoutRow | null; readonly alone: LastApproval | null }

type SettledPage = {
  readonly settled: Settled
  readonly names: Names
  /** The next one that waits for this person. Null: none. */
  readonly next: Approval | null
  /** The decision that came too late or again. Null when the page is only read. */
  readonly tried: Act | null
}

/** The end of a request or batch. `open` is a draft that can be executed. */
type End = 'approved' | 'rejected' | 'expired' | 'cancelled' | 'open'

/** Whether a request or batch no longer waits for a decision. */
export function isSettled({ kind, row }: Approval): boolean {
  return kind === 'request' ? row.status !== 'pending_approval' || row.is_over : row.status !== 'en_attente_validation'
}

/** Returns the end of a request or batch. A request that was neither approved nor rejected has expired. */
export function endOf({ kind, row }: Approval): End {
  if (kind === 'request') {
    return row.status === 'approved' || row.status === 'rejected' ? row.status : 'expired'
  }
  if (row.approved_at !== null) return 'approved'
  if (row.status === 'annule') return row.decided_by === null ? 'cancelled' : 'rejected'
  return 'open'
}

/** The page of a decided request: the decision, its person, and where the money is. A repeated submission shows the same. */
export function settledView(request: ApprovalRequest, page: SettledPage): ScreenView {
  const { say, language, at, actor } = request
  const { settled, names, next, tried } = page
  const { row } = settled
  const end = endOf(settled)
  const reader = readerOf(request, names)
  const again =
    tried !== null && row.decided_by === actor.person && end === (tried === 'approve' ? 'approved' : 'rejected')
  const decided_at = settled.kind === 'request' ? settled.row.decided_at : settled.row.approved_at
  const [name, title]: [IconName, string] =
    end === 'approved' || end === 'open'
      ? ['ok', end === 'open' ? say(['Rien à approuver', 'Nothing to approve']) : say(['Approuvé', 'Approved'])]
      : end === 'expired'
        ? ['clock', say(['Expiré', 'Expired'])]
        : ['x', end === 'rejected' ? say(['Refusé', 'Declined']) : say(['Annulé', 'Cancelled'])]
  const icons = html`<span class="icon${end !== 'approved' && end !== 'open' && ' care'}">${icon(name)}</span>`
  const titled = html`<h1>${title} ${drawAmount(amountOf(settled))}</h1>`
  const head = html`${icons}${titled}<p class="lead">${whereItIs(request, settled, end)}</p>`
  const nextLink = next !== null && nextButton(request, next)
  const main = html`${tried !== null && toldAgain(request, page, again)}
${backLink(at('/approvals'), say(['À approuver', 'To approve']))}
<div class="narrow"><article class="slip">
<div>${head}</div>
<div>${rows([
    row.decided_by !== null &&
      end !== 'expired' && {
        name: end === 'rejected' ? say(['Refusé par', 'Declined by']) : say(['Approuvé par', 'Approved by']),
        value: html`${writePerson(reader, row.decided_by)}${decided_at !== null && `, ${writeShortDate(decided_at, language)}`}`,
      },
    row.decline_reason !== null && { name: say(['Raison', 'Reason']), value: row.decline_reason },
    settled.alone !== null &&
      settled.alone.outcome !== null && {
        name: say(['Accord donné seul', 'Approval given alone']),
        value: writeAloneEnd(say, settled.alone.outcome, settled.alone.refusal),
      },
    { name: say(['Demandé par', 'Requested by']), value: writePerson(reader, row.made_by) },
    settled.payout !== null && {
      name: say(['Envoi', 'Payout']),
      value: html`<a href="${at(`/payouts/${settled.payout.id}`)}">${say(['voir l’envoi', 'see the payout'])}</a>`,
    },
    settled.kind === 'batch' && {
      name: say(['Lot', 'Batch']),
      value: html`<a href="${at(`/batches/${row.id}`)}">${say(['voir le lot', 'see the batch'])}</a>`,
    },
  ])}</div>
<div><p class="acts">${nextLink}${linkButton(at('/approvals'), say(['Revenir à la liste', 'Back to the list']), 'quiet')}</p></div>
</article></div>`
  return {
    kind: 'view',
    // A repeated decision is the same decision. One that came too late had no effect.
    ...(tried !== null && !again && { status: 409 }),
    title,
    main,
    moving: isUnderWay(settled),
    facts: {
      [settled.kind]: row,
      end,
      payout: settled.payout,
      alone: settled.alone,
      ...(tried !== null && { refused: again ? null : { code: 'already_decided' } }),
    },
  }
}

/** Whether its payout can still move. */
function isUnderWay({ payout }: Settled): boolean {
  return payout !== null && ['wait', 'going', 'doubt'].includes(statusWords.payout[payout.status][0])
}

/** Says that a repeated or late decision has changed nothing. */
function toldAgain(request: ApprovalRequest, { settled, names }: SettledPage, again: boolean): Html {
  const { say, language } = request
  const { row } = settled
  const end = endOf(settled)
  const decided_at = settled.kind === 'request' ? settled.row.decided_at : settled.row.approved_at
  const when = decided_at === null ? '' : writeShortDate(decided_at, language)
  if (again) {
    const text =
      end === 'approved'
        ? say([
            'Vous aviez déjà approuvé. Rien n’est parti deux fois.',
            'You had approved already. Nothing left twice.',
          ])
        : say(['Vous aviez déjà refusé. Rien n’est parti.', 'You had declined already. Nothing left.'])
    return toast(text, '', say)
  }
  const nothing = say(['Votre décision n’a rien changé.', 'Your decision changed nothing.'])
  const by = row.decided_by === null ? null : writePerson(readerOf(request, names), row.decided_by)
  const text: Record<End, Piece> = {
    approved: html`${say(['Déjà approuvé', 'Approved already'])}${by && html` ${say(['par', 'by'])} ${by}`}${when !== '' && ` (${when})`}.`,
    rejected: html`${say(['Déjà refusé', 'Declined already'])}${by && html` ${say(['par', 'by'])} ${by}`}${when !== '' && ` (${when})`}.`,
    expired: say([
      'La demande a expiré entre-temps. Rien n’est parti.',
      'The request has expired meanwhile. Nothing left.',
    ]),
    cancelled: say([
      'Le lot a été annulé entre-temps. Rien n’est parti.',
      'The batch was cancelled meanwhile. Nothing left.',
    ]),
    open: say(['Ce lot n’attend plus d’approbation.', 'This batch waits for no approval any more.']),
  }
  return toast(html`${text[end]} ${nothing}`, 'care', say)
}

function nextButton({ say, at }: ApprovalRequest, next: Approval): Html {
  const words = say(['Demande suivante : {sum}', 'Next request: {sum}'], { sum: writeAmount(amountOf(next)) })
  return html`<a class="button wide" href="${at(`/approvals/${next.row.id}`)}">${words}</a>`
}

/** Says where the money is now. */
function whereItIs({ say }: ApprovalRequest, settled: Settled, end: End): Piece {
  if (settled.kind === 'batch') {
    const [shape, words] = statusWords.batch[settled.row.status]
    const said = status(shape, say(words))
    const { reference, line_count } = settled.row
    const named = html`${reference ?? say(['Lot', 'Batch'])}, ${sayLines(say, line_count)}. `
    if (end === 'approved' && settled.row.status === 'brouillon') {
      const waits = say([
        'Rien n’est encore parti : il reste à lancer l’envoi, à la page du lot.',
        'Nothing has left yet: the batch is still to be sent, on its own page.',
      ])
      return html`${named}${waits}`
    }
    return html`${named}${end === 'rejected' || end === 'cancelled' ? say(['Rien n’est parti.', 'Nothing left.']) : said}`
  }
  const to = recipient({ request: settled.row })
  const { payout } = settled
  if (payout === null)
    return html`${say(['Envoi à', 'Payout to'])} ${to}. ${say(['Rien n’est parti.', 'Nothing left.'])}`
  const [shape, words] = statusWords.payout[payout.status]
  return html`${say(['Envoi à', 'Payout to'])} ${to}. ${operatorPiece(payout.operator)} ${status(shape, say(words))}`
}
