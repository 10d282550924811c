import type { Offer } from '../../people/answer-offer.ts'
import { roleWords } from '../../people/role-words.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { writeShortDate } from '../../platform/http/pages/write-values.ts'
import type { Language } from '../../values/language.ts'
import { accountCode, rows } from '../components.ts'
import { nonceField } from '../forms.ts'
import { icon } from '../icons.ts'
import type { Say } from '../say.ts'
import type { ScreenDoor } from '../screen.ts'

export type OfferFacts = {
  readonly door: ScreenDoor
  readonly language: Language
  readonly nonce: string
  readonly offers: readonly Offer[]
  readonly account_code: string | null
}

/** The page of the roles that teams offer a person, each with the two answers. */
export function offersView(say: Say, facts: OfferFacts): Html {
  const home = html`<p class="acts"><a class="button quiet" href="/${facts.door}">${say(['Revenir', 'Back'])}</a></p>`
  if (facts.offers.length === 0)
    return html`<article class="slip"><div><span class="icon">${icon('people')}</span><h1>${say(['Aucun rôle ne vous attend', 'No role waits for you'])}</h1>${home}</div></article>`
  const title = say(['Une équipe vous propose un rôle', 'A team offers you a role'])
  const lead = say([
    'Rien ne compte avant votre accord. Si vous ne connaissez pas cette équipe, déclinez.',
    'Nothing takes effect before you accept. If you do not know this team, decline.',
  ])
  return html`<article class="slip"><div><span class="icon">${icon('people')}</span><h1>${title}</h1><p class="lead">${lead}</p></div>${facts.offers.map((offer) => offerPart(say, facts, offer))}${facts.account_code !== null && html`<div>${accountCode(say, facts.account_code)}</div>`}<div>${home}</div></article>`
}

function offerPart(
  say: Say,
  { door, language, nonce }: OfferFacts,
  { merchant_id, merchant_name, roles }: Offer,
): Html {
  const place = merchant_name ?? say(['L’équipe du service', 'The team of the service'])
  const shown = roles.map(({ role, granter, granted_by, granted_at, to_confirm }) => ({
    name: say(roleWords[role]),
    value: html`${granter === granted_by ? granter : `${granter}, ${granted_by}`}, ${writeShortDate(granted_at, language)}${to_confirm && html`<span class="sub">${say(['compte aussi après l’accord d’une deuxième personne', 'also needs the confirmation of a second person'])}</span>`}`,
  }))
  const answer = (word: 'accept' | 'decline', button: Html) =>
    html`<form method="post" action="/${door}/offers">${nonceField(nonce)}<input type="hidden" name="merchant" value="${String(merchant_id)}"><input type="hidden" name="answer" value="${word}">${button}</form>`
  const of = html`<span class="sr">, ${place}</span>`
  return html`<div><h2>${place}</h2>${rows(shown)}<div class="acts">${answer('accept', html`<button>${say(['Accepter', 'Accept'])}${of}</button>`)}${answer('decline', html`<button class="stop">${say(['Décliner', 'Decline'])}${of}</button>`)}</div></div>`
}

/** The way to that page, above the first page of a person who has an offer. */
export function offersLink(say: Say, door: ScreenDoor): Html {
  const words = say([
    'Une équipe vous propose un rôle. Acceptez-le ou déclinez-le.',
    'A team offers you a role. Accept it or decline it.',
  ])
  return html`<a class="toast care" href="/${door}/offers"><span class="dot">${icon('people')}</span><p>${words}</p>${icon('right')}</a>`
}
