import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import type { Registry } from 'prom-client'
import type { Caller } from '../../values/caller.ts'
import type { ErrorCode } from '../../values/error-codes.ts'
import type { Clock } from '../clock.ts'
import type { Brand } from '../config.ts'
import type { Log } from '../log.ts'
import { type AddressRate, addressRateCheck } from './address-rate.ts'
import { addressToCall } from './address-to-call.ts'
import type { Authenticator, AuthenticatorName } from './authenticator.ts'
import { BoundedRequest, parseInSteps } from './bounded-request.ts'
import { createAddressReader } from './client-address.ts'
import { answerParserErrors, noteContext } from './parser-errors.ts'
import { type Answer, type Refusal, refusalAnswer } from './refusal.ts'
import type { AnsweredRequest, RequestContext } from './request-context.ts'
import { createResponder, type Responder } from './responder.ts'
import type { Route } from './route.ts'
import { lacksId, type Matched, notListed, type ServeRoute, serveRoute } from './serve-route.ts'
import { drain, stopListening } from './stop-server.ts'
import type { Turns } from './turns.ts'
import { findPaths, type RefusedPath, refusedMethods } from './unknown-route.ts'

export type HttpServerOptions<Deps> = {
  readonly brand: Brand
  /** Addresses or blocks of the proxies in front, whose `X-Forwarded-For` the server trusts. Empty: none. */
  readonly trustProxy: readonly string[]
  readonly authenticators: Readonly<Partial<Record<AuthenticatorName, Authenticator>>>
  readonly routes: readonly Route<NoInfer<Deps>>[]
  /** The dependencies, passed to every route's handler. */
  readonly deps: Deps
  /** The rate limit of an address, checked before anything else, for unknown routes too. */
  readonly addressRate?: AddressRate
  /** The page for a person who is refused with a 429. Null: the common refusal. */
  readonly rateLimitedPage?: (request: IncomingMessage, refusal: Refusal, request_id: string) => Answer | null
  /**
   * The page for a person whose request failed, or got no answer before its deadline: it may have been carried out, or still be. Null: the fault
   * of the route, for a program.
   */
  readonly faultPage?: (request: IncomingMessage, request_id: string) => Answer | null
  /** The answer at certain addresses without a route. Null: the common refusal. */
  readonly unlisted?: (request: IncomingMessage, request_id: string) => Answer | null
  /** Turns of merchants in front of the database, and of the things that calls of open routes are about. */
  readonly turns: Turns
  readonly openTurns: Turns
  /** The headers of a 429 with the caller's use of the limit in this minute. */
  readonly rateHeaders: (caller: Caller) => Promise<Readonly<Record<string, string>>>
  /** Called after every answer. Must not throw or wait. */
  readonly onAnswered?: (entry: AnsweredRequest) => void
  /** Returns whether the service can work, with each check by name, for `/readyz`. */
  readonly ready: () => Promise<{ ok: boolean; checks: Readonly<Record<string, boolean>> }>
  /** The code of a fault outside any declared route. */
  readonly fault: ErrorCode
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Registry
  /** The most milliseconds for a request to arrive, with its body; a person's file may take longer (`slow-uploads.ts`). 10 000 by default. */
  readonly arrivalDeadlineMs?: number
  /** The most milliseconds for the authenticator and the handler. 10 000 by default. */
  readonly handlerDeadlineMs?: number
  /** The milliseconds over which the client of a streamed body is measured (`slow-downloads.ts`). 30 000 by default. */
  readonly downloadWindowMs?: number
}

export type HttpServer = {
  /** Listens and returns the address to call, such as `http://127.0.0.1:3000`. Port 0: any free one. */
  listen(port: number, host: string): Promise<string>
  /**
   * Stops in three steps: accepts no new connection; reports not ready, answers the requests in progress and closes the connection after each
   * answer; closes the other connections. Takes at most 10 s.
   */
  stop(): Promise<void>
}

/** A request, with the context that it belongs to. */
class ContextRequest extends BoundedRequest {
  context: RequestContext | null = null
}

