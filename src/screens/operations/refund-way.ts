import { linkButton } from '../../console/components.ts'
import { type ConsoleFrame, deskAddress } from '../../console/console-frame.ts'
import type { ScreenRequest } from '../../console/screen.ts'
import type { PaymentRow } from '../../payments/payment.ts'
import { html, type Piece } from '../../platform/http/html.ts'
import type { RefundRequest } from '../../refunds/refund-request.ts'
import { rightsOf } from '../../values/rights.ts'
import type { Names } from '../approvals/words.ts'
import { askButton, requestPart } from '../refunds/ask-refund-view.ts'

/**
 * The way from a payment to its refund, which staff make on the desk: a button for staff members with the right, the request of the merchant's people
 * and where it stands, or a sentence for those who may not ask. Empty when nothing was paid, or nothing is left and nobody asked.
 * @param given the francs of its refunds, also of those on their way
 */
export function refundWay(
  { say, session, livemode, ...asking }: ScreenRequest<'console'>,
  frame: Pick<ConsoleFrame, 'originOf'>,
  { id, amount, status }: Pick<PaymentRow, 'id' | 'amount' | 'status'>,
  { asked, names, given }: { readonly asked: RefundRequest | null; readonly names: Names; readonly given: number },
): Piece {
  const request = { ...asking, say, session, livemode }
  const stands = asked !== null && requestPart(request, asked, names)
  if ((status !== 'succeeded' && status !== 'partially_refunded') || given >= amount) return stands
  if (rightsOf(session.staff_roles).has('refunds.manage')) {
    const to = deskAddress(frame, livemode, `/payments/${id}/refund`)
    const make = linkButton(to, say(['Rembourser ce paiement', 'Refund this payment']), 'second')
    return html`${stands}<p class="acts">${make}</p>`
  }
  if (stands !== false && asked?.status !== 'accepted') return stands
  const ask = askButton(request, id)
  if (ask !== null) return html`${stands}${ask}`
  return html`<p class="hint">${say([
    'Pour le rembourser, écrivez à l’équipe du service avec le numéro du paiement.',
    'For a refund, write to the team of the service with the identifier of the payment.',
  ])}</p>`
}
