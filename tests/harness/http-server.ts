import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { Writable } from 'node:stream'
import { Registry } from 'prom-client'
import Type from 'typebox'
import { createClock } from '../../src/platform/clock.ts'
import type { Authenticator } from '../../src/platform/http/authenticator.ts'
import type { AnsweredRequest } from '../../src/platform/http/request-context.ts'
import { defineRoute } from '../../src/platform/http/route.ts'
import { createHttpServer, type HttpServerOptions } from '../../src/platform/http/server.ts'
import { createTurns } from '../../src/platform/http/turns.ts'
import { createLog } from '../../src/platform/log.ts'
import { createOwnerLocks } from '../../src/platform/owner-locks.ts'
import type { Caller } from '../../src/values/caller.ts'

/** The handler of the sample routes. A test sets it to answer late, throw, or inspect the request. */
export type SampleDeps = { work: (asked: unknown) => Promise<void> | void }

const Thing = Type.Object({ id: Type.String() }, { $id: 'Thing', description: 'A thing.' })

export const sampleRoutes = [
  defineRoute({
    auth: 'api',
    method: 'POST',
    path: '/v1-things',
    operation: 'createThing',
    summary: 'Make a thing',
    tags: ['Things'],
    scope: 'collect',
    idempotent: true,
    bodyMaxBytes: 1024 * 1024,
    body: Type.Object({
      amount: Type.Integer({ minimum: 1, maximum: 1_000 }),
      currency: Type.Optional(Type.String({ pattern: '^[A-Za-z]{3}$' })),
      counterparty: Type.Optional(Type.Object({ msisdn: Type.Optional(Type.String()) })),
      metadata: Type.Optional(Type.Object({})),
    }),
    replies: { 201: Thing },
    errors: {
      400: ['idempotency_key_required', 'invalid_body'],
      409: ['idempotency_in_progress', 'duplicate_reference'],
      422: ['invalid_amount', 'invalid_currency', 'idempotency_key_reused'],
      500: ['payment_creation_failed'],
    },
    invalid: { amount: 'invalid_amount', currency: 'invalid_currency', otherwise: 'invalid_body' },
    fault: 'payment_creation_failed',
    concurrency: 'batched',
    async handle({ body, caller, call, reply, refuse }, deps: SampleDeps) {
      await deps.work({ body, caller, idempotency: call.idempotency })
      if (body.amount === 409)
        return refuse('duplicate_reference', { message: 'Twice.', headers: { 'X-Why': 'twice' } })
      return reply(201, { id: 'thg_1' })
    },
  }),
  defineRoute({
    auth: 'api',
    method: 'GET',
    path: '/v1-things/:thing_id',
    operation: 'getThing',
    summary: 'Read a thing',
    tags: ['Things'],
    scope: 'any',
    params: { thing_id: 'txn' },
    replies: { 200: Thing },
    errors: { 404: ['resource_not_found'], 422: ['invalid_id'], 500: ['payment_creation_failed'] },
    fault: 'payment_creation_failed',
    async handle({ params, reply, refuse }, deps: SampleDeps) {
      await deps.work(params)
      return params.thing_id === 'txn_none' ? refuse('resource_not_found') : reply(200, { id: params.thing_id })
    },
  }),
  defineRoute({
    auth: 'api',
    method: 'POST',
    path: '/v1-things/:thing_id/execute',
    operation: 'executeThing',
    summary: 'Do a thing',
    scope: 'payout',
    params: { thing_id: 'txn' },
    replies: { 200: Thing },
    errors: { 422: ['invalid_id'], 500: ['payment_creation_failed'] },
    fault: 'payment_creation_failed',
    handle: ({ reply }) => reply.stored(200, '{ "kept": 1e2 }'),
  }),
  defineRoute({
    auth: 'api',
    method: 'POST',
    path: '/v1-book',
    operation: 'addEntry',
    summary: 'Add an entry',
    idempotent: 'optional',
    body: Type.Object({ name: Type.String({ minLength: 2 }) }),
    replies: { 200: Thing },
    errors: {
      400: ['invalid_request', 'idempotency_key_required'],
      409: ['idempotency_in_progress'],
      422: ['invalid_msisdn', 'idempotency_key_reused'],
      500: ['payment_creation_failed'],
    },
    invalid: { otherwise: 'invalid_msisdn' },
    unreadable: 'invalid_request',
    fault: 'payment_creation_failed',
    async handle({ call, reply }, deps: SampleDeps) {
      await deps.work({ idempotency: call.idempotency })
      return reply(200, { id: 'entry' })
    },
  }),
  defineRoute({
    auth: 'open',
    about: 'nothing',
    method: 'GET',
    path: '/x/list',
    operation: 'list',
    summary: 'List things',
    query: Type.Object({
      active: Type.Optional(Type.Union([Type.Literal('true'), Type.Literal('false')])),
      name: Type.Optional(Type.String()),
    }),
    replies: { 200: Type.Object({ active: Type.String(), caller: Type.Null() }) },
    errors: { 400: ['invalid_request'], 422: ['invalid_operator'], 500: ['payment_creation_failed'] },
    invalid: { active: 'invalid_operator', otherwise: 'invalid_request' },
    fault: 'payment_creation_failed',
    handle: ({ query, caller, reply }) => reply(200, { active: query.active ?? 'all', caller }),
  }),
] as const

export const sampleCaller: Caller = {
  merchant_id: 7,
  livemode: false,
  key_id: 'key_1',
  scope: 'collect',
  merchant_active: true,
}

