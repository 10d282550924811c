import { rows } from '../../console/components.ts'
import type { Confirmation } from '../../console/screen.ts'
import type { RefusedOrder } from '../../operators/doubts/ask-refused.ts'
import { html } from '../../platform/http/html.ts'
import { drawAmount, writeAmount } from '../../platform/http/pages/write-values.ts'
import { askedFacts, failedPart } from '../ask-first.ts'
import { sayLines } from '../batches/fault-words.ts'
import { type ApprovalRequest, operatorPiece, readerOf } from './parts.ts'
import type { BatchFacts } from './read-batch.ts'
import type { RequestFacts } from './read-request.ts'
import { recipient } from './request-view.ts'
import type { Act } from './settled-view.ts'
import type { Approval } from './waiting.ts'
import { type Names, writePerson } from './words.ts'

/** Returns the content that a person confirms: the act, the amount, the recipient, the fees and the maker. If one changes, the act is refused. */
export function confirmationOf(
  request: ApprovalRequest,
  act: Act,
  approval: Approval,
  {
    fee_amount,
    funds,
    decline_reason = null,
    asked = [],
  }: (RequestFacts | BatchFacts) & {
    readonly decline_reason?: string | null
    readonly asked?: readonly RefusedOrder[]
  },
  names: Names,
): Confirmation {
  const { say, at } = request
  const { row } = approval
  const money = {
    fee_amount,
    made_by: row.made_by,
    ...(decline_reason !== null && { decline_reason }),
    ...askedFacts(asked),
  }
  const content =
    approval.kind === 'request'
      ? {
          act,
          request_id: row.id,
          amount: approval.row.amount,
          name: approval.row.name ?? approval.row.label,
          msisdn: approval.row.msisdn,
          operator: approval.row.operator,
          reference: approval.row.reference,
          ...money,
        }
      : {
          act,
          batch_id: row.id,
          amount: approval.row.total_amount,
          line_count: approval.row.line_count,
          reference: approval.row.reference,
          ...money,
        }
  const amount = approval.kind === 'request' ? approval.row.amount : approval.row.total_amount
  const to =
    approval.kind === 'request'
      ? html`${recipient({ request: approval.row })}<br>${operatorPiece(approval.row.operator)}`
      : html`<b>${row.reference ?? say(['Lot', 'Batch'])}</b>, ${sayLines(say, approval.row.line_count)}`
  const facts = rows([
    { name: say(['Demandé par', 'Requested by']), value: writePerson(readerOf(request, names), row.made_by) },
    approval.kind === 'request' && row.reference !== null && { name: say(['Pour', 'For']), value: row.reference },
    decline_reason !== null && { name: say(['Raison', 'Reason']), value: decline_reason },
    act === 'approve' && { name: say(['Frais', 'Fees']), value: writeAmount(fee_amount) },
    act === 'approve' && {
      name: say(['Pris sur le solde d’envoi', 'Taken from the payout balance']),
      value: writeAmount(funds.taken),
      all: true,
    },
  ])
  const title =
    act === 'approve'
      ? say(['Confirmer l’approbation', 'Confirm the approval'])
      : say(['Confirmer le refus', 'Confirm the refusal'])
  return {
    kind: 'confirm',
    subject: row.id,
    content,
    shown: html`<h1><span class="sr">${title}${say([' : ', ': '])}</span>${drawAmount(amount)}</h1><p>${act === 'reject' && html`<span class="tag bad">${say(['Refus : rien ne part', 'Declined: nothing leaves'])}</span><br>`}${to}</p>${facts}${failedPart(say, asked)}`,
    title,
    back: at(`/approvals/${row.id}`),
  }
}
