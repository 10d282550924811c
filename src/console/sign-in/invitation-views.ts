import { roleWords } from '../../people/role-words.ts'
import type { InvitedRole } from '../../people/sign-in/invitation-store.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { HOST_USER } from '../../values/actor.ts'
import type { Language } from '../../values/language.ts'
import { typedSecret } from '../components.ts'
import { codeField, errorList, type FieldError, field, hiddenField, select } from '../forms.ts'
import { icon } from '../icons.ts'
import type { Say } from '../say.ts'

export type InvitationFacts = {
  readonly address: string
  /** Where somebody who has an account answers. */
  readonly offers: string
  readonly email: string
  readonly invited_by: string
  readonly roles: readonly InvitedRole[]
  readonly name: string
  readonly language: Language
  /** The phone's secret as a QR code, and below as text to type. */
  readonly picture: Html
  readonly secret_text: string
  /** The same secret, sealed, for the form to carry. */
  readonly shown: string
  /** Whether a code was sent to the address, which the person types. Null: none is asked for. */
  readonly mail: { readonly sent: boolean } | null
  readonly passkey: { readonly options: object; readonly attempt: string } | null
  readonly errors: readonly FieldError[]
}

/** The page of an invitation: the name, and a passkey or a password with a phone's code. */
export function invitationView(say: Say, facts: InvitationFacts): Html {
  const { address, errors, passkey, mail, email } = facts
  const answer = say([
    'Vous avez déjà un compte ici ? Connectez-vous pour répondre.',
    'You have an account here already? Sign in to answer.',
  ])
  const hasAccount = html`<p class="hint"><a href="${facts.offers}">${answer}</a></p>`
  if (mail !== null && !mail.sent) {
    const why = say(
      [
        'Nous envoyons un code à {email}, pour savoir que cette adresse est la vôtre.',
        'We send a code to {email}, to know that this address is yours.',
      ],
      { email },
    )
    const ask = html`<div>${errorList(say, errors)}<p>${why}</p>${sendCodeForm(say, address, mail)}</div>`
    return html`<article class="slip"><div>${invitedTo(say, facts)}${hasAccount}</div>${ask}</article>`
  }
  const once = html`<p class="hint">${email} · ${say(['ce lien sert une seule fois', 'this link works once'])}</p>`
  const attempt =
    passkey !== null && html`${hiddenField('attempt', passkey.attempt)}<input type="hidden" name="secret_assertion">`
  return html`<article class="slip">
<div>${invitedTo(say, facts)}${once}${hasAccount}</div>
<div>${errorList(say, errors)}
<form method="post" action="${address}" class="stack">${hiddenField('shown', facts.shown)}${attempt}
${mail !== null && mailCodeField(say, email, errors)}
${nameField(say, facts)}
${languageField(say, facts.language)}
${passkey !== null && passkeyPart(say, passkey)}
${passkey === null ? passwordPart(say, facts) : passwordInstead(say, facts)}
</form>${mail !== null && sendCodeForm(say, address, mail)}</div>
</article>`
}

/** The form that sends the code to the address, for the first time or again. */
function sendCodeForm(say: Say, address: string, { sent }: { readonly sent: boolean }): Html {
  const words = sent ? say(['Envoyer un autre code', 'Send another code']) : say(['Envoyer le code', 'Send the code'])
  const button = html`<button${sent && html` class="quiet small"`}>${words}</button>`
  return html`<form method="post" action="${address}" class="acts">${hiddenField('act', 'send_code')}${button}</form>`
}

function mailCodeField(say: Say, email: string, errors: readonly FieldError[]): Html {
  const label = say(['Le code reçu par e-mail', 'The code that came by e-mail'])
  const hint = say(['Huit chiffres, envoyés à {email}.', 'Eight digits, sent to {email}.'], { email })
  const more = { inputmode: 'numeric', autocomplete: 'one-time-code', maxlength: '12', required: '' }
  return field({ name: 'mail_code', label, hint, more }, errors)
}

function nameField(say: Say, { name, errors }: InvitationFacts): Html {
  const more = { autocomplete: 'name', required: '' }
  return field({ name: 'name', label: say(['Votre nom', 'Your name']), value: name, more }, errors)
}

function languageField(say: Say, language: Language): Html {
  return select({
    name: 'language',
    label: say(['Langue', 'Language']),
    value: language,
    choices: [
      { value: 'fr', label: 'Français' },
      { value: 'en', label: 'English' },
    ],
  })
}

/** The way in by a passkey, where scripts run. */
function passkeyPart(say: Say, { options }: NonNullable<InvitationFacts['passkey']>): Html {
  const what = say([
    'Une clé d’accès, c’est l’empreinte, le visage ou le code qui ouvre déjà ce téléphone. Il n’y a rien à retenir.',
    'A passkey is the fingerprint, face or code that already unlocks this phone. There is nothing to remember.',
  ])
  const noScript = say([
    'Une clé d’accès demande JavaScript. Sans lui, prenez un mot de passe et un code.',
    'A passkey needs JavaScript. Without it, use a password and a code.',
  ])
  const failed = say([
    'La clé n’a pas été créée. Réessayez, ou prenez un mot de passe.',
    'The passkey was not created. Try again, or use a password.',
  ])
  const words = html`${icon('finger')}${say(['Créer ma clé d’accès', 'Create my passkey'])}`
  const data = html` data-create="1" data-passkey="${JSON.stringify(options)}" data-failed="no-passkey"`
  const parts = [
    html`<p data-script hidden>${what}</p><noscript><p>${noScript}</p></noscript>`,
    html`<p data-script hidden><button class="wide"${data}>${words}</button></p>`,
    html`<p class="hint" id="no-passkey" role="alert" hidden>${failed}</p>`,
  ]
  return html`${parts}`
}

