import { WHOLE_SERVICE } from '../audit-log/record-act.ts'
import type { Session } from '../people/sessions/session.ts'
import type { OpenVisit } from '../people/visits/visit.ts'
import type { Unread } from '../platform/http/admission.ts'
import { isFromOurPage, languageOf, wantsJson } from '../platform/http/pages/page-request.ts'
import type { Answer } from '../platform/http/refusal.ts'
import { defineRoute, type Route } from '../platform/http/route.ts'
import type { Turn } from '../platform/http/turns.ts'
import { isBusy } from '../platform/postgres/failures.ts'
import type { Language } from '../values/language.ts'
import { type Right, rightsOf, visitRights } from '../values/rights.ts'
import { type Asked, type ConsoleFrame, nonceFor } from './console-frame.ts'
import { showHidden } from './hidden-search.ts'
import { type KnownRequest, looksAgain, PageWriter } from './page-writer.ts'
import { FORM_MAX_BYTES, type FormFields, isPlainForm, noFields, readForm } from './read-fields.ts'
import { readParams, readQuery } from './read-query.ts'
import { sayIn } from './say.ts'
import type { Screen, ScreenRequest } from './screen.ts'
import { aboutSession, readSessionCookie } from './session-cookie.ts'
import { admitUpload, askToSignIn } from './sign-in/ask-to-sign-in.ts'
import { faultAtDoor } from './sign-in/door-page.ts'
import { absentView, busyView, staleFormView } from './states.ts'
import { recordSearch, visitAt, visitOnlyView } from './visits.ts'
import { leadWithoutSlash } from './without-slash.ts'

type Deps = { readonly console: ConsoleFrame }

const errors = { 400: ['invalid_request'], 500: ['payment_failed'] } as const
const open = { auth: 'open', about: aboutSession, errors, fault: 'payment_failed' } as const

/** The dependencies of several screens, as one type. */
type DepsOf<Some extends Screen> = (Some extends Screen<infer Needed> ? (needed: Needed) => void : never) extends (
  needed: infer All,
) => void
  ? All
  : never

/** Returns the routes of screens. They need no API key; the frame checks the session. */
export function screenRoutes<Some extends Screen>(screens: readonly Some[]): readonly Route<Deps & DepsOf<Some>>[] {
  return (screens as readonly Screen<never>[] as readonly Screen<DepsOf<Some>>[]).map((screen) => routeOf(screen))
}

function routeOf<ScreenDeps>(screen: Screen<ScreenDeps>): Route<Deps & ScreenDeps> {
  const path = `${screen.door === 'console' ? '/console/:mode/:merchant' : '/desk/:mode'}${screen.path}`
  const params = Object.fromEntries([...path.matchAll(/:(\w+)/g)].map(([, name]) => [name!, 'text' as const]))
  const { operation, summary, method } = screen
  const common = { ...open, path, operation, summary, params }
  const handle = (request: unknown, deps: Deps & ScreenDeps) => serveScreen(screen, request as Asked, deps)
  const takes = screen.takes_file === true && ({ head: false } as const)
  if (method === 'GET') return defineRoute({ ...common, ...takes, method, handle })
  const posted = { ...common, method, unreadable: 'invalid_request', handle } as const
  if (screen.upload === undefined) return defineRoute({ ...posted, reads: 'raw', bodyMaxBytes: FORM_MAX_BYTES })
  const admit = (request: Unread, { console: frame }: Deps) => admitUpload(frame, request, screen.door)
  return defineRoute({ ...posted, reads: 'upload', bodyMaxBytes: screen.upload.max_bytes, admit })
}

/**
 * Serves a screen. It checks in this order: the session, the mode and the merchant of the address, the turn among the pages of its merchant,
 * that a visit does not act, the right, the origin of a form, a fresh factor. Then it calls the handler.
 */
