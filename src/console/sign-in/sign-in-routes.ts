import type { FactorDeps } from '../../people/factors/factor-deps.ts'
import { readAnswer } from '../../people/factors/passkey.ts'
import { endSession } from '../../people/sessions/end-session.ts'
import type { OpenedSession } from '../../people/sessions/open-session.ts'
import { beginSignIn, finishSignIn } from '../../people/sign-in/sign-in.ts'
import { askForPasskey, signInByPasskey } from '../../people/sign-in/sign-in-by-passkey.ts'
import { redirectAnswer } from '../../platform/http/pages/page-answer.ts'
import { isFromOurPage, queryOf } from '../../platform/http/pages/page-request.ts'
import type { Answer } from '../../platform/http/refusal.ts'
import { defineRoute } from '../../platform/http/route.ts'
import { type Asked, type ConsoleFrame, nonceFor } from '../console-frame.ts'
import type { FieldError } from '../forms.ts'
import { FORM_MAX_BYTES, type FormFields, noFields, readFields } from '../read-fields.ts'
import { refusalWords, refusedFactor } from '../refusal-words.ts'
import type { ScreenDoor } from '../screen.ts'
import { aboutSession, endedCookie, readSessionCookie, sessionCookie } from '../session-cookie.ts'
import { carried, createDoorPage, type DoorPage, type DoorRequest, faultAtDoor } from './door-page.ts'
import { readKeptForm, safeNext } from './kept-form.ts'
import { codeView, goOnView, type PasskeyQuestion, signInView } from './sign-in-views.ts'

type Deps = { readonly console: ConsoleFrame }
/** One step of a sign-in: the request with its page and its form. */
export type Step = {
  frame: ConsoleFrame
  request: DoorRequest
  page: DoorPage
  fields: FormFields
  /** The dependencies of factors at this door, with the turn of this request. */
  factors: FactorDeps
}

const errors = { 400: ['invalid_request'], 500: ['payment_failed'] } as const
const common = { auth: 'open', about: 'address', errors, fault: 'payment_failed' } as const
// The page asks in general, and looks nobody up.
const shown = { ...common, about: 'nothing', method: 'GET' } as const
const posted = {
  ...common,
  method: 'POST',
  reads: 'raw',
  bodyMaxBytes: FORM_MAX_BYTES,
  unreadable: 'invalid_request',
} as const

async function ask(
  step: Step,
  status: number,
  told: { email?: string; errors?: readonly FieldError[] } = {},
): Promise<Answer> {
  const { factors, request, page, fields } = step
  const { say } = page
  const query = queryOf(request.url)
  const next = fields.text('next') || query.get('next') || ''
  const hidden = carried({ next, kept: fields.all('kept') })
  const main = signInView({ say, door: request.door, hidden }, await passkeyQuestion(factors), told)
  const home = `/${request.door}/sign-in${next === '' ? '' : `?${new URLSearchParams({ next })}`}`
  return page.write(status, say(['Entrer', 'Sign in']), main, {}, home)
}

async function passkeyQuestion(factors: FactorDeps): Promise<PasskeyQuestion> {
  if (!factors.site.passkeys) return null
  const { options, attempt } = await askForPasskey(factors)
  return { options, attempt: attempt.reveal() }
}

async function takePassword(step: Step): Promise<Answer> {
  const { factors, page, fields } = step
  const email = fields.text('email')
  const begun = await beginSignIn(factors, {
    email,
    password: fields.secret('secret_password'),
    browser: page.browser,
  })
  if (begun.kind === 'refused') {
    const error = { field: 'email', text: page.say(refusalWords[begun.code]) }
    return ask(step, begun.code === 'wrong_credentials' ? 422 : 429, { email, errors: [error] })
  }
  return askForCode(step, 200, { email, attempt: begun.attempt.reveal() })
}

function askForCode(
  { request, page, fields }: Step,
  status: number,
  told: { email: string; attempt: string; errors?: readonly FieldError[] },
): Promise<Answer> {
  const { say } = page
  const hidden = carried({ next: fields.text('next'), kept: fields.all('kept') })
  const main = codeView({ say, door: request.door, hidden }, told)
  return page.write(status, say(['Code', 'Code']), main, {}, `/${request.door}/sign-in`)
}

async function takeCode(step: Step): Promise<Answer> {
  const { factors, page, fields } = step
  const attempt = fields.text('attempt')
  const code = fields.secret('secret_code').replace(/\s/g, '')
  const done = await finishSignIn(factors, { attempt, code, browser: page.browser })
  if (done.kind === 'signed_in') return goOn(step, done.session)
  const error = { field: 'secret_code', text: refusedFactor(page.say, done) }
  const email = fields.text('email')
  if (done.code === 'attempt_over') return ask(step, 422, { email, errors: [{ ...error, field: 'email' }] })
  return askForCode(step, done.code === 'codes_of_day_over' ? 429 : 422, { email, attempt, errors: [error] })
}

