import assert from 'node:assert/strict'
import { createHmac, randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { createSurroundings } from '../../src/app/contracts.ts'
import { apiRoutes, webRoutes } from '../../src/app/routes.ts'
import { decidingHeaders } from '../../src/platform/http/repeated-headers.ts'
import { Secret } from '../../src/values/secret.ts'
import { actor } from '../harness/actor.ts'
import { setConnector } from '../harness/connectors.ts'
import { connectRaw, type RawAnswer } from '../harness/http-server.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { waitFor } from '../harness/wait-for.ts'
import type { Asked } from './ask.ts'
import { routeNamed } from './interface.ts'
import { goodRequest, nameOf, newOwner, type Owner, type SweptRoute } from './sweep-owner.ts'

// Every route with every header that decides about a request, twice. Nothing works in the background here.

const SECRET = 'a-secret-of-webhooks'
let installation: Installation
let owner: Owner
before(async () => {
  installation = await openInstallation({ processes: [['--only', 'api']], env: { BATCH_WAIT_SECONDS: '0' } })
  owner = await newOwner(installation, 'one in test mode', 'test')
})
after(() => installation[Symbol.asyncDispose]())

type Header = readonly [name: string, value: string]

/** Sends a request as it is written, with each header on a line of its own. */
async function send({ method = 'GET', path }: Asked, headers: readonly Header[], body = ''): Promise<RawAnswer> {
  const port = Number(new URL(installation.services[0]!.address).port)
  const lines = [['Host', 'x'], ['Content-Length', String(Buffer.byteLength(body))], ...headers]
  using connection = connectRaw(
    port,
    `${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`,
  )
  return await connection.answer()
}

const bodyOf = ({ body }: Asked) => (body === undefined ? '' : JSON.stringify(body))

/** The headers of a good request, each once. */
function headersOf(asked: Asked): Header[] {
  return [
    ['Authorization', `Bearer ${asked.key}`],
    ['Idempotency-Key', asked.idempotency_key ?? randomUUID()],
    ['Content-Type', 'application/json'],
    ['Service-Version', '2026-08-25'],
    ['Legacy-Version', '2026-08-25'],
    ['X-Reference-Id', randomUUID()],
    ['Content-Digest', 'sha-512=:AA==:'],
    ['Signature', 'sig=:AA==:'],
    ['Signature-Input', 'sig=("@method")'],
    ['Signature-Date', '2026-11-28T00:00:00Z'],
    ['Wave-Signature', 't=1,v1=00'],
  ]
}

/** The refusal of a route when one of its headers stands twice with different values; null when it decides nothing there. */
function refusalOf(name: string, route: SweptRoute): [status: number, code: string] | null {
  if (name === 'authorization') return [401, 'invalid_api_key']
  if (name !== 'content-type') return [400, 'invalid_request']
  return route.body === undefined ? null : [400, route.unreadable]
}

test('these tests know every header that decides', () => {
  const known = headersOf({ path: '/' }).map(([name]) => name.toLowerCase())
  assert.deepEqual([...decidingHeaders, 'service-version', 'legacy-version'].sort(), known.toSorted())
})

test('every route refuses each header that stands twice with different values, in either order, and does nothing', async () => {
  const counted = () =>
    installation.db.sql<{ count: number }[]>`select count(*)::integer as count from idempotency_keys`
  const [before] = await counted()
  let refused = 0
  for (const route of apiRoutes) {
    const asked = goodRequest(route, owner)
    const headers = headersOf(asked)
    for (const [name, value] of headers) {
      const expected = refusalOf(name.toLowerCase(), route)
      if (expected === null) continue
      for (const other of [`${value}0`, '']) {
        for (const twins of [
          [value, other],
          [other, value],
          [value, value, other],
        ]) {
          const others = headers.filter(([one]) => one !== name)
          const answer = await send(asked, [...others, ...twins.map((one): Header => [name, one])], bodyOf(asked))
          assert.deepEqual([answer.status, answer.code], expected, `${nameOf(route)}: ${name} ${twins.join(' | ')}`)
          refused += 1
        }
      }
    }
  }
  assert.ok(refused > apiRoutes.length * 50, `${refused} were tried`)
  assert.deepEqual(await counted(), [before])
})

test('every route takes equal headers as one, and their retry with each once is the same request', async () => {
  for (const route of apiRoutes) {
    const asked = goodRequest(route, owner)
    const once = headersOf(asked)
    const twice = once.flatMap((header) => [header, [header[0].toUpperCase(), header[1]] as const])
    const answer = await send(asked, twice, bodyOf(asked))
    const { successes } = routeNamed(nameOf(route))
    assert.ok(successes.includes(answer.status), `${nameOf(route)}: ${answer.status} ${answer.text}`)
    if (route.idempotent === undefined) continue
    for (const headers of [once, [...twice, ...once]]) {
      const again = await send(asked, headers, bodyOf(asked))
      assert.deepEqual([again.status, again.text], [answer.status, answer.text], nameOf(route))
    }
  }
})

const callbacks = webRoutes.filter(({ path }) => path.startsWith('/operators/'))

test('a callback with different values of a header that decides is refused, and equal values count as one', async () => {
  assert.ok(callbacks.length >= 5)
  for (const { method, path } of callbacks) {
    const asked = { method, path: path.replace(':connector', 'nobody').replace(':token', 'a'.repeat(43)) }
    const headers = headersOf(asked)
    const known = await send(asked, headers, '')
    assert.equal(known.status, 404)
    const equal = await send(asked, [...headers, ...headers], '')
    assert.deepEqual([equal.status, equal.code], [known.status, known.code])
    for (const [name, value] of headers) {
      const answer = await send(asked, [...headers, [name, `${value}0`]], '')
      const decides = !/^(?:Authorization|Content-Type)$/.test(name)
      assert.deepEqual([answer.status, answer.code], decides ? [400, 'invalid_request'] : [404, known.code], name)
    }
  }
})

test('Wave’s signature counts once when it stands twice, and not at all beside another', async () => {
  const settings = { base_url: 'https://wave.example', api_key: 'a-key-of-the-wallet', webhook_secret: SECRET }
  const origin = { get: () => 'https://service.example' }
  const surroundings = createSurroundings({
    secretKey: new Secret(installation.secret_key),
    origin,
    config: { proxy: null, operator_http_allow: [] },
  })
  const wanted = { name: 'wave_twice', type: 'wave', livemode: false, settings: Buffer.from(JSON.stringify(settings)) }
  const set = await setConnector({ sql: installation.db.sql, surroundings }, wanted, actor('ama@example.com'))
  assert.equal(set.kind, 'set', JSON.stringify(set))
  const body = JSON.stringify({
    id: 'EV_1a2b3c4d',
    type: 'checkout.session.completed',
    data: { client_reference: randomUUID() },
  })
  const time = Math.floor(Date.now() / 1_000)
  const mac = createHmac('sha256', SECRET).update(`${time}${body}`).digest('hex')
  const right: Header = ['Wave-Signature', `t=${time},v1=${mac}`]
  const wrong: Header = ['Wave-Signature', `t=${time},v1=${'0'.repeat(64)}`]
  const tell = async (...headers: Header[]) => {
    const { status, code } = await send({ method: 'POST', path: '/operators/wave_twice/callbacks' }, headers, body)
    return [status, code]
  }
  await waitFor(async () => (await tell(wrong))[0] !== 404, { what: 'the connector to be known to the service' })
  assert.deepEqual(await tell(wrong), [401, 'authentication_required'])
  assert.deepEqual(await tell(wrong, right), [400, 'invalid_request'])
  assert.deepEqual(await tell(right, wrong), [400, 'invalid_request'])
  assert.deepEqual(await tell(right, right), [200, null])
})
