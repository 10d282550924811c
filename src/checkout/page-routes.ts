import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { exchangeOf } from '../platform/http/server.ts'
import { takeBodies } from '../platform/http/take-bodies.ts'
import type { Log } from '../platform/log.ts'
import { createPageActs, type Found, type Outcome, type PageActsDependencies, type PageRoute } from './page-acts.ts'
import { contextOf } from './page-context.ts'
import {
  type PageFacts,
  type PageRefusal,
  type PageViews,
  pageRefusalStatuses,
  type View,
  type ViewContext,
} from './page-facts.ts'
import { FORM_MAX_BYTES, languageOf, readForm, wantsJson } from './page-request.ts'
import { readSessionFacts } from './read-page.ts'
import type { ReadReturn } from './read-return.ts'
import { type Sending, sendFacts, sendPacked, sendRefusal, sendTo, sendView } from './send-page.ts'
import { verifyReceipt } from './verify-receipt.ts'

export type PageRoutesDependencies = PageActsDependencies & { views: PageViews; readReturn: ReadReturn; log: Log }

type Typed = ViewContext['typed']
type PageDrawer = (facts: PageFacts, context: ViewContext) => View
type Asked = FastifyRequest<PageRoute>

/**
 * The pages that payers meet, and the JSON form of the same addresses: sessions at `/pay/<token>`, links at
 * `/link/<token>`, receipts checked at `/verify`. Which address, which form, and in which order a request is looked at:
 * the token, whether it comes from our page, its form, and then what it asks for.
 */