async function takePasskey(step: Step): Promise<Answer> {
  const { factors, page, fields } = step
  const answer = readAnswer(fields.secret('secret_assertion'))
  const done = await signInByPasskey(factors, {
    attempt: fields.text('attempt'),
    answer,
    browser: page.browser,
  })
  if (done.kind === 'signed_in') return goOn(step, done.session)
  return ask(step, 422, { errors: [{ field: 'email', text: page.say(refusalWords[done.code]) }] })
}

/** Continues at the requested address, or shows the kept form. */
function goOn({ frame, request, page, fields }: Step, { person_id, token }: OpenedSession): Promise<Answer> | Answer {
  const cookie = { 'Set-Cookie': sessionCookie(token.reveal(), page.secure) }
  const { mark = null } = page.browser
  const kept = readKeptForm(frame.kept_key, mark === null ? null : { person_id, mark }, fields.all('kept'))
  if (kept === null) return redirectAnswer(page.to, safeNext(fields.text('next'), request.door), cookie)
  const main = goOnView(page.say, kept, nonceFor(frame.nonce_key, token.reveal()))
  return page.write(200, page.say(['Continuer', 'Continue']), main, cookie, `/${request.door}`)
}

async function signOut({ frame, request, page, fields }: Step): Promise<Answer> {
  const token = readSessionCookie(request.headers, page.secure)
  const session = token === null ? null : await frame.readSession(token)
  const to = `/${request.door}/sign-in`
  if (session === null || token === null) return redirectAnswer(page.to, to, { 'Set-Cookie': endedCookie(page.secure) })
  if (fields.text('nonce') !== nonceFor(frame.nonce_key, token)) return redirectAnswer(page.to, `/${request.door}`)
  await endSession(frame, session, page.browser)
  return redirectAnswer(page.to, to, { 'Set-Cookie': endedCookie(page.secure), 'Clear-Site-Data': '"cache"' })
}

/** Returns the handler of a step: it checks that the form is from our own page, and answers our own faults. */
export function atDoor(door: ScreenDoor, serve: (step: Step) => Promise<Answer> | Answer) {
  return async (asked: unknown, { console: frame }: Deps): Promise<Answer> => {
    const { url, headers, address, request_id, body, turn } = asked as Asked
    const request = { door, url, headers, address, request_id }
    const page = createDoorPage(frame)(request)
    const fields = body ? readFields(body, headers['content-type']) : noFields
    const factors = { ...frame.factorsAt(door), turn }
    const step = { frame, request, page, fields: fields ?? noFields, factors }
    try {
      if (fields === null || (body !== undefined && !isFromOurPage(headers, frame.originOf(door))))
        return await ask({ ...step, fields: noFields }, 403)
      return await serve(step)
    } catch (error) {
      frame.log.error({ error, request_id }, 'console: sign-in failed')
      return faultAtDoor(frame, asked as Asked, door)
    }
  }
}

function routesOf<const Door extends ScreenDoor>(door: Door) {
  const at = door === 'console' ? 'Console' : 'Desk'
  return [
    defineRoute({
      ...shown,
      path: `/${door}/sign-in`,
      operation: `showSignIn${at}`,
      summary: 'Ask to sign in',
      handle: atDoor(door, (step) => ask(step, 200)),
    }),
    defineRoute({
      ...posted,
      path: `/${door}/sign-in`,
      operation: `signIn${at}`,
      summary: 'Take an address and a password',
      handle: atDoor(door, takePassword),
    }),
    defineRoute({
      ...posted,
      path: `/${door}/sign-in/code`,
      operation: `signInByCode${at}`,
      summary: 'Take the code of a phone',
      handle: atDoor(door, takeCode),
    }),
    defineRoute({
      ...posted,
      path: `/${door}/sign-in/passkey`,
      operation: `signInByPasskey${at}`,
      summary: 'Take the answer of a passkey',
      handle: atDoor(door, takePasskey),
    }),
    defineRoute({
      ...posted,
      path: `/${door}/sign-out`,
      operation: `signOut${at}`,
      about: aboutSession,
      summary: 'End the session of this browser',
      handle: atDoor(door, signOut),
    }),
  ]
}

/** The routes of sign-in and sign-out, the same at both doors. */
export const signInRoutes = [...routesOf('console'), ...routesOf('desk')] as const
