import type { PasswordRefusal } from '../people/factors/password-rules.ts'
import type { CodeRefusal, TriesLeft } from '../people/factors/take-code.ts'
import type { PasskeyAdded, PasskeyRemoved } from '../people/own-factors/change-passkeys.ts'
import type { PasswordChanged } from '../people/own-factors/change-password.ts'
import type { InvitationAccepted, InvitationRefusal } from '../people/sign-in/accept-invitation.ts'
import type { SignedIn, SignInBegun } from '../people/sign-in/sign-in.ts'
import type { StepUpConfirmed } from '../people/step-up/confirm-step-up.ts'
import type { StepUpUsed } from '../people/step-up/use-step-up.ts'
import type { TerminalRefusal } from '../people/terminals/agree-in-browser.ts'
import type { Say, Words } from './say.ts'

type CodeOf<Result> = Extract<Result, { kind: 'refused' }> extends { code: infer Code } ? Code : never

/** The reasons why a factor, a sign-in or a change of one's own factors is refused. */
export type FactorRefusal =
  | CodeRefusal
  | TerminalRefusal
  | PasswordRefusal
  | CodeOf<SignInBegun | SignedIn | StepUpConfirmed | StepUpUsed | PasskeyAdded | PasskeyRemoved | PasswordChanged>
  | Exclude<CodeOf<InvitationAccepted>, InvitationRefusal>

const tooLate = [
  'La confirmation a trop attendu. Confirmez de nouveau.',
  'The confirmation waited too long. Confirm again.',
] as const