export function pageRoutes(deps: PageRoutesDependencies) {
  const { views, addresses } = deps
  const acts = createPageActs(deps)

  async function answer(
    sending: Sending,
    outcome: Outcome,
    typed: Typed,
    draw: PageDrawer = drawFacts,
  ): Promise<unknown> {
    const { request } = sending
    if (outcome.kind === 'done') {
      if (!wantsJson(request.headers)) {
        const language = languageOf(queryOf(request), request.headers['accept-language'])
        return sendTo(sending, `${addresses.sessionPath(outcome.session.session_id)}?lang=${language}`)
      }
      const { merchant_id, livemode, session_id } = outcome.session
      return sendFacts(
        sending,
        200,
        withoutLogo((await readSessionFacts(deps, { merchant_id, livemode, session_id }))!),
      )
    }
    if (wantsJson(request.headers)) {
      return outcome.kind === 'facts'
        ? sendFacts(sending, 200, withoutLogo(outcome.facts))
        : sendRefusal(sending, outcome.code, outcome.headers)
    }
    if (outcome.kind === 'refused' && outcome.facts === null) {
      const view = views.refused(outcome.code, contextFor(request, null, outcome.code, typed))
      return sendView(sending, pageRefusalStatuses[outcome.code], view, outcome.headers)
    }
    // Another attempt is under way: that is no fault of the payer's, and its page says all there is to say.
    const refused = outcome.kind === 'refused' && outcome.code !== 'idempotency_in_progress' ? outcome : null
    const status = refused === null ? 200 : pageRefusalStatuses[refused.code]
    const facts = outcome.facts!
    const context = contextFor(request, facts, refused?.code ?? null, typed)
    return sendView(sending, status, draw(facts, context), refused?.headers)
  }

  const drawFacts: PageDrawer = (facts, context) =>
    facts.kind === 'session' ? views.session(facts, context) : views.link(facts, context)

  function contextFor(
    request: FastifyRequest,
    facts: PageFacts | null,
    refusal: PageRefusal | null,
    typed: Typed,
    kept: Record<string, string> = {},
  ): ViewContext {
    const asked = {
      path: facts?.address ?? request.url.split('?')[0]!,
      query: queryOf(request),
      headers: request.headers,
      request_id: exchangeOf(request.raw).request_id,
      brand_name: deps.brand_name,
    }
    return contextOf(asked, { refusal, typed, kept })
  }

  /** A fault of ours is a page like the others, in which the payer reads that nothing is known to have happened. */
  function serving(serve: (request: Asked, sending: Sending) => Promise<unknown>) {
    return async (request: Asked, reply: FastifyReply): Promise<unknown> => {
      const sending = { request, reply, secure: addresses.origin().startsWith('https:') }
      try {
        return await serve(request, sending)
      } catch (error) {
        const { request_id } = exchangeOf(request.raw)
        deps.log.error({ error, request_id, operation: request.routeOptions.url }, 'A page failed.')
        if (wantsJson(request.headers)) return sendRefusal(sending, 'payment_failed')
        return sendView(sending, 500, views.refused('payment_failed', contextFor(request, null, 'payment_failed', {})))
      }
    }
  }

  /** A page found by its token. */
  function atToken(prefix: 'cs_' | 'lnk_', act: (request: Asked, found: Found) => Promise<Outcome>, draw?: PageDrawer) {
    return serving(async (request, sending) => {
      const found = await acts.find(request, prefix)
      const outcome = 'kind' in found ? found : await act(request, found)
      return answer(sending, outcome, typedIn(request), draw)
    })
  }

  const poster: PageDrawer = (facts, context) =>
    facts.kind === 'link' && facts.payable ? views.poster(facts, context) : drawFacts(facts, context)

  return (fastify: FastifyInstance): void => {
    void fastify.register(async (scope) => {
      takeBodies(scope, FORM_MAX_BYTES)
      scope.get<PageRoute>(
        '/pay/:token',
        atToken('cs_', (_request, found) => acts.showSession(found)),
      )
      scope.post<PageRoute>('/pay/:token', atToken('cs_', acts.postSession))
      // A reload of the answer to a refused code.
      scope.get<PageRoute>(
        '/pay/:token/code',
        atToken('cs_', (_request, found) => acts.showSession(found)),
      )
      scope.post<PageRoute>('/pay/:token/code', atToken('cs_', acts.postCode))
      scope.get<PageRoute>(
        '/link/:token',
        atToken('lnk_', (_request, found) => acts.showLink(found)),
      )
      scope.post<PageRoute>('/link/:token', atToken('lnk_', acts.postLink))
      scope.get<PageRoute>(
        '/link/:token/poster',
        atToken('lnk_', (_request, found) => acts.showLink(found), poster),
      )
      scope.get<PageRoute>('/return/:token', serving(comeBack))
      scope.get<PageRoute>('/verify', serving(verify))
      scope.get<PageRoute>('/verify/key', serving(showKey))
      scope.get<{ Params: { name: string } }>('/page/:name', (request, reply) => {
        const asset = views.assets.get(request.params.name)
        if (asset === undefined) return reply.callNotFound()
        reply.headers({ 'Cache-Control': 'public, max-age=31536000, immutable', Vary: 'Accept-Encoding' })
        return sendPacked({ request, reply }, asset.type, asset.body)
      })
    })
  }

  /** Back from an operator's app, with the reference that we gave the operator. */
  async function comeBack(request: Asked, sending: Sending): Promise<unknown> {
    const session_id = await deps.readReturn(request.params.token)
    if (session_id !== null) return sendTo(sending, addresses.sessionPath(session_id))
    const headers = await acts.hit('page_guess', request, deps.page_guesses_per_address)
    const code = headers === null ? 'resource_not_found' : 'rate_limit_exceeded'
    return answer(sending, { kind: 'refused', code, facts: null, headers: headers ?? {} }, {})
  }

  async function verify(request: Asked, sending: Sending): Promise<unknown> {
    const asked = (queryOf(request).get('receipt') ?? '').slice(0, 2_000)
    const headers = asked === '' ? null : await acts.hit('receipt_check', request, deps.page_guesses_per_address)
    if (headers !== null) {
      return answer(sending, { kind: 'refused', code: 'rate_limit_exceeded', facts: null, headers }, {})
    }
    const verification = asked.trim() === '' ? null : await verifyReceipt(deps, asked)
    if (wantsJson(request.headers)) return sendFacts(sending, 200, { brand_name: deps.brand_name, verification })
    const context = contextFor(request, null, null, {}, asked === '' ? {} : { receipt: asked })
    return sendView(sending, 200, views.verify(verification, asked, context))
  }

  async function showKey(request: Asked, sending: Sending): Promise<unknown> {
    const { pem, jwk } = deps.receipts.public_key
    if (wantsJson(request.headers)) return sendFacts(sending, 200, jwk)
    return sendPacked({ request, reply: sending.reply }, 'application/x-pem-file', pem)
  }
}

/** For a program, which looks every other second and draws nothing. */
function withoutLogo({ merchant_logo: _, ...facts }: PageFacts): object {
  return facts
}

/** What this request sent, to be shown again beside what is wrong with it. */
function typedIn(request: Asked): Typed {
  if (request.method !== 'POST') return {}
  const form = readForm(request.body ?? Buffer.alloc(0), request.headers['content-type'])
  if (form === null) return {}
  const { amount_text, msisdn, operator } = form
  return {
    ...(amount_text === '' ? {} : { amount: amount_text }),
    ...(msisdn === null || msisdn === '' ? {} : { msisdn }),
    ...(operator === null || operator === '' ? {} : { operator }),
  }
}

function queryOf(request: FastifyRequest): URLSearchParams {
  return new URLSearchParams(request.url.split('?')[1] ?? '')
}
