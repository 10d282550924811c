import { type Html, html } from '../../platform/http/html.ts'
import { drawQr } from '../../platform/http/pages/draw-qr.ts'
import type { LinkFacts, SessionFacts, ViewContext } from './facts.ts'
import type { Situation } from './page-for-state.ts'
import { sayIn } from './say.ts'

/** The situations in which the payer has a next step, which is easier on a phone. */
const situations: ReadonlySet<Situation> = new Set([
  'ask',
  'failed',
  'approve_on_phone',
  'dial',
  'enter_code',
  'redirect',
] satisfies Situation[])

/**
 * The address of this page as a QR code, to continue on a phone. Only a wide screen with a mouse shows it
 * (`page.css`). The page for a phone leaves it out.
 */
export function goOn(
  situation: Situation,
  facts: SessionFacts | LinkFacts,
  { language, handheld }: ViewContext,
): Html | null {
  const acting = facts.kind === 'session' && facts.attempt !== null && situation !== 'failed'
  if (handheld || !situations.has(situation) || !(acting || facts.payable)) return null
  const say = sayIn(language)
  const address = new URL(facts.url)
  address.searchParams.set('lang', language)
  return html`<div class="go-on">${drawQr(address.href, say('go_on_code'), 'L')}<p>${say('go_on')}</p></div>`
}
