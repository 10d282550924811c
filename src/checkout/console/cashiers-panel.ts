import { panel } from '../../console/components.ts'
import { form, hiddenField, select } from '../../console/forms.ts'
import { sayCount } from '../../console/say.ts'
import type { ScreenRequest } from '../../console/screen.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { drawAmount, writeShortDate } from '../../platform/http/pages/write-values.ts'
import type { Cashier } from '../till/cashiers.ts'

type Request = ScreenRequest<'console'>

/** A till as its owner sees it: who works there, the other cashiers, and its takings of today, in francs. */
export type TillTeam = {
  readonly at: readonly Cashier[]
  readonly others: readonly Cashier[]
  readonly count: number
  readonly amount: number
}

/** The takings of a till today. */
export function takingsPanel({ say }: Request, { count, amount }: TillTeam): Html {
  const payments = sayCount(say, count, ['{n} paiement', '{n} payment'], ['{n} paiements', '{n} payments'])
  const sum = html`<p role="status">${drawAmount(amount)}</p><p class="soft">${payments}</p>`
  return panel(say(['Encaissé aujourd’hui', 'Taken today']), sum)
}

/** The cashiers of a till: each can be taken off, and another one of the team put there. */
export function cashiersPanel(request: Request, link_id: string, { at: here, others }: TillTeam): Html {
  const { say, at, language } = request
  const listed = here.map(({ person_id, name, seen_at }) => {
    const seen = seen_at !== null && `${say(['vu', 'seen'])} ${writeShortDate(seen_at, language)}`
    const off = html`<button class="quiet">${say(['Retirer', 'Take off'])}<span class="sr"> ${name}</span></button>`
    const content = html`${hiddenField('person', person_id)}${off}`
    const ending = form(request, at(`/links/${link_id}/cashiers/off`), content, { class: 'acts' })
    return html`<div class="gap"><p><b>${name}</b> <span class="hint">${seen}</span></p>${ending}</div>`
  })
  const invite = html`<a href="${at('/team/invite')}">${say(['Inviter', 'Invite'])}</a>`
  const title = say(['Qui y travaille', 'Who works here'])
  const none = say([
    'Personne encore. Invitez quelqu’un avec le rôle Caissier, puis mettez-le ici.',
    'Nobody yet. Invite somebody with the role Cashier, then put them here.',
  ])
  const more = others.length > 0 && addForm(request, link_id, others)
  return panel(title, html`${listed.length === 0 && others.length === 0 && html`<p>${none}</p>`}${listed}${more}`, {
    more: invite,
  })
}

function addForm(request: Request, link_id: string, others: readonly Cashier[]): Html {
  const { say, at } = request
  const choices = others.map(({ person_id, name }) => ({ value: person_id, label: name }))
  const who = select({ name: 'person', label: say(['Caissier', 'Cashier']), choices })
  const button = html`<button class="second">${say(['Mettre à cette caisse', 'Put at this till'])}</button>`
  const content = html`<div class="stack">${who}</div><div>${button}</div>`
  return html`<div class="gap">${form(request, at(`/links/${link_id}/cashiers`), content)}</div>`
}
