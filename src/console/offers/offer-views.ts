import type { Offer } from '../../people/answer-offer.ts'
import { roleWords } from '../../people/role-words.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { writeShortDate } from '../../platform/http/pages/write-values.ts'
import type { Language } from '../../values/language.ts'
import { accountCode, rows } from '../components.ts'
import { hiddenField, nonceField } from '../forms.ts'
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
  const people = html`<span class="icon">${icon('people')}</span>`
  if (facts.offers.length === 0) {
    const none = say(['Aucun rôle ne vous attend', 'No role waits for you'])
    return html`<article class="slip"><div>${people}<h1>${none}</h1>${home}</div></article>`
  }
  const title = say(['Une équipe vous propose un rôle', 'A team offers you a role'])
  const lead = say([
    'Rien ne compte avant votre accord. Si vous ne connaissez pas cette équipe, déclinez.',
    'Nothing takes effect before you accept. If you do not know this team, decline.',
  ])
  const offers = facts.offers.map((offer) => offerPart(say, facts, offer))
  const code = facts.account_code !== null && html`<div>${accountCode(say, facts.account_code)}</div>`
  const head = html`<div>${people}<h1>${title}</h1><p class="lead">${lead}</p></div>`
  return html`<article class="slip">${head}${offers}${code}<div>${home}</div></article>`
}

function offerPart(
  say: Say,
  { door, language, nonce }: OfferFacts,
  { merchant_id, merchant_name, roles }: Offer,
): Html {
  const place = merchant_name ?? say(['L’équipe du service', 'The team of the service'])
  const alsoConfirmed = say([
    'compte aussi après l’accord d’une deuxième personne',
    'also needs the confirmation of a second person',
  ])
  const shown = roles.map(({ role, granter, granted_by, granted_at, to_confirm }) => {
    const by = granter === granted_by ? granter : `${granter}, ${granted_by}`
    const also = to_confirm && html`<span class="sub">${alsoConfirmed}</span>`
    return { name: say(roleWords[role]), value: html`${by}, ${writeShortDate(granted_at, language)}${also}` }
  })
  const of = html`<span class="sr">, ${place}</span>`
  const answer = (word: 'accept' | 'decline', button: Html) => {
    const hidden = html`${nonceField(nonce)}${hiddenField('merchant', String(merchant_id))}${hiddenField('answer', word)}`
    return html`<form method="post" action="/${door}/offers">${hidden}${button}</form>`
  }
  const accept = answer('accept', html`<button>${say(['Accepter', 'Accept'])}${of}</button>`)
  const decline = answer('decline', html`<button class="stop">${say(['Décliner', 'Decline'])}${of}</button>`)
  return html`<div><h2>${place}</h2>${rows(shown)}<div class="acts">${accept}${decline}</div></div>`
}

/** The way to that page, above the first page of a person who has an offer. */
export function offersLink(say: Say, door: ScreenDoor): Html {
  const words = say([
    'Une équipe vous propose un rôle. Acceptez-le ou déclinez-le.',
    'A team offers you a role. Accept it or decline it.',
  ])
  return html`<a class="toast care" href="/${door}/offers"><span class="dot">${icon('people')}</span><p>${words}</p>${icon('right')}</a>`
}