/** Builds the server. Nothing listens before `listen`. */
export async function createHttpServer<Deps>(options: HttpServerOptions<Deps>): Promise<HttpServer> {
  const { arrivalDeadlineMs = 10_000, handlerDeadlineMs = 10_000, downloadWindowMs = 30_000 } = options
  const { onAnswered = null, faultPage = () => null } = options
  const giveBack = options.addressRate?.giveBack ?? null
  const responder = createResponder({
    ...options,
    handlerDeadlineMs,
    downloadWindowMs,
    onAnswered,
    giveBack,
    faultPage,
  })
  const keysUnderWay = new Map<string, Buffer>()
  const addressOf = createAddressReader(options.trustProxy)
  const checkRate = addressRateCheck(options.addressRate, options.routes, options.log)

  function begin(request: IncomingMessage, response: ServerResponse): RequestContext {
    const arrived = request as ContextRequest
    const context = responder.begin(arrived, response, addressOf(request))
    arrived.response = response
    arrived.context = context
    noteContext(context)
    return context
  }

  function receive(request: IncomingMessage, response: ServerResponse, route: () => void): void {
    const context = begin(request, response)
    const refusal = isHealth(request.url) ? null : checkRate(context)
    if (refusal === null) goOn(null)
    else if (refusal instanceof Promise) void refusal.then(goOn)
    else goOn(refusal)

    function goOn(refused: Refusal | null): void {
      if (refused !== null) {
        const page = options.rateLimitedPage?.(request, refused, context.request_id) ?? null
        responder.send(context, page ?? refusalAnswer(refused))
      } else if (!isHttp1(request)) responder.send(context, unreadable)
      else route()
    }
  }

  const fastify = Fastify({
    exposeHeadRoutes: false,
    return503OnClosing: false,
    routerOptions: { maxParamLength: PARAM_LENGTH_MAX },
    frameworkErrors: (_error, request) => responder.send(contextOf(request.raw), unreadable),
    serverFactory: (handler) =>
      createServer(settingsOf(arrivalDeadlineMs), (request, response) =>
        receive(request, response, () => handler(request, response)),
      ),
  })
  const server = fastify.server as Server
  server.setTimeout(60_000)
  server.on('connection', parseInSteps)
  answerParserErrors(server, responder, begin)

  const health = HEALTH.flatMap((path) => ['GET', 'HEAD'].map((method) => ({ method, path })))
  const taken = options.routes.flatMap((route) => methodsOf(route).map((method) => ({ method, path: route.path })))
  const paths = refusedMethods([...taken, ...health])
  answerUnknown(fastify, responder, paths, options.unlisted)
  for (const route of options.routes) {
    serveDirectly(fastify, responder, methodsOf(route), route.path, serveRoute(route, { ...options, keysUnderWay }))
  }
  serveHealth(fastify, responder, options.ready)
  refuseOtherMethods(fastify, responder, paths, options.unlisted)
  await fastify.ready()

  return {
    async listen(port, host) {
      server.listen(port, host)
      await once(server, 'listening')
      return addressToCall(server.address() as AddressInfo)
    },
    async stop() {
      await answerTheLast(server, responder)
      await fastify.close()
    },
  }
}

/** Takes no more connections, and waits for the answers under way. */
async function answerTheLast(server: Server, responder: Responder): Promise<void> {
  await stopListening(server)
  responder.startStopping()
  await drain(server, responder.inFlight)
  responder.close()
}

/** The methods that reach a route. */
function methodsOf({ method, head }: Route<never>): string[] {
  return head ? [method, 'HEAD'] : [method]
}

const unreadable = refusalAnswer({ status: 400, code: 'invalid_request' })

function settingsOf(arrivalDeadlineMs: number) {
  return {
    IncomingMessage: ContextRequest,
    headersTimeout: arrivalDeadlineMs,
    requestTimeout: arrivalDeadlineMs,
    connectionsCheckingInterval: Math.min(1_000, arrivalDeadlineMs),
    // Longer than the minute for which load balancers keep an idle connection, so that the balancer closes it and not we.
    keepAliveTimeout: 65_000,
    maxHeaderSize: 16 * 1024,
    // Node's own refusal of a request without Host has no body; ours has.
    requireHostHeader: false,
  }
}