/** The password and the phone's code below a passkey, closed unless something there is to correct. */
function passwordInstead(say: Say, facts: InvitationFacts): Html {
  const summary = say(['Plutôt un mot de passe et un code', 'Use a password and a code instead'])
  const open = facts.errors.length > 0 && html` open`
  return html`<details${open}><summary>${summary}</summary><div class="stack">${passwordPart(say, facts)}</div></details>`
}

function passwordPart(say: Say, { passkey, picture, secret_text, errors }: InvitationFacts): Html {
  const password = field(
    {
      name: 'secret_password',
      label: say(['Mot de passe', 'Password']),
      type: 'password',
      hint: say([
        'Douze signes ou plus. Une phrase convient très bien.',
        'Twelve characters or more. A sentence works well.',
      ]),
      more: { autocomplete: 'new-password' },
    },
    errors,
  )
  const label = html`<p class="label">${say(['Le code de votre téléphone', 'The code from your phone'])}</p>`
  const scan = say([
    'Lisez cette image avec une application de codes, comme Google Authenticator. Si elle est sur ce même téléphone, copiez-y ce texte.',
    'Scan this picture with an authenticator app, such as Google Authenticator. If the app is on this phone, copy this text into it.',
  ])
  const shown = say(['Le code qui s’affiche', 'The code that the app shows'])
  return html`${password}
<div class="field">${label}<p class="hint">${scan}</p>${picture}<p>${typedSecret(secret_text)}</p></div>
${codeField({ name: 'secret_code', label: shown }, errors)}
<button class="wide${passkey !== null && ' second'}">${say(['Commencer', 'Continue'])}</button>`
}

/** The inviter, the merchant or the service, and the roles to receive. */
function invitedTo(say: Say, { invited_by, roles }: InvitationFacts): Html {
  const by =
    // A command on the server has the name of a machine's account, which means nothing to the invited person.
    invited_by === 'system' || invited_by.startsWith(HOST_USER)
      ? say(['Vous êtes invité à rejoindre', 'You are invited to join'])
      : say(['{name} vous invite à rejoindre', '{name} invites you to join'], { name: invited_by })
  const places = Map.groupBy(roles, ({ merchant_id }) => merchant_id)
  const several = places.size > 1
  const named = [...places.values()].map((held) => ({
    place: held[0]!.merchant_name ?? say(['l’équipe du service', 'the team of the service']),
    roles: held.map(({ role }) => roleName(role, say)).join(', '),
  }))
  const waits = roles.filter((role) => role.waits).map(({ role }) => roleName(role, say))
  const teams = named.map(({ place }) => place).join(', ') || say(['Une équipe', 'A team'])
  const held = named.map(({ place, roles: words }) => {
    const yours = say(['Votre rôle : {roles}.', 'Your role: {roles}.'], { roles: words })
    return html`<p class="lead">${several && `${place} · `}${yours}</p>`
  })
  const waiting = say(
    [
      '{roles} : ce rôle compte dès qu’une deuxième personne l’a confirmé.',
      '{roles}: this role takes effect once a second person has confirmed it.',
    ],
    { roles: waits.join(', ') },
  )
  return html`<p class="soft">${by}</p><h1>${teams}</h1>
${held}
${waits.length > 0 && html`<p>${waiting}</p>`}`
}

function roleName(role: string, say: Say): string {
  return say(roleWords[role as keyof typeof roleWords] ?? [role, role])
}

/** The page of a link that is no longer valid, with the next step. */
export function closedInvitationView(say: Say, sentence: string): Html {
  const icons = html`<span class="icon care">${icon('shut')}</span>`
  const next = say([
    'Demandez un nouveau lien à la personne qui vous a invité.',
    'Ask the person who invited you for a new link.',
  ])
  return html`<article class="slip"><div>${icons}<h1>${sentence}</h1><p class="lead">${next}</p></div></article>`
}

/** The page of a link that rests after too many wrong acceptances, with the way back to its form. */
export function restingInvitationView(say: Say, sentence: string, address: string): Html {
  const said = html`<div role="alert"><span class="icon care">${icon('clock')}</span><h1>${sentence}</h1></div>`
  const back = say(['Revenir à l’invitation', 'Back to the invitation'])
  const link = html`<a class="button wide second" href="${address}">${back}</a>`
  return html`<article class="slip">${said}<div>${link}</div></article>`
}

/** The page of the recovery codes, which are shown once. */
export function recoveryCodesView(say: Say, codes: readonly string[], go_on: string): Html {
  const once = say([
    'Chacun ouvre une fois, si vous perdez votre téléphone. Notez-les maintenant : ils ne seront plus montrés.',
    'Each works once, if you lose your phone. Write them down now: they are not shown again.',
  ])
  const words = html`${icon('print')}${say(['Imprimer', 'Print'])}`
  const print = html`<button type="button" class="second" data-print data-script hidden>${words}</button>`
  return html`<article class="slip"><div>
<h1>${say(['Vos codes de secours', 'Your recovery codes'])}</h1>
<p class="lead">${once}</p>
<ul class="codes" id="codes">${codes.map((code) => html`<li><span class="id">${code}</span></li>`)}</ul>
<p class="acts">${print}</p>
</div><div><a class="button wide" href="${go_on}">${say(['Je les ai notés', 'I have written them down'])}</a></div></article>`
}
