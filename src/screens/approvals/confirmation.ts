import { rows } from '../../console/components.ts'
import type { RefusedOrder } from '../../operators/doubts/ask-refused.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { drawAmount, writeAmount } from '../../platform/http/pages/write-values.ts'
import { failedPart } from '../ask-first.ts'
import { sayLines } from '../batches/fault-words.ts'
import { type ApprovalRequest, operatorPiece, readerOf } from './parts.ts'
import { recipient } from './request-view.ts'
import type { Act } from './settled-view.ts'
import { type Names, writePerson } from './words.ts'

/** The signed content of a decision. A batch has `lines` and no recipient; only an approval has fees. */
export type Decision = {
  readonly amount: number
  readonly lines: number | null
  readonly recipient: { readonly name: string | null; readonly operator: string | null } | null
  readonly msisdn?: string
  readonly reference: string | null
  readonly decline_reason: string | null
  readonly fee_amount: number | null
  readonly taken: number | null
  readonly requested_by: string
}

/** Draws what a person decides on: the amount, the recipient with the whole number, the fees, the maker, and what operators said. */
export function drawDecision(
  request: ApprovalRequest,
  act: Act,
  decision: Decision,
  asked: readonly RefusedOrder[],
  names: Names,
): Html {
  const { say } = request
  const { amount, lines, recipient: to, msisdn = '', reference, decline_reason, fee_amount, taken } = decision
  const toWhom =
    to !== null
      ? html`${recipient({ request: { name: to.name, label: null, msisdn } })}<br>${operatorPiece(to.operator)}`
      : html`<b>${reference ?? say(['Lot', 'Batch'])}</b>, ${sayLines(say, lines!)}`
  const facts = rows([
    { name: say(['Demandé par', 'Requested by']), value: writePerson(readerOf(request, names), decision.requested_by) },
    to !== null && reference !== null && { name: say(['Pour', 'For']), value: reference },
    decline_reason !== null && { name: say(['Raison', 'Reason']), value: decline_reason },
    fee_amount !== null && { name: say(['Frais', 'Fees']), value: writeAmount(fee_amount) },
    taken !== null && {
      name: say(['Pris sur le solde d’envoi', 'Taken from the payout balance']),
      value: writeAmount(taken),
      all: true,
    },
  ])
  const title = titleOf(request, act)
  const declined = html`<span class="tag bad">${say(['Refus : rien ne part', 'Declined: nothing leaves'])}</span><br>`
  const sum = html`<h1><span class="sr">${title}${say([' : ', ': '])}</span>${drawAmount(amount)}</h1>`
  return html`${sum}<p>${act === 'reject' && declined}${toWhom}</p>${facts}${failedPart(say, asked)}`
}

function titleOf({ say }: ApprovalRequest, act: Act): string {
  return act === 'approve'
    ? say(['Confirmer l’approbation', 'Confirm the approval'])
    : say(['Confirmer le refus', 'Confirm the refusal'])
}
