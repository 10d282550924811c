import { type Html, html } from '../../platform/http/html.ts'
import type { Language } from '../../values/language.ts'
import type { Right } from '../../values/rights.ts'
import { linkButton, pageHead, panel } from '../components.ts'
import { form, select } from '../forms.ts'
import { type Say, sayCount, type Words } from '../say.ts'
import type { ScreenDoor, ScreenRequest } from '../screen.ts'

type Request = ScreenRequest<ScreenDoor>

export type SettingsFacts = {
  readonly language: Language
  /** The notices that this person gets on the screen. */
  readonly notices: readonly Notice[]
  /** The number of open sessions, including this one. */
  readonly sessions: number
}

/** Each kind of notice, and the right of its readers. */
const notices = {
  approval: { right: 'payouts.approve', words: ['Un envoi attend votre accord', 'A payout waits for your approval'] },
  confirmation: {
    right: 'team.confirm',
    words: ['Un rôle attend une deuxième personne', 'A role waits for a second person'],
  },
  endpoint: {
    right: 'webhooks.manage',
    words: ['Une adresse de webhook ne répond plus', 'A webhook endpoint no longer answers'],
  },
  doubt: { right: 'payouts.read', words: ['Un envoi est en vérification', 'A payout is being checked'] },
  case: { right: 'cases.read', words: ['Une affaire attend', 'A case waits'] },
  role: {
    right: 'people.manage',
    words: ['Un rôle attend un deuxième administrateur', 'A role waits for a second administrator'],
  },
} as const satisfies Record<string, { right: Right; words: Words }>
type Notice = keyof typeof notices

/** Returns the notices that this person gets here. */
export function noticesOf({ can }: Pick<Request, 'can'>): Notice[] {
  return (Object.keys(notices) as Notice[]).filter((name) => can(notices[name].right))
}

/** The page of a person's language and notices, with the link to sessions and factors. */
export function settingsView(request: Request, { language, notices: told, sessions }: SettingsFacts): Html {
  const { say } = request
  const languages = select({
    name: 'language',
    label: say(['Langue de toutes les pages', 'Language of every page']),
    value: language,
    choices: [
      { value: 'fr', label: 'Français' },
      { value: 'en', label: 'English' },
    ],
  })
  const save = html`<button class="second">${say(['Enregistrer', 'Save'])}</button>`
  const open = sayCount(
    say,
    sessions,
    ['Une session est ouverte : celle-ci.', 'One session is open: this one.'],
    ['{n} sessions sont ouvertes, celle-ci comprise.', '{n} sessions are open, this one included.'],
  )
  const see = linkButton(
    request.at('/account'),
    say(['Voir et fermer mes sessions', 'See and end my sessions']),
    'second',
  )
  const there = say([
    'Là se changent aussi le mot de passe, le téléphone et les codes de secours.',
    'The password, the phone and the recovery codes are changed there too.',
  ])
  const ending = html`<p>${open}</p><p class="acts">${see}</p><p class="hint gap">${there}</p>`
  const choose = linkButton(
    request.at('/notices'),
    say(['Choisir mes notifications', 'Choose my notifications']),
    'second',
  )
  const notified = html`<div>${onScreen(say, told)}</div><p class="acts">${choose}</p>`
  return html`${pageHead({ title: say(['Réglages', 'Settings']), lead: request.session.person.email })}
<div class="half">
<div class="stack">
${panel(say(['Langue', 'Language']), form(request, request.at('/settings/language'), html`${languages}${save}`))}
${panel(say(['Sessions et clés d’accès', 'Sessions and passkeys']), ending)}
</div>
${panel(say(['Notifications', 'Notifications']), html`<div class="stack">${notified}</div>`)}
</div>`
}

/** The notices on the screen, which nobody can switch off. */
function onScreen(say: Say, told: SettingsFacts['notices']): Html {
  const none = html`<p class="soft">${say(['Rien ne demande une action de votre part.', 'Nothing asks you to act.'])}</p>`
  const names = html`<ul class="dots">${told.map((name) => html`<li>${say(notices[name].words)}</li>`)}</ul>`
  const hint = say([
    'La première page et le menu le montrent dès qu’il y en a.',
    'The first page and the menu show it as soon as there is one.',
  ])
  const title = say(['Sur l’écran, toujours', 'On the screen, always'])
  return html`<h3>${title}</h3>${told.length === 0 ? none : names}<p class="hint">${hint}</p>`
}
