import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import Fastify from 'fastify'
import { handler as edge } from '../../sdk/typescript/src/edge.ts'
import { handler as express } from '../../sdk/typescript/src/express.ts'
import { handler as fastify } from '../../sdk/typescript/src/fastify.ts'
import { handler as hono } from '../../sdk/typescript/src/hono.ts'
import { signed } from '../../sdk/typescript/src/test.ts'
import { SignatureError, verify } from '../../sdk/typescript/src/webhooks.ts'

const secret = 'whsec_0123456789'
const event = { id: 'evt_1', object: 'event', type: 'payment.succeeded', data: { id: 'txn_1', status: 'succeeded' } }

async function reasonOf(verified: Promise<unknown>): Promise<string> {
  const error = await verified.then(
    () => assert.fail('it was taken'),
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof SignatureError, String(error))
  assert.match(error.message, /^[A-Z].*\.$/)
  return error.reason
}

/** Signs as the documentation says, by another implementation than ours. */
function signature(body: string, at = Math.floor(Date.now() / 1_000), by = secret): string {
  return `t=${at},v1=${createHmac('sha256', by).update(`${at}.${body}`).digest('hex')}`
}

test('a signature of any brand is verified, and while a secret is replaced either of two', async () => {
  const body = JSON.stringify(event)
  for (const name of ['Service-Signature', 'legacy-signature', 'Banque-Test-Signature'])
    assert.deepEqual(await verify(body, secret, { headers: { [name]: signature(body) } }), event)
  const two = { 'Service-Signature': signature(body, undefined, 'new'), 'Service-Signature-Previous': signature(body) }
  assert.deepEqual(await verify(body, secret, { headers: two }), event)
  assert.deepEqual(await verify(body, ['new', 'other'], { headers: new Headers(two) }), event)
  assert.deepEqual(
    await verify(Buffer.from(body), secret, { headers: { 'x-signature': ['', signature(body)] } }),
    event,
  )
})

test('a request that is not proven has a reason, and a sentence that says what to do', async () => {
  const body = JSON.stringify(event)
  const now = Math.floor(Date.now() / 1_000)
  const given = (text: string) => ({ headers: { 'Service-Signature': text } })
  assert.equal(await reasonOf(verify(body, secret, { headers: {} })), 'no_signature')
  assert.equal(await reasonOf(verify(body, secret, given('v1=nonsense'))), 'no_signature')
  assert.equal(await reasonOf(verify(`${body} `, secret, given(signature(body)))), 'wrong_signature')
  assert.equal(await reasonOf(verify(body, 'whsec_of another', given(signature(body)))), 'wrong_signature')
  for (const hour of [-3_600, 3_600]) {
    const late = verify(body, secret, given(signature(body, now + hour)))
    assert.equal(await reasonOf(late), 'wrong_time')
    await assert.rejects(late, /\b3(600|599|601) s .*set the clock/)
  }
  assert.deepEqual(await verify(body, secret, { ...given(signature(body, now - 3_600)), tolerance: 4_000 }), event)
  assert.equal(await reasonOf(verify(event as never, secret, given(signature(body)))), 'body_parsed')
  const request = await signed(event, secret)
  await request.text()
  assert.equal(await reasonOf(verify(request, secret)), 'body_used')
})

test('a body without an end is given up after a megabyte', async () => {
  let sent = 0
  async function* endless() {
    for (;;) {
      sent += 64_000
      yield Buffer.alloc(64_000, ' ')
    }
  }
  const headers = { 'service-signature': signature('') }
  assert.equal(await reasonOf(verify(Object.assign(endless(), { headers }), secret)), 'wrong_signature')
  assert.ok(sent < 2_000_000, String(sent))
})

/** A body of 64 MB, and how much of it was taken. */
function longBody() {
  const body = { taken: 0, stream: new ReadableStream<Uint8Array>({ pull }) }
  function pull(controller: ReadableStreamDefaultController<Uint8Array>) {
    body.taken += 64_000
    controller.enqueue(new Uint8Array(64_000))
    if (body.taken > 64_000_000) controller.close()
  }
  return body
}

test('a body of a request of the web is given up after a megabyte, and not begun without a signature', async () => {
  for (const [headers, reason, most] of [
    [{ 'Service-Signature': signature('') }, 'wrong_signature', 2_000_000],
    [{}, 'no_signature', 64_000],
  ] as const) {
    const body = longBody()
    const request = new Request('http://localhost/', { method: 'POST', headers, body: body.stream, duplex: 'half' })
    assert.equal(await reasonOf(verify(request, secret)), reason)
    assert.ok(body.taken <= most, String(body.taken))
  }
})

test('Fastify refuses a body that is too long or has no signature while it is still coming', async () => {
  const app = Fastify()
  app.post('/', fastify(secret, onEvent, options))
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  try {
    for (const [headers, reason] of [
      [{ 'Service-Signature': signature('') }, /^The body has more than a megabyte/],
      [{}, /^No header of this request ends in -Signature/],
    ] as const) {
      const answer = await refusedMidway(url, { 'Content-Type': 'application/json', ...headers })
      assert.equal(answer.status, 400)
      assert.match(answer.text, reason)
    }
  } finally {
    await app.close()
  }
})

