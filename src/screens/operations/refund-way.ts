import { linkButton } from '../../console/components.ts'
import { type ConsoleFrame, deskAddress } from '../../console/console-frame.ts'
import type { ScreenRequest } from '../../console/screen.ts'
import { html, type Piece } from '../../platform/http/html.ts'
import { rightsOf } from '../../values/rights.ts'

/**
 * The link from a payment to its refund, which staff make on the desk: a button for staff members with the right, a sentence for the
 * merchant's people. Empty when nothing was paid, or all is refunded.
 */
export function refundWay(
  { say, session, livemode }: ScreenRequest<'console'>,
  frame: Pick<ConsoleFrame, 'originOf'>,
  { id, status }: { readonly id: string; readonly status: string },
): Piece {
  if (status !== 'succeeded' && status !== 'partially_refunded') return ''
  if (rightsOf(session.staff_roles).has('refunds.manage')) {
    const to = deskAddress(frame, livemode, `/payments/${id}/refund`)
    return html`<p class="acts">${linkButton(to, say(['Rembourser ce paiement', 'Refund this payment']), 'second')}</p>`
  }
  return html`<p class="hint">${say([
    'Pour le rembourser, écrivez à l’équipe du service avec le numéro du paiement.',
    'For a refund, write to the team of the service with the identifier of the payment.',
  ])}</p>`
}
