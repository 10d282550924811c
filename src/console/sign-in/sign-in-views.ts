import { type Html, html } from '../../platform/http/html.ts'
import { backLink } from '../components.ts'
import { codeField, errorList, type FieldError, field, hiddenField, nonceField } from '../forms.ts'
import { icon } from '../icons.ts'
import type { Say } from '../say.ts'
import type { ScreenDoor } from '../screen.ts'
import type { KeptForm } from './kept-form.ts'

export type SignInContext = {
  readonly say: Say
  readonly door: ScreenDoor
  /** The hidden fields of every step: the address to continue at, and the kept form. */
  readonly hidden: Html
}

/** The options of the browser's passkey question, with the token of its attempt. Null when passkeys do not work at this address. */
export type PasskeyQuestion = { readonly options: object; readonly attempt: string } | null

/** The words of the sign-in after the end of a session: the form is kept or too long for it, or its file has to be chosen again. */
const endedWords = {
  kept: [
    'Votre session est finie. Ce que vous avez tapé est gardé.',
    'Your session has ended. Everything that you typed is kept.',
  ],
  too_long: [
    'Votre session est finie, et le formulaire est trop long pour être gardé. Revenez en arrière et copiez-en le texte avant d’entrer.',
    'Your session has ended, and the form is too long to be kept. Go back and copy its text before you sign in.',
  ],
  file: [
    'Votre session est finie. Une fois entré, choisissez de nouveau le fichier.',
    'Your session has ended. Once you are signed in, choose the file again.',
  ],
} as const

/** The first page of a sign-in: a passkey, or an e-mail address and a password. */
export function signInView(
  { say, door, hidden }: SignInContext,
  passkey: PasskeyQuestion,
  {
    email = '',
    errors = [],
    ended = null,
  }: { email?: string; errors?: readonly FieldError[]; ended?: keyof typeof endedWords | null } = {},
): Html {
  const title =
    door === 'desk'
      ? say(['Entrer au bureau', 'Sign in to the desk'])
      : say(['Entrer dans votre console', 'Sign in to your console'])
  const address = field(
    {
      name: 'email',
      label: say(['Adresse e-mail', 'E-mail address']),
      type: 'email',
      value: email,
      more: { autocomplete: 'username', required: '' },
    },
    errors,
  )
  const password = field(
    {
      name: 'secret_password',
      label: say(['Mot de passe', 'Password']),
      type: 'password',
      more: { autocomplete: 'current-password', required: '' },
    },
    errors,
  )
  const next = say([
    'Un code de votre application vous sera ensuite demandé.',
    'Next, you type a code from your authenticator app.',
  ])
  return html`<article class="slip">
<div>
<span class="icon">${icon('finger')}</span>
<h1>${title}</h1>
${errorList(say, errors)}
${ended !== null && html`<p class="lead" role="status">${say(endedWords[ended])}</p>`}
${passkey !== null && passkeyForm({ say, door, hidden }, passkey)}
</div>
<div>
<h2>${say(['Avec un mot de passe', 'With a password'])}</h2>
<form method="post" action="/${door}/sign-in" class="stack">${hidden}
${address}
${password}
<button class="wide second">${say(['Continuer', 'Continue'])}</button>
</form>
<p class="hint gap">${next}</p>
</div>
</article>`
}

function passkeyForm({ say, door, hidden }: SignInContext, { attempt, options }: NonNullable<PasskeyQuestion>): Html {
  const enough = say([
    'Votre empreinte, votre visage ou le code de votre téléphone suffit.',
    'Your fingerprint, your face or your phone’s PIN is enough.',
  ])
  const signIn = say(['Entrer avec ma clé d’accès', 'Sign in with my passkey'])
  const button = html`<button class="wide" data-passkey="${JSON.stringify(options)}" data-failed="no-passkey">${signIn}</button>`
  const failed = say([
    'Cette clé d’accès n’a pas répondu. Réessayez, ou entrez avec votre mot de passe.',
    'This passkey did not answer. Try again, or sign in with your password.',
  ])
  const fields = html`${hidden}${hiddenField('attempt', attempt)}<input type="hidden" name="secret_assertion">`
  return html`<form method="post" action="/${door}/sign-in/passkey" data-script hidden>${fields}
<p class="lead">${enough}</p>
<p class="acts">${button}</p>
<p class="hint" id="no-passkey" role="alert" hidden>${failed}</p></form>`
}

/** The second page of a sign-in: a code of the phone, or a recovery code in the same field. */
export function codeView(
  { say, door, hidden }: SignInContext,
  { email, attempt, errors = [] }: { email: string; attempt: string; errors?: readonly FieldError[] },
): Html {
  const notMe = backLink(`/${door}/sign-in`, say(['Ce n’est pas moi', 'This is not me']))
  const open = say(['Ouvrez l’application de codes de votre téléphone.', 'Open the authenticator app on your phone.'])
  const lost = say([
    'Téléphone perdu : entrer avec un code de secours',
    'Lost your phone? Sign in with a recovery code',
  ])
  const fields = html`${hidden}${hiddenField('email', email)}${hiddenField('attempt', attempt)}`
  return html`<article class="slip">
<div><p class="soft">${say(['Vous entrez comme', 'You sign in as'])}</p><p><b>${email}</b></p>${notMe}</div>
<div>
<h1>${say(['Tapez le code à six chiffres', 'Type the six-digit code'])}</h1>
<p class="lead">${open}</p>
<form method="post" action="/${door}/sign-in/code" class="stack gap">${fields}
${codeField({ name: 'secret_code', label: say(['Code', 'Code']) }, errors)}
<button class="wide">${say(['Entrer', 'Sign in'])}</button>
</form>
<details class="gap"><summary>${lost}</summary>
<form method="post" action="/${door}/sign-in/code" class="stack">${fields}
${recoveryField(say)}
<button class="wide second">${say(['Entrer avec ce code', 'Sign in with this code'])}</button></form></details>
</div>
</article>`
}

/** The field of a recovery code. It has the name of the phone's code, and an id of its own. */
function recoveryField(say: Say): Html {
  const label = html`<label for="recovery">${say(['Code de secours', 'Recovery code'])}</label>`
  const typed = html` name="secret_code" type="text" autocomplete="off" autocapitalize="none" spellcheck="false"`
  return html`<div class="field">${label}<input id="recovery"${typed}></div>`
}

/** The page after a sign-in with the kept form, which only the person submits. */
export function goOnView(say: Say, kept: KeptForm, nonce: string): Html {
  const ready = say([
    'Ce que vous aviez tapé est prêt. Rien n’est encore fait.',
    'What you had typed is ready. Nothing is done yet.',
  ])
  const fields = html`${nonceField(nonce)}${kept.fields.map(([name, value]) => hiddenField(name, value))}`
  const button = html`<button class="wide">${say(['Continuer', 'Continue'])}</button>`
  return html`<article class="slip"><div>
<span class="icon">${icon('ok')}</span>
<h1>${say(['Vous êtes de nouveau entré', 'You are signed in again'])}</h1>
<p class="lead">${ready}</p>
</div><div><form method="post" action="${kept.to}">${fields}${button}</form></div></article>`
}