/** Sends a body that ends only when the answer has come, or after 64 MB. */
async function refusedMidway(url: string, headers: Record<string, string>): Promise<{ status: number; text: string }> {
  const sending = request(url, { method: 'POST', headers })
  const answered = once(sending, 'response') as Promise<[IncomingMessage]>
  // The server closes the connection once it has answered.
  sending.on('error', () => {})
  let isAnswered = false
  void answered.then(() => (isAnswered = true))
  for (let sent = 0; !isAnswered && sent < 64_000_000; sent += 64_000)
    if (!sending.write(Buffer.alloc(64_000))) await Promise.race([once(sending, 'drain'), answered])
  if (!isAnswered) sending.end()
  const [answer] = await answered
  const said = await text(answer)
  sending.destroy()
  return { status: answer.statusCode!, text: said }
}

test('an empty secret is refused, before it lets everybody in', async () => {
  const body = JSON.stringify(event)
  for (const empty of ['', [], [secret, ''], undefined as never]) {
    const by = { headers: { 'Service-Signature': signature(body, undefined, '') } }
    await assert.rejects(verify(body, empty, by), TypeError)
    assert.throws(() => edge(empty, () => {}), /The signing secret is empty/)
  }
})

/** Sends a request to a Node server. */
async function post(url: string, request: Request): Promise<{ status: number; text: string }> {
  const body = await request.text()
  const answer = await fetch(url, { method: 'POST', headers: Object.fromEntries(request.headers), body })
  return { status: answer.status, text: await answer.text() }
}

type Receive = (request: Request) => Promise<{ status: number; text: string }>

const seen: unknown[] = []
const onEvent = (got: { id: string }) => {
  seen.push(got)
  if (got.id === 'evt_bad') throw new Error('mine')
}
const told: unknown[] = []
const options = { onError: (error: unknown) => told.push(error) }

async function onNode(listener: (request: IncomingMessage, response: ServerResponse) => unknown) {
  const server = createServer(listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  return { receive: (request: Request) => post(url, request), close: () => server.close() }
}

const frameworks: Record<string, () => Promise<{ receive: Receive; close?: () => unknown }>> = {
  async edge() {
    const handle = edge(secret, onEvent, options)
    return {
      async receive(request) {
        const answer = await handle(request)
        return { status: answer.status, text: await answer.text() }
      },
    }
  },
  async hono() {
    const handle = hono(secret, onEvent, options)
    return {
      async receive(request) {
        const answer = await handle({ req: { raw: request } })
        return { status: answer.status, text: await answer.text() }
      },
    }
  },
  express: () => onNode(express(secret, onEvent, options)),
  async fastify() {
    const app = Fastify()
    app.post('/', fastify(secret, onEvent, options))
    const url = await app.listen({ port: 0, host: '127.0.0.1' })
    return { receive: (request: Request) => post(url, request), close: () => app.close() }
  },
}

for (const [name, open] of Object.entries(frameworks)) {
  test(`the handler of ${name} answers 204, 400 with the reason, and 500 when yours throws`, async () => {
    const { receive, close } = await open()
    try {
      assert.deepEqual(await receive(await signed(event, secret)), { status: 204, text: '' })
      assert.deepEqual(seen.at(-1), event)
      const refused = await receive(await signed(event, 'whsec_wrong'))
      assert.equal(refused.status, 400)
      assert.match(refused.text, /^The signature does not match/)
      assert.deepEqual(await receive(await signed({ ...event, id: 'evt_bad' }, secret)), { status: 500, text: '' })
      assert.match(String(told.at(-1)), /mine/)
    } finally {
      await close?.()
    }
  })
}

test('a listener for errors that throws or rejects leaves the service its answer', async (context) => {
  const shown = context.mock.method(console, 'error', () => {})
  const bad = () => signed({ ...event, id: 'evt_bad' }, secret)
  const faulty = [
    () => {
      throw new Error('of the listener')
    },
    async () => {
      throw new Error('of the listener')
    },
  ]
  for (const onError of faulty) assert.equal((await edge(secret, onEvent, { onError })(await bad())).status, 500)
  assert.equal((await edge(secret, onEvent)(await bad())).status, 500)
  const messages = shown.mock.calls.map(({ arguments: [error] }) => (error as Error).message)
  assert.deepEqual(messages, ['of the listener', 'of the listener', 'mine'])
})

test('a body that Express has parsed is told by name, and its raw bytes are taken where a parser kept them', async () => {
  const handle = express(secret, onEvent, options)
  const sends = async (keep: (body: string) => object) => {
    const { receive, close } = await onNode(async (request, response) => {
      let body = ''
      for await (const part of request) body += part
      await handle(Object.assign(request, keep(body)) as never, response)
    })
    const answer = await receive(await signed(event, secret))
    close()
    return answer
  }
  const parsed = await sends((body) => ({ body: JSON.parse(body) }))
  assert.equal(parsed.status, 400)
  assert.match(parsed.text, /^The body was parsed before.*express\.raw/)
  assert.equal((await sends(() => ({}))).status, 400)
  assert.equal((await sends((body) => ({ body: Buffer.from(body) }))).status, 204)
  assert.equal((await sends((body) => ({ body: JSON.parse(body), rawBody: Buffer.from(body) }))).status, 204)
})
