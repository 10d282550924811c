import { roleWords } from '../../people/role-words.ts'
import type { InvitedRole } from '../../people/sign-in/invitation-store.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { HOST_USER } from '../../values/actor.ts'
import type { Language } from '../../values/language.ts'
import { typedSecret } from '../components.ts'
import { codeField, errorList, type FieldError, field, select } from '../forms.ts'
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
  const { address, errors, passkey, mail } = facts
  const hasAccount = html`<p class="hint"><a href="${facts.offers}">${say(['Vous avez déjà un compte ici ? Connectez-vous pour répondre.', 'You have an account here already? Sign in to answer.'])}</a></p>`
  const another = html`<form method="post" action="${address}" class="acts"><input type="hidden" name="act" value="send_code"><button${mail?.sent && html` class="quiet small"`}>${mail?.sent ? say(['Envoyer un autre code', 'Send another code']) : say(['Envoyer le code', 'Send the code'])}</button></form>`
  if (mail !== null && !mail.sent)
    return html`<article class="slip"><div>${invitedTo(say, facts)}${hasAccount}</div><div>${errorList(say, errors)}<p>${say(['Nous envoyons un code à {email}, pour savoir que cette adresse est la vôtre.', 'We send a code to {email}, to know that this address is yours.'], { email: facts.email })}</p>${another}</div></article>`
  const byPasskey = passkey !== null
  const password = html`${field({ name: 'secret_password', label: say(['Mot de passe', 'Password']), type: 'password', hint: say(['Douze signes ou plus. Une phrase convient très bien.', 'Twelve characters or more. A sentence works well.']), more: { autocomplete: 'new-password' } }, errors)}
<div class="field"><p class="label">${say(['Le code de votre téléphone', 'The code from your phone'])}</p><p class="hint">${say(['Lisez cette image avec une application de codes, comme Google Authenticator. Si elle est sur ce même téléphone, copiez-y ce texte.', 'Scan this picture with an authenticator app, such as Google Authenticator. If the app is on this phone, copy this text into it.'])}</p>${facts.picture}<p>${typedSecret(facts.secret_text)}</p></div>
${codeField({ name: 'secret_code', label: say(['Le code qui s’affiche', 'The code that the app shows']) }, errors)}
<button class="wide${byPasskey && ' second'}">${say(['Commencer', 'Continue'])}</button>`
  return html`<article class="slip">
<div>${invitedTo(say, facts)}<p class="hint">${facts.email} · ${say(['ce lien sert une seule fois', 'this link works once'])}</p>${hasAccount}</div>
<div>${errorList(say, errors)}
<form method="post" action="${address}" class="stack"><input type="hidden" name="shown" value="${facts.shown}">${byPasskey && html`<input type="hidden" name="attempt" value="${passkey.attempt}"><input type="hidden" name="secret_assertion">`}
${mail !== null && field({ name: 'mail_code', label: say(['Le code reçu par e-mail', 'The code that came by e-mail']), hint: say(['Huit chiffres, envoyés à {email}.', 'Eight digits, sent to {email}.'], { email: facts.email }), more: { inputmode: 'numeric', autocomplete: 'one-time-code', maxlength: '12', required: '' } }, errors)}
${field({ name: 'name', label: say(['Votre nom', 'Your name']), value: facts.name, more: { autocomplete: 'name', required: '' } }, errors)}
${select({
  name: 'language',
  label: say(['Langue', 'Language']),
  value: facts.language,
  choices: [
    { value: 'fr', label: 'Français' },
    { value: 'en', label: 'English' },
  ],
})}
${byPasskey && html`<p data-script hidden>${say(['Une clé d’accès, c’est l’empreinte, le visage ou le code qui ouvre déjà ce téléphone. Il n’y a rien à retenir.', 'A passkey is the fingerprint, face or code that already unlocks this phone. There is nothing to remember.'])}</p><noscript><p>${say(['Une clé d’accès demande JavaScript. Sans lui, prenez un mot de passe et un code.', 'A passkey needs JavaScript. Without it, use a password and a code.'])}</p></noscript><p data-script hidden><button class="wide" data-create="1" data-passkey="${JSON.stringify(passkey.options)}" data-failed="no-passkey">${icon('finger')}${say(['Créer ma clé d’accès', 'Create my passkey'])}</button></p><p class="hint" id="no-passkey" role="alert" hidden>${say(['La clé n’a pas été créée. Réessayez, ou prenez un mot de passe.', 'The passkey was not created. Try again, or use a password.'])}</p>`}
${byPasskey ? html`<details${errors.length > 0 && html` open`}><summary>${say(['Plutôt un mot de passe et un code', 'Use a password and a code instead'])}</summary><div class="stack">${password}</div></details>` : password}
</form>${mail !== null && another}</div>
</article>`
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
  return html`<p class="soft">${by}</p><h1>${named.map(({ place }) => place).join(', ') || say(['Une équipe', 'A team'])}</h1>
${named.map((at) => html`<p class="lead">${several && `${at.place} · `}${say(['Votre rôle : {roles}.', 'Your role: {roles}.'], { roles: at.roles })}</p>`)}
${waits.length > 0 && html`<p>${say(['{roles} : ce rôle compte dès qu’une deuxième personne l’a confirmé.', '{roles}: this role takes effect once a second person has confirmed it.'], { roles: waits.join(', ') })}</p>`}`
}

function roleName(role: string, say: Say): string {
  return say(roleWords[role as keyof typeof roleWords] ?? [role, role])
}

/** The page of a link that is no longer valid, with the next step. */
export function closedInvitationView(say: Say, sentence: string): Html {
  return html`<article class="slip"><div><span class="icon care">${icon('shut')}</span><h1>${sentence}</h1><p class="lead">${say(['Demandez un nouveau lien à la personne qui vous a invité.', 'Ask the person who invited you for a new link.'])}</p></div></article>`
}

/** The page of a link that rests after too many wrong acceptances, with the way back to its form. */
export function restingInvitationView(say: Say, sentence: string, address: string): Html {
  return html`<article class="slip"><div role="alert"><span class="icon care">${icon('clock')}</span><h1>${sentence}</h1></div><div><a class="button wide second" href="${address}">${say(['Revenir à l’invitation', 'Back to the invitation'])}</a></div></article>`
}

/** The page of the recovery codes, which are shown once. */
export function recoveryCodesView(say: Say, codes: readonly string[], go_on: string): Html {
  return html`<article class="slip"><div>
<h1>${say(['Vos codes de secours', 'Your recovery codes'])}</h1>
<p class="lead">${say(['Chacun ouvre une fois, si vous perdez votre téléphone. Notez-les maintenant : ils ne seront plus montrés.', 'Each works once, if you lose your phone. Write them down now: they are not shown again.'])}</p>
<ul class="codes" id="codes">${codes.map((code) => html`<li><span class="id">${code}</span></li>`)}</ul>
<p class="acts"><button type="button" class="second" data-print data-script hidden>${icon('print')}${say(['Imprimer', 'Print'])}</button></p>
</div><div><a class="button wide" href="${go_on}">${say(['Je les ai notés', 'I have written them down'])}</a></div></article>`
}
