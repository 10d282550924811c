import { roleWords } from '../people/role-words.ts'
import { html } from '../platform/http/html.ts'
import { type Right, rolesWith, staffRoles } from '../values/rights.ts'
import { blankPage, linkButton, panel } from './components.ts'
import { icon } from './icons.ts'
import type { Say } from './say.ts'
import type { ScreenView } from './screen.ts'

type Context = { readonly say: Say; readonly at: (path: string) => string }

/** The page for a resource that does not exist for this merchant in this mode. */
export function absentView({ say, at }: Context): ScreenView {
  const title = say(['Rien à cette adresse', 'Nothing at this address'])
  const main = blankPage('look', {
    title,
    text: say([
      'Ce que vous cherchez n’est pas ici, ou pas dans ce mode. Vérifiez si c’est de l’argent réel ou du test.',
      'What you are looking for is not here, or not in this mode. Check whether you are in live or test mode.',
    ]),
    acts: linkButton(at(''), say(['Revenir à l’accueil', 'Back to the first page']), 'second'),
  })
  return { kind: 'view', status: 404, title, main, facts: { error: { code: 'resource_not_found' } } }
}

/** The page for a missing right, with the roles that have it. */
export function notPermittedView({ say, at }: Context, right: Right): ScreenView {
  const needed = rolesWith(right)
  const roles = needed.map((role) => say(roleWords[role as keyof typeof roleWords]))
  const ofStaff = staffRoles.some((role) => needed.includes(role))
  const title = say(['Votre rôle ne permet pas de voir cette page', 'Your role does not allow this page'])
  const need = say(['Il faut l’un de ces rôles : {roles}.', 'You need one of these roles: {roles}.'], {
    roles: roles.join(', '),
  })
  const ask = ofStaff
    ? say(['Un administrateur peut vous le donner.', 'An administrator can give it to you.'])
    : say(['Un propriétaire peut vous le donner.', 'An owner can give it to you.'])
  const said = html`<span class="icon care">${icon('shut')}</span><h1>${title}</h1><p class="lead">${need} ${ask}</p>`
  const leave = linkButton(at(''), say(['Revenir à l’accueil', 'Back to the first page']))
  const main = panel(null, html`<div class="blank">${said}<p class="acts">${leave}</p></div>`)
  return { kind: 'view', status: 403, title, main, facts: { error: { code: 'not_permitted', right } } }
}

/** The page for our own fault. It does not claim that anything happened. */
export function faultView({ say }: Context, request_id: string, again: string): ScreenView {
  const title = say(['Cette page n’a pas pu être lue', 'This page could not be read'])
  const text = say([
    'C’est notre faute, pas la vôtre. Si vous veniez de décider quelque chose, regardez d’abord où cela en est.',
    'The problem is on our side. If you had just decided something, check its status first.',
  ])
  const said = html`<span class="icon bad">${icon('hand')}</span><h1>${title}</h1><p class="soft">${text}</p>`
  const retry = html`<p class="acts">${linkButton(again, say(['Réessayer', 'Try again']))}</p>`
  const number = html`${say(['À citer à l’équipe : ', 'Number to quote: '])}<span class="id">${request_id}</span>`
  const content = html`<div class="blank" role="alert">${said}${retry}<p class="hint gap">${number}</p></div>`
  const main = panel(null, content)
  return { kind: 'view', status: 500, title, main, facts: { error: { code: 'internal_error' }, request_id } }
}

/** The page for too many simultaneous requests of one merchant, or of the staff. Nothing was done. */
export function busyView({ say }: Context, again: string): ScreenView {
  const title = say(['Trop de pages à la fois', 'Too many pages at once'])
  const main = blankPage('clock', {
    title,
    text: say([
      'Rien n’a été fait. Attendez un instant, puis réessayez.',
      'Nothing was done. Wait a moment, then try again.',
    ]),
    acts: linkButton(again, say(['Réessayer', 'Try again'])),
  })
  return { kind: 'view', status: 429, title, main, facts: { error: { code: 'rate_limit_exceeded' } } }
}

/**
 * The page when another operation held the same money or rows too long: this transaction did nothing. If the act has several transactions, it
 * is safe to try again, because it finds the results of the earlier ones.
 */
export function occupiedView({ say }: Context, again: string): ScreenView {
  const title = say(['Ces comptes sont occupés', 'These accounts are busy'])
  const main = blankPage('clock', {
    title,
    text: say([
      'Une autre opération les tient en ce moment. Rien n’a été fait : attendez un instant, puis réessayez sans risque.',
      'Another operation holds them just now. Nothing was done: wait a moment, and it is safe to try again.',
    ]),
    acts: linkButton(again, say(['Réessayer', 'Try again'])),
  })
  return { kind: 'view', status: 503, title, main, facts: { error: { code: 'busy' } } }
}

/** The page for a form that is not from our own page, or from another session's. Nothing was done. */
export function staleFormView({ say }: Context, back: string): ScreenView {
  const title = say(['Ce formulaire ne vient pas de votre page', 'This form does not come from your page'])
  const main = blankPage('shut', {
    title,
    text: say(['Rien n’a été fait. Ouvrez la page de nouveau.', 'Nothing was done. Open the page again.']),
    acts: linkButton(back, say(['Ouvrir la page', 'Open the page'])),
  })
  return { kind: 'view', status: 403, title, main, facts: { error: { code: 'stale_form' } } }
}