async function serveScreen<ScreenDeps>(
  screen: Screen<ScreenDeps>,
  asked: Asked,
  deps: Deps & ScreenDeps,
): Promise<Answer> {
  const frame = deps.console
  // The part of an id is empty.
  const led = leadWithoutSlash({ method: screen.method, url: asked.url }, frame)
  if (led !== null) return led
  const { door } = screen
  const secure = frame.originOf(door).startsWith('https:')
  const to = { headers: asked.headers, secure }
  const token = readSessionCookie(asked.headers, secure)
  let page: PageWriter | null = null
  let turn: Turn | null = null
  try {
    const session = token === null ? null : await frame.readSession(token, !looksAgain(screen, asked))
    // The session may have ended while the file came.
    if (session === null && screen.upload !== undefined && !isPlainForm(asked.headers['content-type']))
      return await askToSignIn(frame, asked, door, 'file')
    const fields = await readForm(asked, screen.upload !== undefined)
    const ours = fields !== null && token !== null && fields.text('nonce') === nonceFor(frame.nonce_key, token)
    // Our own form has the nonce of its ended session. A form of another site is not stored, because the person did not type it.
    if (session === null) return await askToSignIn(frame, asked, door, ours ? fields : null)
    const visit = await visitAt(frame, screen, session, asked.params.merchant ?? '')
    const nonce = nonceFor(frame.nonce_key, token!)
    const request = requestOf(frame, screen, asked, { session, visit, nonce, fields: fields ?? noFields })
    page = new PageWriter(frame, screen, asked, request, to)
    if (!request.exists) return await page.write(absentView(request))
    // From here on it takes a turn of its merchant's pages.
    asked.turn.end()
    turn = await frame.turns.enter(request.tenant ?? { ...desk, livemode: request.livemode }, 'alone', asked.isWanted)
    if (turn === null) return await page.writeBare(busyView(request, page.again))
    if (visit !== null && screen.method === 'POST' && !screen.only_reads)
      return await page.write(visitOnlyView(request))
    if (screen.right !== null && !request.can(screen.right))
      return await page.write({ kind: 'not_permitted', right: screen.right })
    if (asked.body === null) return await page.write(await screen.upload!.tooLarge(request as never, deps))
    if (screen.method === 'POST' && !(ours && isFromOurPage(asked.headers, frame.originOf(door))))
      return await page.write(staleFormView(request, request.at('')))
    if (visit !== null && screen.hides !== undefined)
      await recordSearch(frame.sql, request as ScreenRequest<'console'>, (request.query.get(screen.hides) ?? '').trim())
    if (screen.method === 'GET' && !wantsJson(asked.headers) && !looksAgain(screen, asked)) page.countMeanwhile()
    return await page.write(await screen.handle(request as never, deps))
  } catch (error) {
    frame.log.error({ error, request_id: asked.request_id, operation: screen.operation }, 'console: page failed')
    if (page === null) return faultAtDoor(frame, asked, door)
    return isBusy(error) ? page.writeOccupied() : page.writeFault()
  } finally {
    turn?.end()
  }
}

/** The pages of the staff share the turns of no merchant. */
const desk = { merchant_id: WHOLE_SERVICE }

/** Returns the facts for a handler. `exists` is false when the address has a mode or merchant that is not this person's. */
function requestOf(
  frame: ConsoleFrame,
  screen: Screen<never>,
  asked: Asked,
  known: { session: Session; visit: OpenVisit | null; nonce: string; fields: FormFields },
): KnownRequest {
  const { session, visit, nonce, fields } = known
  const { mode = '', merchant = '', ...params } = asked.params
  const inConsole = screen.door === 'console'
  const base = inConsole ? `/console/${mode}/${merchant}` : `/desk/${mode}`
  const query = showHidden(frame, screen, `${base}${screen.path}`, readQuery(asked.url, screen.query))
  const language: Language = query.has('lang')
    ? languageOf(query, asked.headers['accept-language'])
    : session.person.language
  const say = sayIn(language)
  const membership = session.memberships.find(({ merchant_id }) => String(merchant_id) === merchant)
  const roles = inConsole ? (membership?.roles ?? []) : session.staff_roles
  const rights = visit === null ? rightsOf(roles) : visitRights
  const at = membership ?? visit
  return {
    exists: (mode === 'live' || mode === 'test') && (roles.length > 0 || visit !== null),
    roles,
    visit,
    session,
    livemode: mode === 'live',
    ...(at != null && {
      tenant: { merchant_id: at.merchant_id, livemode: mode === 'live' },
      merchant_name: at.merchant_name,
    }),
    place: inConsole ? (at?.merchant_name ?? '') : say(['Bureau', 'Desk']),
    actor: { person: session.person.email, door: 'console', from: asked.address, step_up_id: null },
    can: (right: Right) => rights.has(right),
    params: readParams(params),
    query,
    fields,
    language,
    say,
    at: (path) => `${base}${path}`,
    path: (asked.url.split('?')[0] ?? '').slice(base.length),
    url: asked.url,
    nonce,
    request_id: asked.request_id,
    address: asked.address,
    user_agent: asked.headers['user-agent'] ?? '',
  }
}
