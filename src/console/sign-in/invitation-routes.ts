import { readAnswer } from '../../people/factors/passkey.ts'
import {
  acceptInvitation,
  type ChosenFactors,
  type InvitationAccepted,
  type InvitationRefusal,
  openInvitation,
} from '../../people/sign-in/accept-invitation.ts'
import { REST_MINUTES } from '../../people/sign-in/invitation-store.ts'
import { readMailCode, sendMailCode } from '../../people/sign-in/mail-code.ts'
import { drawQr } from '../../platform/http/pages/draw-qr.ts'
import { redirectAnswer } from '../../platform/http/pages/page-answer.ts'
import type { Answer } from '../../platform/http/refusal.ts'
import { defineRoute } from '../../platform/http/route.ts'
import type { FieldError } from '../forms.ts'
import { refusalWords } from '../refusal-words.ts'
import type { Words } from '../say.ts'
import type { ScreenDoor } from '../screen.ts'
import { sessionCookie } from '../session-cookie.ts'
import { closedInvitationView, invitationView, recoveryCodesView, restingInvitationView } from './invitation-views.ts'
import { atDoor, type Step } from './sign-in-routes.ts'

type Refused = Extract<InvitationAccepted, { kind: 'refused' }>['code']

const closed: Readonly<Record<InvitationRefusal, Words>> = {
  invitation_not_found: ['Ce lien n’ouvre rien', 'This link is not valid'],
  invitation_used: ['Ce lien a déjà servi', 'This link was used already'],
  invitation_revoked: ['Ce lien a été remplacé', 'This link was replaced'],
  invitation_expired: ['Ce lien a expiré', 'This link has expired'],
}

type FieldRefusal = Exclude<Refused, InvitationRefusal>

/** The field of each refusal. A refusal of the whole page is at the name. */
const fieldOf: Readonly<Partial<Record<FieldRefusal, string>>> = {
  password_too_short: 'secret_password',
  password_too_long: 'secret_password',
  password_common: 'secret_password',
  password_contextual: 'secret_password',
  wrong_code: 'secret_code',
  code_used: 'secret_code',
  clock_wrong: 'secret_code',
  mail_code_missing: 'mail_code',
  mail_code_wrong: 'mail_code',
  mail_code_over: 'mail_code',
}

type InvitationStep = Step & { readonly token: string }

async function show(
  { factors, request, page, fields, token }: InvitationStep,
  refused: FieldRefusal | null,
): Promise<Answer> {
  const { say } = page
  const opened = await openInvitation(factors, { token, shown: fields.text('shown') })
  if (opened.kind === 'refused') {
    const sentence = say(closed[opened.code])
    return page.write(404, sentence, closedInvitationView(say, sentence))
  }
  const errors: FieldError[] =
    refused === null ? [] : [{ field: fieldOf[refused] ?? 'name', text: say(refusalWords[refused]) }]
  const { person, invited_by, roles, telephone, passkey } = opened
  const mail = await readMailCode(factors, { token })
  const main = invitationView(say, {
    address: `/${request.door}/invitation/${token}`,
    offers: `/${request.door}/offers`,
    email: person.email,
    invited_by,
    roles,
    name: fields.text('name') || person.name,
    language:
      fields.text('language') === 'en' || (fields.text('language') === '' && page.language === 'en') ? 'en' : 'fr',
    picture: drawQr(
      telephone.uri,
      say(['Image à lire avec une application de codes', 'QR code for an authenticator app']),
      'L',
    ),
    secret_text: telephone.secret_text,
    shown: telephone.sealed,
    mail,
    passkey: passkey === null ? null : { options: passkey.options, attempt: passkey.attempt.reveal() },
    errors,
  })
  const title = say(['Invitation', 'Invitation'])
  return page.write(refused === null ? 200 : 422, title, main)
}

async function accept(step: InvitationStep): Promise<Answer> {
  const { request, page, fields, token } = step
  if (fields.text('act') === 'send_code') {
    await sendMailCode(step.factors, { token })
    return show(step, null)
  }
  const assertion = fields.secret('secret_assertion')
  const chosen: ChosenFactors =
    assertion === ''
      ? {
          kind: 'password',
          password: fields.secret('secret_password'),
          sealed: fields.text('shown'),
          code: fields.secret('secret_code').replace(/\s/g, ''),
        }
      : { kind: 'passkey', attempt: fields.text('attempt'), answer: readAnswer(assertion), label: '' }
  const language = fields.text('language') === 'en' ? 'en' : 'fr'
  const done = await acceptInvitation(step.factors, {
    token,
    name: fields.text('name'),
    language,
    mail_code: fields.text('mail_code'),
    factors: chosen,
    browser: page.browser,
  })
  if (done.kind === 'refused' && done.code === 'link_rests') {
    // Without the form, whose picture costs more than everything else here.
    const sentence = page.say(refusalWords.link_rests)
    const headers = { 'Retry-After': String(REST_MINUTES * 60) }
    return page.write(
      429,
      sentence,
      restingInvitationView(page.say, sentence, `/${request.door}/invitation/${token}`),
      headers,
    )
  }
  if (done.kind === 'refused') return done.code in closed ? show(step, null) : show(step, done.code as FieldRefusal)
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
const common = {
  auth: 'open',
  about: { parameter: 'token' },
  errors,
  fault: 'payment_failed',
  params: { token: 'text' },
} as const

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

/** The routes of invitations, the same at both doors. */
export const invitationRoutes = [...routesOf('console'), ...routesOf('desk')] as const