/** Each refusal in words for the person. */
export const refusalWords: Readonly<Record<FactorRefusal, Words>> = {
  wrong_credentials: [
    'Cette adresse et ce mot de passe ne vont pas ensemble.',
    'This address and this password do not match.',
  ],
  too_many_attempts: [
    'Trop d’essais. Attendez une minute, ou entrez avec votre clé d’accès.',
    'Too many attempts. Wait a minute, or sign in with your passkey.',
  ],
  busy: [
    'Beaucoup de monde entre en ce moment. Réessayez dans quelques secondes.',
    'Many people are signing in. Try again in a few seconds.',
  ],
  link_rests: [
    'Trop d’essais avec ce lien. Réessayez dans un quart d’heure.',
    'Too many attempts with this link. Try again in a quarter of an hour.',
  ],
  mail_code_missing: [
    'Demandez d’abord le code : nous l’envoyons à votre adresse.',
    'Ask for the code first: we send it to your address.',
  ],
  mail_code_wrong: [
    'Ce n’est pas le code du dernier e-mail. Vérifiez-le.',
    'This is not the code of the last e-mail. Check it.',
  ],
  mail_code_over: [
    'Ce code n’est plus valable. Demandez-en un autre.',
    'This code is no longer valid. Ask for another one.',
  ],
  has_account: [
    'Cette adresse entre déjà ici, ou par le lien d’une autre équipe. Connectez-vous : le rôle vous attend à la page « Rôles proposés ».',
    'This address signs in here already, or by the link of another team. Sign in: the role waits for you on the page “Offered roles”.',
  ],
  attempt_over: [
    'La page a trop attendu, ou trop de codes étaient faux. Recommencez.',
    'The page waited too long, or too many codes were wrong. Begin again.',
  ],
  codes_of_day_over: [
    'Trop de codes faux depuis hier. Entrez avec votre clé d’accès, ou réessayez demain.',
    'Too many wrong codes since yesterday. Sign in with your passkey, or try again tomorrow.',
  ],
  terminal_code_unknown: [
    'Aucune commande n’attend ce code. Vérifiez-le, ou relancez la commande : un code sert une seule fois, pendant dix minutes.',
    'No command waits for this code. Check it, or run the command again: a code works once, for ten minutes.',
  ],
  invalid_name: ['Écrivez votre nom, en cent signes au plus.', 'Write your name, in a hundred characters at most.'],
  wrong_code: [
    'Ce code n’est pas le bon. Regardez celui qui s’affiche maintenant.',
    'This code is wrong. Use the one that the app shows now.',
  ],
  code_used: [
    'Ce code a déjà servi. Attendez le suivant, dans moins de trente secondes.',
    'This code was used already. Wait up to thirty seconds for the next one.',
  ],
  clock_wrong: [
    'L’heure de votre téléphone n’est pas juste. Réglez-la sur l’heure automatique.',
    'The clock of your phone is wrong. Set it to automatic time.',
  ],
  wrong_password: ['Ce mot de passe n’est pas le bon.', 'This password is wrong.'],
  password_same: ['C’est le même mot de passe qu’avant.', 'This is the same password as before.'],
  password_too_short: [
    'Ce mot de passe est trop court : douze signes ou plus.',
    'This password is too short: twelve characters or more.',
  ],
  password_too_long: ['Ce mot de passe est trop long.', 'This password is too long.'],
  password_common: [
    'Ce mot de passe est trop connu : on l’essaierait dans les premiers.',
    'This password is too common: attackers try it among the first.',
  ],
  password_contextual: [
    'Ce mot de passe contient votre nom, votre adresse ou le nôtre.',
    'This password contains your name, your address or ours.',
  ],
  passkey_refused: ['Cette clé d’accès n’a pas été reconnue.', 'This passkey was not recognised.'],
  passkey_counted_back: [
    'Le compteur de cette clé d’accès est revenu en arrière, comme celui d’une copie. Prenez un autre moyen ; si vous ne savez pas pourquoi, retirez cette clé de votre compte.',
    'The counter of this passkey went back, as that of a copy does. Use another way; if you do not know why, remove this passkey from your account.',
  ],
  passkey_not_found: ['Cette clé d’accès n’est plus là.', 'This passkey is no longer there.'],
  too_many_passkeys: [
    'Vous avez déjà vingt clés d’accès. Retirez-en une.',
    'You have twenty passkeys already. Remove one.',
  ],
  last_factor: [
    'Sans cette clé vous ne pourriez plus entrer. Ajoutez d’abord un autre moyen.',
    'Without this passkey you could not sign in any more. Add another way first.',
  ],
  step_up_not_found: tooLate,
  step_up_missing: tooLate,
  step_up_used: [
    'Cette confirmation a déjà servi. Confirmez de nouveau.',
    'This confirmation was used already. Confirm again.',
  ],
  step_up_over: [
    'La confirmation a trop attendu, ou trop de codes étaient faux. Confirmez de nouveau.',
    'The confirmation waited too long, or too many codes were wrong. Confirm again.',
  ],
  session_worn_out: [
    'Trop de codes faux depuis que vous êtes entré. Déconnectez-vous, puis entrez de nouveau.',
    'Too many wrong codes since you signed in. Sign out, then sign in again.',
  ],
  content_changed: [
    'La demande a changé depuis que vous l’avez ouverte. Relisez-la avant de confirmer.',
    'The request has changed since you opened it. Read it again before you confirm.',
  ],
}

/** The way on when no try is left. */
const afterwards = {
  password: ['Après, il faut redonner le mot de passe.', 'After that you have to enter your password again.'],
  sign_in: ['Après, il faut entrer de nouveau.', 'After that you have to sign in again.'],
  day: [
    'Après, un code n’entre plus avant demain ; une clé d’accès entre toujours.',
    'After that no code lets you in before tomorrow; a passkey still does.',
  ],
} as const satisfies Record<NonNullable<TriesLeft['after_that']>, Words>

/** A refused factor in words, with the tries that are left when they are few. */
export function refusedFactor(
  say: Say,
  { code, tries_left, after_that }: { readonly code: FactorRefusal } & TriesLeft,
): string {
  const reason = say(refusalWords[code])
  if (tries_left === undefined || after_that === undefined) return reason
  return `${reason} ${say(['Essais restants : {left}.', 'Tries left: {left}.'], { left: tries_left })} ${say(afterwards[after_that])}`
}