/** Whether the request is HTTP/1.1 with a Host header, or HTTP/1.0. Node's parser also passes other versions, and lines without one. */
function isHttp1({ httpVersion, headers }: IncomingMessage): boolean {
  return httpVersion === '1.1' ? headers.host !== undefined : httpVersion === '1.0'
}

/** The most characters of a path parameter. A longer one is an unknown address. */
const PARAM_LENGTH_MAX = 16_384

/** The routes that tell whether the process lives, and whether it can work. */
const HEALTH = ['/healthz', '/readyz'] as const

function isHealth(url: string | undefined): boolean {
  return url === HEALTH[0] || url === HEALTH[1]
}

function contextOf(request: IncomingMessage): RequestContext {
  return (request as ContextRequest).context!
}

/**
 * Serves a route from Fastify's first hook and ends there. Fastify's next step would read the body before the authenticator
 * has decided whether to read it, and would lose its raw text. We use only Fastify's router here.
 */
function serveDirectly(
  fastify: FastifyInstance,
  responder: Responder,
  methods: string[],
  path: string,
  serve: ServeRoute,
): void {
  const sendLater = (context: RequestContext, answer: Promise<Answer>): void => {
    answer.then((given) => responder.send(context, given)).catch((error) => responder.fail(context, error))
  }
  fastify.route({
    method: methods,
    url: path,
    onRequest: (request, _reply, _next) => {
      const context = contextOf(request.raw)
      try {
        const answer = serve(context, request as Matched)
        if (answer instanceof Promise) sendLater(context, answer)
        else responder.send(context, answer)
      } catch (error) {
        responder.fail(context, error)
      }
    },
    handler: () => {
      throw new Error('A route is answered before its body is read.')
    },
  })
}

function serveHealth(fastify: FastifyInstance, responder: Responder, ready: HttpServerOptions<never>['ready']): void {
  const healthAnswer = (ok: boolean, checks: Readonly<Record<string, boolean>>): Answer => ({
    status: ok ? 200 : 503,
    body: JSON.stringify({ ok, checks }),
    error_code: null,
    headers: null,
  })
  serveDirectly(fastify, responder, ['GET', 'HEAD'], HEALTH[0], () => healthAnswer(true, {}))
  serveDirectly(fastify, responder, ['GET', 'HEAD'], HEALTH[1], () => {
    const staying = !responder.isStopping()
    return ready().then(
      ({ ok, checks }) => healthAnswer(ok && staying, { ...checks, staying }),
      () => healthAnswer(false, { staying }),
    )
  })
}

/** Refuses the methods that a known address does not take and that another route takes. */
function refuseOtherMethods(
  fastify: FastifyInstance,
  responder: Responder,
  paths: readonly RefusedPath[],
  unlisted: HttpServerOptions<never>['unlisted'],
): void {
  for (const { path, methods, answer } of paths) {
    if (methods.length === 0) continue
    serveDirectly(fastify, responder, methods, path, ({ request, request_id }, matched) =>
      lacksId(matched) ? (unlisted?.(request, request_id) ?? notListed) : answer,
    )
  }
}

/** Answers addresses without a route, and methods that no route takes. */
function answerUnknown(
  fastify: FastifyInstance,
  responder: Responder,
  paths: readonly RefusedPath[],
  unlisted: HttpServerOptions<never>['unlisted'],
): void {
  const findPath = findPaths(paths, PARAM_LENGTH_MAX)
  const answer = ({ raw }: FastifyRequest): void => {
    const context = contextOf(raw)
    const found = findPath(raw.url!)
    const known = found !== null && !lacksId(found)
    responder.send(context, known ? found.answer : (unlisted?.(raw, context.request_id) ?? notListed))
  }
  // Without this Fastify would read the body of a request without a route before it answers.
  fastify.removeAllContentTypeParsers()
  fastify.addContentTypeParser('*', (_request: unknown, _body: unknown, done: (error: null) => void) => done(null))
  fastify.setNotFoundHandler(answer)
  fastify.setErrorHandler((error, request) => {
    if (request.is404) answer(request)
    else responder.fail(contextOf(request.raw), error)
  })
}