/** Accepts the key `good`, knows `weak` without the scope, and refuses all others. `later` is like `good`, but asynchronous. */
const sampleAuthenticator: Authenticator = {
  authenticate({ headers, scope }) {
    const key = headers.authorization?.replace('Bearer ', '')
    if (key === undefined) return { kind: 'refused', status: 401, code: 'authentication_required' }
    if (key === 'later') return Promise.resolve({ kind: 'authenticated', caller: sampleCaller })
    if (key === 'broken') throw new Error('The authenticator failed.')
    if (key === 'weak' && scope !== 'any') {
      return { kind: 'refused', status: 403, code: 'insufficient_scope', caller: sampleCaller }
    }
    if (key !== 'good' && key !== 'weak') return { kind: 'refused', status: 401, code: 'invalid_api_key' }
    return { kind: 'authenticated', caller: sampleCaller }
  },
}

/** Starts a server with the sample routes on a free port, and records its answers and logs. It is closed at the end. */
export async function openTestServer(changes: Partial<HttpServerOptions<SampleDeps>> = {}) {
  const answered: AnsweredRequest[] = []
  const logged: Record<string, unknown>[] = []
  const metrics = new Registry()
  const server = await createHttpServer<SampleDeps>({
    brand: { name: 'Bandama', header_prefix: 'Service', legacy_header_prefix: 'Legacy', key_prefix: 'bdm' },
    trustProxy: [],
    authenticators: { api: sampleAuthenticator },
    routes: sampleRoutes,
    deps: { work: () => {} },
    turns: createTurns({ alone_max: 4, waiting_max: 300, wait_max_ms: 10_000, locks: createOwnerLocks() }),
    openTurns: createTurns({ alone_max: 4, waiting_max: 300, wait_max_ms: 10_000, locks: createOwnerLocks() }),
    rateHeaders: async () => ({ 'RateLimit-Limit': '300' }),
    onAnswered: (entry) => answered.push(entry),
    ready: async () => ({ ok: true, checks: { database: true } }),
    fault: 'payment_creation_failed',
    clock: createClock(),
    log: createLog('info', 'test', jsonLines(logged)),
    metrics,
    ...changes,
  })
  const url = await server.listen(0, '127.0.0.1')
  return {
    url,
    port: Number(new URL(url).port),
    answered,
    logged,
    metrics,
    stop: () => server.stop(),
    [Symbol.asyncDispose]: () => server.stop(),
  }
}

/** Checks the headers that every answer has, with any status. */
export function assertCommonHeaders({ headers }: { headers: Headers }): void {
  assert.match(headers.get('service-request-id') ?? '', /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
  assert.equal(headers.get('legacy-request-id'), headers.get('service-request-id'))
  assert.equal(headers.get('service-version'), '2026-08-25')
  assert.equal(headers.get('legacy-version'), '2026-08-25')
  assert.equal(headers.get('content-type'), 'application/json; charset=utf-8')
  assert.equal(headers.get('cache-control'), 'no-store')
  assert.equal(headers.get('x-content-type-options'), 'nosniff')
}

/** Checks that the answer is exactly the error shape, with this status and code. */
export async function assertRefusal(answer: Response, status: number, code: string): Promise<void> {
  const text = await answer.text()
  assert.equal(answer.status, status, text)
  const body = JSON.parse(text)
  assert.deepEqual(body, { error: { code, message: String(body.error?.message) } }, text)
  assertCommonHeaders(answer)
}

/** Returns a stream that collects the parsed lines of a log. */
function jsonLines(into: Record<string, unknown>[]): Writable {
  return new Writable({
    write(line, _encoding, done) {
      into.push(JSON.parse(String(line)))
      done()
    },
  })
}

export type RawAnswer = { status: number; headers: Headers; text: string; code: string | null }

/** A connection on which a test can write any bytes. */
export type RawConnection = {
  socket: Socket
  /** Returns the next answer. Rejects when the connection ends first. */
  answer(): Promise<RawAnswer>
  /** Resolves when the server has closed its side, with the unread rest. */
  closed: Promise<string>
  [Symbol.dispose](): void
}

export function connectRaw(port: number, text = ''): RawConnection {
  const socket = connect(port, '127.0.0.1')
  const closed = Promise.withResolvers<string>()
  let received = Buffer.alloc(0) as Buffer
  let woken = Promise.withResolvers<void>()
  let ended = false
  const wake = (): void => {
    woken.resolve()
    woken = Promise.withResolvers()
  }
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk])
    wake()
  })
  const end = (): void => {
    ended = true
    closed.resolve(received.toString())
    wake()
  }
  socket.on('end', end)
  socket.on('close', end)
  socket.on('error', end)
  if (text !== '') socket.write(text)

  return {
    socket,
    closed: closed.promise,
    async answer() {
      for (;;) {
        const found = takeAnswer(received)
        if (found !== null) {
          received = received.subarray(found.length)
          return found.answer
        }
        if (ended) throw new Error(`The connection ended after ${JSON.stringify(received.toString())}.`)
        await woken.promise
      }
    },
    [Symbol.dispose]: () => socket.destroy(),
  }
}

function takeAnswer(received: Buffer): { answer: RawAnswer; length: number } | null {
  const headEnd = received.indexOf('\r\n\r\n')
  if (headEnd === -1) return null
  const [statusLine = '', ...lines] = received.toString('latin1', 0, headEnd).split('\r\n')
  const headers = new Headers(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon), line.slice(colon + 1).trim()]
    }),
  )
  const length = headEnd + 4 + Number(headers.get('content-length') ?? 0)
  if (received.length < length) return null
  const text = received.toString('utf8', headEnd + 4, length)
  const code = text.startsWith('{"error"') ? JSON.parse(text).error.code : null
  return { answer: { status: Number(statusLine.split(' ')[1]), headers, text, code }, length }
}
