import { type NoticeKind, noticeKinds } from '../../people/notices/notice.ts'
import { type Html, html } from '../../platform/http/html.ts'
import type { Language } from '../../values/language.ts'
import type { Right } from '../../values/rights.ts'
import { linkButton, pageHead, panel } from '../components.ts'
import { choices, form, select } from '../forms.ts'
import { type Say, sayCount, type Words } from '../say.ts'
import type { ScreenDoor, ScreenRequest } from '../screen.ts'

type Request = ScreenRequest<ScreenDoor>

export type SettingsFacts = {
  readonly language: Language
  /** The notices that this person gets on the screen. */
  readonly notices: readonly Notice[]
  /** The kinds of mails that this person may switch off, and whether each is on. Null when this service sends no mail. */
  readonly by_mail: readonly MailChoice[] | null
  /** The number of open sessions, including this one. */
  readonly sessions: number
}

type MailChoice = { readonly kind: NoticeKind; readonly comes: boolean }

const mailWords: Readonly<Record<NoticeKind, Words>> = {
  watched: [
    'Une personne seule inscrit un dépôt ou change un connecteur ou une route',
    'One person alone books a deposit or changes a connector or a route',
  ],
  approval: ['Un envoi ou un lot attend mon accord', 'A payout or a batch waits for my approval'],
  batch: ['Mon lot est approuvé ou terminé', 'My batch is approved or done'],
  stop: ['Le service arrête des envois', 'The service stops payouts'],
  key: ['Une clé qui envoie de l’argent attend un accord', 'A key that sends money waits for an approval'],
  settlement: ['Un reversement est payé ou rejeté', 'A settlement is paid or rejected'],
  till: ['Un téléphone relié à une caisse', 'A phone paired with a till'],
  destination: [
    'Une autre destination des reversements est proposée',
    'Another destination of settlements is proposed',
  ],
  money: ['De l’argent a bougé après un refus', 'Money moved after a refusal'],
  confirmation: ['Un rôle attend un deuxième administrateur', 'A role waits for a second administrator'],
  role: ['Mes rôles changent', 'My roles change'],
  alarm: ['Une règle alerte, ou l’alerte est finie', 'A rule raises an alert, or it has ended'],
  security: ['Mon compte : appareil, clé d’accès, mot de passe', 'My account: device, passkey, password'],
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
export function settingsView(request: Request, { language, notices: told, by_mail, sessions }: SettingsFacts): Html {
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
  const toldAndMailed = html`<div>${onScreen(say, told)}</div><div>${byMail(request, by_mail)}</div>`
  return html`${pageHead({ title: say(['Réglages', 'Settings']), lead: request.session.person.email })}
<div class="half">
<div class="stack">
${panel(say(['Langue', 'Language']), form(request, request.at('/settings/language'), html`${languages}${save}`))}
${panel(say(['Sessions et clés d’accès', 'Sessions and passkeys']), ending)}
</div>
${panel(say(['Avis', 'Notices']), html`<div class="stack">${toldAndMailed}</div>`)}
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

function byMail(request: Request, by_mail: SettingsFacts['by_mail']): Html {
  const { say } = request
  const none = say([
    'Ce service n’envoie pas d’e-mail. Un message qui prétend venir de nous est faux.',
    'This service sends no e-mail. A message that claims to be from us is false.',
  ])
  const mails = by_mail === null ? html`<p>${none}</p>` : mailForm(request, by_mail)
  return html`<h3>${say(['Par e-mail', 'By e-mail'])}</h3>${mails}`
}

/** The form of the mails that a person may switch off, and the list of the others. */
function mailForm(request: Request, by_mail: readonly MailChoice[]): Html {
  const { say, can } = request
  const always = (['destination', 'confirmation', 'role', 'security'] as const).filter((kind) => {
    const { right } = noticeKinds[kind]
    return right === null || can(right)
  })
  const chosen = choices({
    name: 'notices',
    legend: say(['Envoyez-moi un e-mail quand', 'Send me an e-mail when']),
    kind: 'checkbox',
    chosen: by_mail.filter(({ comes }) => comes).map(({ kind }) => kind),
    choices: by_mail.map(({ kind }) => ({ value: kind, label: say(mailWords[kind]) })),
  })
  const save = html`<button class="second">${say(['Enregistrer', 'Save'])}</button>`
  const choosing = by_mail.length > 0 && form(request, request.at('/settings/notices'), html`${chosen}${save}`)
  const others = say(['Ceux-ci viennent toujours, pour votre sécurité :', 'These always come, for your security:'])
  const list = html`<ul class="dots">${always.map((kind) => html`<li>${say(mailWords[kind])}</li>`)}</ul>`
  const never = say([
    'Un e-mail de nous ne montre ni montant ni numéro, et ne demande jamais un mot de passe ou un code.',
    'Our e-mails show no amount and no number, and never ask for a password or a code.',
  ])
  return html`<div class="stack">${choosing}<p class="hint">${others}</p>${list}<p class="hint">${never}</p></div>`
}
