import { type Html, html } from '../../platform/http/html.ts'
import { type FieldError, field } from '../forms.ts'
import { icon } from '../icons.ts'
import type { Say } from '../say.ts'
import type { ScreenDoor } from '../screen.ts'

export type SignInContext = {
  readonly say: Say
  readonly door: ScreenDoor
  /** Where to go on afterwards, and the form that waits: hidden fields of every step. */
  readonly hidden: Html
  /** The options of the browser's passkey question with the token of the attempt; null: passkeys do not work at this address. */
  readonly passkey: { readonly options: object; readonly attempt: string } | null
}

/** The first page: a passkey, or an address and a password. */
export function signInView(
  { say, door, hidden, passkey }: SignInContext,
  { email = '', errors = [], ended = false }: { email?: string; errors?: readonly FieldError[]; ended?: boolean },
): Html {
  const title =
    door === 'desk'
      ? say(['Entrer au bureau', 'Sign in to the desk'])
      : say(['Entrer dans votre console', 'Sign in to your console'])
  return html`<article class="slip">
<div>
<span class="icon">${icon('finger')}</span>
<h1>${title}</h1>
${ended && html`<p class="lead" role="status">${say(['Votre session est finie. Ce que vous avez tapé est gardé.', 'Your session has ended. What you typed is kept.'])}</p>`}
${passkey !== null && html`<form method="post" action="/${door}/sign-in/passkey" data-script hidden>${hidden}<input type="hidden" name="attempt" value="${passkey.attempt}"><input type="hidden" name="secret_assertion"><p class="lead">${say(['Votre empreinte, votre visage ou le code de votre téléphone suffit.', 'Your fingerprint, your face or the code of your telephone is enough.'])}</p><p class="acts"><button class="wide" data-passkey="${JSON.stringify(passkey.options)}" data-failed="no-passkey">${say(['Entrer avec ma clé d’accès', 'Sign in with my passkey'])}</button></p><p class="hint" id="no-passkey" role="alert" hidden>${say(['Cette clé d’accès n’a pas répondu. Réessayez, ou entrez avec votre mot de passe.', 'This passkey did not answer. Try again, or sign in with your password.'])}</p></form>`}
</div>
<div>
<h2>${say(['Avec un mot de passe', 'With a password'])}</h2>
<form method="post" action="/${door}/sign-in" class="stack">${hidden}
${field({ name: 'email', label: say(['Adresse e-mail', 'E-mail address']), type: 'email', value: email, more: { autocomplete: 'username', required: '' } }, errors)}
${field({ name: 'secret_password', label: say(['Mot de passe', 'Password']), type: 'password', more: { autocomplete: 'current-password', required: '' } }, errors)}
<button class="wide second">${say(['Continuer', 'Continue'])}</button>
</form>
<p class="hint gap">${say(['Un code de votre application vous sera ensuite demandé.', 'A code of your application is asked for next.'])}</p>
</div>
</article>`
}
