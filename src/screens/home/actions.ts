import { type IconName, icon } from '../../console/icons.ts'
import type { ScreenRequest } from '../../console/screen.ts'
import { type Html, html } from '../../platform/http/html.ts'
import type { Words } from '../../values/language.ts'
import type { Right } from '../../values/rights.ts'

type Request = ScreenRequest<'console'>

/** An act that the first page offers to those with its right. */
type Action = { readonly right: Right; readonly path: string; readonly icon: IconName; readonly words: Words }

/** The acts of a shop, the commonest first. */
const ofShop: readonly Action[] = [
  { right: 'links.manage', path: '/pay', icon: 'qr', words: ['Faire payer', 'Get paid'] },
  { right: 'payouts.make', path: '/send', icon: 'send', words: ['Envoyer de l’argent', 'Send money'] },
]
/** Those of a developer, for whom asking for a payment is only a trial. */
const ofDeveloper: readonly Action[] = [
  { right: 'keys.manage', path: '/keys', icon: 'key', words: ['Clés', 'Keys'] },
  { right: 'webhooks.manage', path: '/webhooks', icon: 'hook', words: ['Webhooks', 'Webhooks'] },
]
/** Those of a person who only reads. */
const ofReader: readonly Action[] = [
  { right: 'statement.read', path: '/statement', icon: 'sheet', words: ['Relevé', 'Statement'] },
  { right: 'payments.read', path: '/payments', icon: 'in', words: ['Paiements', 'Payments'] },
]

/** The commonest acts of a person, as two large buttons. A shop's own people ask for payments and send; others get the acts of their role. */
export function actionPair({ say, at, can }: Request): Html {
  const mine = (actions: readonly Action[]) => actions.filter(({ right }) => can(right))
  const [first, second] = [ofShop, ofDeveloper, ofReader].map(mine).find(({ length }) => length === 2) ?? mine(ofReader)
  const button = (action: Action | undefined, kind: Html) =>
    action !== undefined &&
    html`<a class="button${kind}" href="${at(action.path)}">${icon(action.icon)}${say(action.words)}</a>`
  return html`<div class="pair">${button(first, html``)}${button(second, html` second`)}</div>`
}
