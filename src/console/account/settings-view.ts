import type { Right } from '../../people/rights.ts'
import { type Html, html } from '../../platform/http/html.ts'
import type { Language } from '../../values/language.ts'
import { linkButton, pageHead, panel } from '../components.ts'
import { form, select } from '../forms.ts'
import type { Words } from '../say.ts'
import type { ScreenDoor, ScreenRequest } from '../screen.ts'

type Request = ScreenRequest<ScreenDoor>

export type SettingsFacts = {
  readonly language: Language
  /** The names of what this person is told on the screen. */
  readonly notices: readonly Notice[]
  /** Whether notices also go by mail. */
  readonly mail: boolean
  /** Open ones, this one among them. */
  readonly sessions: number
}

/** The news of each kind, and the right of those who are told. */
const notices = {
  approval: { right: 'payouts.approve', words: ['Un envoi attend votre accord', 'A payout waits for your approval'] },
  confirmation: {
    right: 'team.confirm',
    words: ['Un droit attend une deuxième personne', 'A role waits for a second person'],
  },
  endpoint: { right: 'webhooks.manage', words: ['Une adresse ne répond plus', 'An address no longer answers'] },
  doubt: { right: 'payouts.read', words: ['Un envoi est en vérification', 'A payout is being checked'] },
  case: { right: 'cases.read', words: ['Une affaire attend', 'A case waits'] },
} as const satisfies Record<string, { right: Right; words: Words }>
type Notice = keyof typeof notices

/** The news that concern this person here. */
export function noticesOf({ can }: Pick<Request, 'can'>): Notice[] {
  return (Object.keys(notices) as Notice[]).filter((name) => can(notices[name].right))
}

/** My language, my notices, and the way to my sessions and factors. */
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
  const open =
    sessions === 1
      ? say(['Une session est ouverte : celle-ci.', 'One session is open: this one.'])
      : say(['{n} sessions sont ouvertes, celle-ci comprise.', '{n} sessions are open, this one included.'], {
          n: sessions,
        })
  return html`${pageHead({ title: say(['Réglages', 'Settings']), lead: request.session.person.email })}
<div class="half">
<div class="stack">
${panel(say(['Langue', 'Language']), form(request, request.at('/settings/language'), html`${languages}${save}`))}
${panel(
  say(['Sessions et clés d’accès', 'Sessions and passkeys']),
  html`<p>${open}</p><p class="acts">${linkButton(request.at('/account'), say(['Voir et fermer mes sessions', 'See and end my sessions']), 'second')}</p><p class="hint">${say(['Là se changent aussi le mot de passe, le téléphone et les codes de secours.', 'The password, the telephone and the recovery codes are changed there too.'])}</p>`,
)}
</div>
${panel(
  say(['Avis', 'Notices']),
  html`<div class="stack"><div><h3>${say(['Sur l’écran, toujours', 'On the screen, always'])}</h3>${
    told.length === 0
      ? html`<p class="soft">${say(['Rien ne demande une action de votre part.', 'Nothing asks you to act.'])}</p>`
      : html`<ul>${told.map((name) => html`<li>${say(notices[name].words)}</li>`)}</ul>`
  }<p class="hint">${say(['La première page et le menu le montrent dès qu’il y en a.', 'The first page and the menu show it as soon as there is one.'])}</p></div><div><h3>${say(['Par e-mail', 'By e-mail'])}</h3><p>${say(['Ce service n’envoie pas d’e-mail. Un message qui se dit de nous ne vient pas de nous.', 'This service sends no e-mail. A message that claims to be from us is not.'])}</p></div></div>`,
)}
</div>`
}
