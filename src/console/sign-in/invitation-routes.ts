import {
  acceptInvitation,
  type ChosenFactors,
  type InvitationAccepted,
  type InvitationRefusal,
  openInvitation,
} from '../../people/sign-in/accept-invitation.ts'
import { drawQr } from '../../platform/http/pages/draw-qr.ts'
import { redirectAnswer } from '../../platform/http/pages/page-answer.ts'
import type { Answer } from '../../platform/http/refusal.ts'
import { defineRoute } from '../../platform/http/route.ts'
import type { FieldError } from '../forms.ts'
import type { Words } from '../say.ts'
import type { ScreenDoor } from '../screen.ts'
import { sessionCookie } from '../session-cookie.ts'
import { closedInvitationView, invitationView, recoveryCodesView } from './invitation-views.ts'
import { atDoor, readAnswer, type Step } from './sign-in-routes.ts'

type Refused = Extract<InvitationAccepted, { kind: 'refused' }>['code']

const closed: Readonly<Record<InvitationRefusal, Words>> = {
  invitation_not_found: ['Ce lien n’ouvre rien', 'This link opens nothing'],
  invitation_used: ['Ce lien a déjà servi', 'This link was used already'],
  invitation_revoked: ['Ce lien a été remplacé', 'This link was replaced'],
  invitation_expired: ['Ce lien a expiré', 'This link has expired'],
  too_many_attempts: ['Trop d’essais. Attendez une minute', 'Too many tries. Wait a minute'],
}

/** The field that a refusal is about, and its sentence. */
const wrong: Readonly<Record<Exclude<Refused, InvitationRefusal>, readonly [field: string, words: Words]>> = {
  invalid_name: [
    'name',
    ['Écrivez votre nom, en cent signes au plus.', 'Write your name, in a hundred characters at most.'],
  ],
  password_too_short: [
    'secret_password',
    [
      'Ce mot de passe est trop court : douze signes ou plus.',
      'This password is too short: twelve characters or more.',
    ],
  ],
  password_too_long: ['secret_password', ['Ce mot de passe est trop long.', 'This password is too long.']],
  password_common: [
    'secret_password',
    [
      'Ce mot de passe est trop connu : on l’essaierait dans les premiers.',
      'This password is too well known: it would be tried among the first.',
    ],
  ],
  password_contextual: [
    'secret_password',
    [
      'Ce mot de passe contient votre nom, votre adresse ou le nôtre.',
      'This password contains your name, your address or ours.',
    ],
  ],
  wrong_code: [
    'secret_code',
    [
      'Ce code n’est pas le bon. Regardez celui qui s’affiche maintenant.',
      'This code is not the right one. Look at the one that shows now.',
    ],
  ],
  code_used: [
    'secret_code',
    ['Ce code a déjà servi. Attendez le suivant.', 'This code was used already. Wait for the next one.'],
  ],
  clock_wrong: [
    'secret_code',
    [
      'L’heure de votre téléphone n’est pas juste. Réglez-la sur l’heure automatique.',
      'The clock of your telephone is wrong. Set it to automatic time.',
    ],
  ],
  busy: [
    'name',
    [
      'Beaucoup de monde entre en ce moment. Réessayez dans quelques secondes.',
      'Many people sign in just now. Try again in a few seconds.',
    ],
  ],
  attempt_over: ['name', ['La page a trop attendu. Recommencez.', 'The page waited too long. Begin again.']],
  passkey_refused: [
    'name',
    [
      'Cette clé d’accès n’a pas pu être prise. Réessayez, ou prenez un mot de passe.',
      'This passkey could not be taken. Try again, or take a password.',
    ],
  ],
}

type InvitationStep = Step & { readonly token: string }

async function show({ frame, request, page, fields, token }: InvitationStep, refused: Refused | null): Promise<Answer> {
  const { say } = page
  const opened = await openInvitation(frame.factorsAt(request.door), { token, browser: page.browser })
  if (opened.kind === 'refused') {
    const sentence = say(closed[opened.code])
    return page.write(opened.code === 'too_many_attempts' ? 429 : 404, sentence, closedInvitationView(say, sentence))
  }
  const errors: FieldError[] = []
  if (refused !== null && refused in wrong) {
    const [field, words] = wrong[refused as keyof typeof wrong]
    errors.push({ field, text: say(words) })
  }
  const { person, telephone, passkey } = opened
  const main = invitationView(say, {
    address: `/${request.door}/invitation/${token}`,
    email: person.email,
    name: fields.text('name') || person.name,
    language:
      fields.text('language') === 'en' || (fields.text('language') === '' && page.language === 'en') ? 'en' : 'fr',
    picture: drawQr(
      telephone.uri,
      say(['Image à lire avec une application de codes', 'Picture for a code application']),
      'L',
    ),
    secret_text: telephone.secret_text,
    passkey: passkey === null ? null : { options: passkey.options, attempt: passkey.attempt.reveal() },
    errors,
  })
  return page.write(refused === null ? 200 : 422, say(['Invitation', 'Invitation']), main)
}

async function accept(step: InvitationStep): Promise<Answer> {
  const { frame, request, page, fields, token } = step
  const assertion = fields.secret('secret_assertion')
  const factors: ChosenFactors =
    assertion === ''
      ? {
          kind: 'password',
          password: fields.secret('secret_password'),
          code: fields.secret('secret_code').replace(/\s/g, ''),
        }
      : { kind: 'passkey', attempt: fields.text('attempt'), answer: readAnswer(assertion), label: '' }
  const language = fields.text('language') === 'en' ? 'en' : 'fr'
  const done = await acceptInvitation(frame.factorsAt(request.door), {
    token,
    name: fields.text('name'),
    language,
    factors,
    browser: page.browser,
  })
  if (done.kind === 'refused') return show(step, done.code)
  const cookie = { 'Set-Cookie': sessionCookie(done.session.token.reveal(), page.secure) }
  const home = `/${request.door}`
  if (done.recovery_codes.length === 0) return redirectAnswer(page.to, home, cookie)
  return page.write(
    200,
    page.say(['Codes de secours', 'Recovery codes']),
    recoveryCodesView(page.say, done.recovery_codes, home),
    cookie,
    home,
  )
}

const errors = { 400: ['invalid_request'], 500: ['payment_failed'] } as const
const common = { auth: 'open', errors, fault: 'payment_failed', params: { token: 'text' } } as const

function routesOf(door: ScreenDoor) {
  const at = door === 'console' ? 'Console' : 'Desk'
  const path = `/${door}/invitation/:token`
  const serve =
    (act: (step: InvitationStep) => Promise<Answer>) =>
    (asked: { readonly params: { readonly token: string } }, deps: Parameters<ReturnType<typeof atDoor>>[1]) =>
      atDoor(door, (step) => act({ ...step, token: asked.params.token }))(asked, deps)
  return [
    defineRoute({
      ...common,
      method: 'GET',
      path,
      operation: `showInvitation${at}`,
      summary: 'Show an invitation',
      handle: serve((step) => show(step, null)),
    }),
    defineRoute({
      ...common,
      method: 'POST',
      reads: 'raw',
      unreadable: 'invalid_request',
      path,
      operation: `acceptInvitation${at}`,
      summary: 'Take an invitation up',
      handle: serve(accept),
    }),
  ]
}

/** The pages of invitations, the same at both doors. */
export const invitationRoutes = [...routesOf('console'), ...routesOf('desk')] as const
