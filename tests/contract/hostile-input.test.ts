import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { connectRaw } from '../harness/http-server.ts'
import { type Installation, openInstallation, payment } from '../harness/installation.ts'
import type { Merchant } from '../harness/merchant.ts'
import fc from '../harness/property.ts'
import { seedOfFile } from '../harness/seed.ts'
import { logLines } from '../harness/start-service.ts'
import { checkHeaders, checkPayment, checkRefusal, codeOf } from './answers.ts'
import type { Answer, Asked } from './ask.ts'
import { type HostileBody, hostileBodies } from './hostile-bodies.ts'
import { elsewhere, refusalsOf, routeNamed } from './interface.ts'

/** A failed run prints its seed; SEED repeats it, FUZZ_RUNS makes it longer. */
const seed = seedOfFile()
const size = Number(process.env.FUZZ_RUNS ?? 1)
/** Requests under way at once. */
const TOGETHER = 32
let installation: Installation
let merchant: Merchant
before(async () => {
  installation = await openInstallation({ own: 'counts rows of all merchants' })
  merchant = await installation.newMerchant()
})
after(() => installation[Symbol.asyncDispose]())

const listed = (refusals: [number, string][]) => new Set(refusals.map(([status, code]) => `${status} ${code}`))
const ofElsewhere = refusalsOf({ refusals: elsewhere, added: {} })
const ofPost = listed(refusalsOf(routeNamed('POST /v1-payments')))
const ofRead = listed(refusalsOf(routeNamed('GET /v1-payments/:payment_id')))
const ofAll = new Set([...ofPost, ...ofRead, ...listed(ofElsewhere)])

/** A success that is one, or a refusal that the tables list for where it was sent. Never a fault. */
function checkAnswer(answer: Answer, allowed: ReadonlySet<string>, why: string): void {
  const about = `seed ${seed}: ${why.slice(0, 300)}`
  assert.ok(answer.status < 500, `${about}: ${answer.status} ${answer.text}`)
  if (answer.status < 300) {
    checkHeaders(answer, about)
    return
  }
  const code = codeOf(answer)
  assert.ok(allowed.has(`${answer.status} ${code}`), `${about}: ${answer.status} ${answer.text.slice(0, 200)}`)
  checkRefusal(answer, answer.status, code!, about)
}

/** Handles all of them, a few at a time. */
async function each<Item>(items: readonly Item[], handle: (item: Item) => Promise<void>): Promise<void> {
  const queue = items.values()
  await Promise.all(
    Array.from({ length: TOGETHER }, async () => {
      for (const item of queue) await handle(item)
    }),
  )
}

// A payment without an operator failed without an instruction.
async function countRows(): Promise<{ payments: number; others: number[] }> {
  const [row] = await installation.db.sql<{ payments: number; others: number[] }[]>`
    select (select count(*)::int from payments) as payments,
           array[(select count(*)::int from idempotency_keys),
                 (select count(*)::int from instructions)
                   + (select count(*)::int from collection_outbox cross join json_array_elements(collections))
                   + (select count(*)::int from payments
                       where status = 'failed' and id not in (select subject_id from instructions))] as others`
  return row!
}

/** Sends the generated requests, and checks that only payments answered with 201 exist. */
async function sendAll(
  bodies: readonly HostileBody[],
  ask: (body: HostileBody) => Asked,
): Promise<Map<string, number>> {
  const rowsBefore = await countRows()
  const outcomes = new Map<string, number>()
  await each(bodies, async (body) => {
    const answer = await installation.ask(ask(body))
    checkAnswer(answer, ofPost, body.text)
    if (answer.status === 201) checkPayment(answer, 201, {}, body.text)
    const outcome = codeOf(answer) ?? 'created'
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
  })
  const rows = await countRows()
  assert.equal(
    rows.payments - rowsBefore.payments,
    outcomes.get('created'),
    `seed ${seed}: refused calls write nothing`,
  )
  assert.deepEqual(rows.others, [rows.payments, rows.payments], `seed ${seed}: nothing is left half done`)
  return outcomes
}

async function checkServing(): Promise<void> {
  checkPayment(await installation.pay(merchant.key, { amount: 100 }), 201)
  const health = await installation.ask({ path: '/readyz' })
  assert.equal(health.status, 200, health.text)
  process.kill(installation.services[0]!.pid, 0)
}

const reached = [
  'created',
  'invalid_body',
  'invalid_amount',
  'invalid_currency',
  'invalid_operator',
  'invalid_msisdn',
  'amount_above_limit',
]

test('3 000 hostile bodies cause no fault, and refused ones write nothing', async () => {
  const bodies = fc.sample(hostileBodies, { seed, numRuns: 3_000 * size })
  const outcomes = await sendAll(bodies, ({ bytes }) => payment(merchant.key, undefined, { text: bytes }))
  // Every check was reached, or the bodies are not what they should be.
  for (const outcome of reached) {
    assert.ok((outcomes.get(outcome) ?? 0) >= 10, `seed ${seed}: ${outcome} in ${JSON.stringify([...outcomes])}`)
  }
  await checkServing()
})

const headerText = fc
  .string({ unit: fc.integer({ min: 0x20, max: 0xff }).map((unit) => String.fromCharCode(unit)), maxLength: 300 })
  .filter((text) => !text.includes('\x7f'))
const contentTypes = [
  'application/json',
  'application/json; charset=utf-8',
  'application/json; charset=utf-16',
  'application/json, text/html',
  'application/json;',
  'application/jsonp',
  'application/vnd.api+json',
  'multipart/form-data; boundary=x',
  'text/plain',
  '*/*',
  '',
  'x'.repeat(4_000),
]
const hostileHeaders = fc.record(
  {
    'Content-Type': fc.oneof(fc.constantFrom(...contentTypes), headerText),
    'Content-Encoding': fc.constantFrom('gzip', 'br', 'identity', 'x'),
    'Idempotency-Key': fc.oneof({ weight: 5, arbitrary: fc.uuid() }, headerText),
    Authorization: fc.oneof(
      { weight: 5, arbitrary: fc.constant('good') },
      headerText,
      headerText.map((text) => `Bearer ${text}`),
      fc.constantFrom('Bearer', 'Bearer ', 'bearer\t', 'Basic YTpi', `Bearer ${'x'.repeat(9_000)}`, 'Bearer null'),
    ),
    'Service-Version': fc.oneof(fc.constantFrom('2026-08-25', '2020-01-01', ''), headerText),
    'X-Forwarded-For': fc.oneof(
      fc.ipV4(),
      fc.ipV6(),
      headerText,
      fc.constantFrom('::1%eth0', '1.2.3.4:80', ',,,', '[::]:1'),
    ),
    Cookie: headerText,
    Range: fc.constantFrom('bytes=0-', 'bytes=-1', 'x'),
    'If-None-Match': fc.constant('*'),
    'X-HTTP-Method-Override': fc.constantFrom('DELETE', 'GET'),
    Accept: fc.constantFrom('text/html', 'image/*', ''),
    'Accept-Encoding': fc.constantFrom('gzip', '*;q=0', 'x'),
    Upgrade: fc.constantFrom('websocket', 'h2c'),
  },
  { requiredKeys: ['Authorization', 'Idempotency-Key'] },
)

test('700 requests with hostile headers cause no fault', async () => {
  await each(fc.sample(hostileHeaders, { seed, numRuns: 700 * size }), async (generated) => {
    const headers = {
      ...generated,
      ...(generated.Authorization === 'good' ? { Authorization: `Bearer ${merchant.key}` } : {}),
    }
    const answer = await installation.ask(payment(merchant.key, { amount: 100 }, { headers }))
    checkAnswer(answer, ofPost, JSON.stringify(generated))
  })
  await checkServing()
})

const segments = [
  '',
  '.',
  '..',
  '%2e%2e',
  '%2f',
  '%5c..%5c',
  '%00',
  '%',
  '%zz',
  '%c0%af',
  '%ed%a0%80',
  '%F0%9F%98%80',
  'txn_1',
  'txn_',
  "txn_1'--",
  'txn_%2531',
  'txn_1;a=b',
  'txn_1%20',
  'TXN_1',
  ':payment_id',
  '*',
  '__proto__',
  'constructor',
  '~root',
  'a'.repeat(7_000),
  `txn_${'z'.repeat(8_000)}`,
]
const hostilePaths = fc
  .record({
    prefix: fc.constantFrom(
      '/v1-payments/',
      '/v1-payments/',
      '/v1-payments',
      '/',
      '//',
      '/docs/',
      '/docs/static/',
      '/operators/',
    ),
    parts: fc.array(fc.oneof(fc.constantFrom(...segments), fc.webSegment(), fc.string().map(encodeSafely)), {
      maxLength: 3,
    }),
    query: fc.oneof(
      fc.constantFrom(
        '',
        '?',
        '?a',
        '?a=b&a=c',
        '?a[]=1',
        '?__proto__[x]=1',
        '?%',
        '?%zz=%00',
        `?${'a=1&'.repeat(1_500)}`,
      ),
      fc.webQueryParameters().map((text) => `?${text}`),
    ),
  })
  .map(({ prefix, parts, query }) => `${prefix}${parts.join('/')}${query}`.slice(0, 12_000))
const methods = ['GET', 'GET', 'GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'PURGE']

function encodeSafely(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}

test('1 000 hostile addresses, with every method, cause no fault', async () => {
  const asked = fc.sample(fc.tuple(hostilePaths, fc.constantFrom(...methods), fc.boolean()), {
    seed,
    numRuns: 1_000 * size,
  })
  await each(asked, async ([path, method, keyed]) => {
    const answer = await installation.ask({ path, method, key: keyed ? merchant.key : null })
    // The page of the documentation is no JSON, and an answer to HEAD has no body.
    if (answer.status < 400 && path.startsWith('/docs')) return
    if (method === 'HEAD') assert.ok(answer.status < 500 && answer.text === '', `seed ${seed}: HEAD ${path}`)
    else checkAnswer(answer, ofAll, `${method} ${path}`)
  })
  await checkServing()
})

test('200 forged callbacks are refused if the operator signs, and otherwise like an unknown address', async () => {
  const { sql } = installation.db
  const bodies = fc.sample(hostileBodies, { seed, numRuns: 200 * size })
  const operators = ['simulator', 'orange_ci', '__proto__', 'nobody', '%00', encodeURIComponent("';--")]
  await each(bodies, async ({ bytes, text }) => {
    const operator = operators[bytes.length % operators.length]!
    const path = `/operators/${operator}/callbacks`
    const headers = {
      'X-Simulator-Signature': '00'.repeat(32),
      'Content-Type': bytes.length % 2 ? 'x/y' : 'application/json',
    }
    const answer = await installation.ask({ path, text: bytes, headers })
    const tooLong = bytes.length > 65_536
    const why = `seed ${seed}: ${text}`
    if (tooLong) checkRefusal(answer, 400, 'invalid_request', why)
    else if (operator === 'simulator') assert.equal(answer.status, 401, why)
    else checkRefusal(answer, 404, 'resource_not_found', why)
  })
  // Those of real payments, which the jobs of other tests left, are signed and have known references.
  const [row] = await sql<{ unknown: number }[]>`
    select count(*)::int as unknown from operator_callbacks where outcome = 'unmatched'`
  assert.equal(row!.unknown, 0)
  await checkServing()
})

const port = () => Number(new URL(installation.services[0]!.address).port)

/** Bytes on a connection of their own, with a payment for whoever reads on where nothing should be read. */
const good = () =>
  `POST /v1-payments HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${merchant.key}\r\nIdempotency-Key: ${randomUUID()}\r\nContent-Type: application/json\r\n`
const rawCases: [why: string, text: () => string][] = [
  [
    'a length and chunks',
    () =>
      `${good()}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${good()}Content-Length: 14\r\n\r\n{"amount":100}`,
  ],
  [
    'two lengths',
    () =>
      `${good()}Content-Length: 14\r\nContent-Length: 3\r\n\r\n{"amount":100}${good()}Content-Length: 14\r\n\r\n{"amount":100}`,
  ],
  ['a negative length', () => `${good()}Content-Length: -1\r\n\r\n{"amount":100}`],
  ['a length beyond numbers', () => `${good()}Content-Length: 99999999999999999999\r\n\r\n{"amount":100}`],
  ['chunks without a size', () => `${good()}Transfer-Encoding: chunked\r\n\r\n{"amount":100}\r\n0\r\n\r\n`],
  ['chunks beyond numbers', () => `${good()}Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n{}`],
  ['an unknown encoding', () => `${good()}Transfer-Encoding: gzip\r\nContent-Length: 14\r\n\r\n{"amount":100}`],
  ['a header of 20 KB', () => `${good()}X: ${'x'.repeat(20_000)}\r\n\r\n`],
  ['a thousand headers', () => `${good()}${Array.from({ length: 3_000 }, (_, at) => `X-${at}: x\r\n`).join('')}\r\n`],
  ['an address of 20 KB', () => `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`],
  ['a control character in a header', () => `${good()}X: a\u0001b\r\nContent-Length: 14\r\n\r\n{"amount":100}`],
  ['no host', () => `${good().replace('Host: x\r\n', '')}Content-Length: 14\r\n\r\n{"amount":100}`],
  ['a method nobody knows', () => `${good().replace('POST', 'STEAL')}Content-Length: 14\r\n\r\n{"amount":100}`],
  ['no HTTP', () => 'hello\r\n\r\n'],
  ['TLS', () => '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003'],
  ['HTTP of another age', () => 'GET /v1-payments/txn_1 HTTP/0.9\r\n\r\n'],
]

for (const [why, text] of rawCases) {
  test(`on the wire: ${why}`, async () => {
    const { payments } = await countRows()
    using connection = connectRaw(port())
    connection.socket.end(Buffer.from(text(), 'latin1'))
    const { status, code } = await connection.answer()
    assert.ok(ofAll.has(`${status} ${code}`) && status === 400, `${status} ${code}`)
    assert.equal((await connection.closed).trim(), '', 'nothing more is answered')
    assert.equal((await countRows()).payments, payments, 'and nothing was done')
  })
}

const damagedBytes = fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.integer({ min: 0, max: 255 })), {
  minLength: 1,
  maxLength: 4,
})

test('300 requests damaged on the wire get an answer, a refusal or the end of the connection', async () => {
  await each(fc.sample(damagedBytes, { seed, numRuns: 300 * size }), async (damages) => {
    const bytes = Buffer.from(`${good()}Content-Length: 14\r\n\r\n{"amount":100}`, 'latin1')
    for (const [at, byte] of damages) bytes[Math.floor(at * (bytes.length - 1))] = byte
    using connection = connectRaw(port())
    connection.socket.end(bytes)
    const said = await connection.closed
    for (const [, status] of said.matchAll(/HTTP\/1\.1 (\d{3}) /g)) {
      assert.ok(Number(status) < 500, `seed ${seed}: ${bytes.toString('latin1')}\n${said}`)
    }
  })
  await checkServing()
})

test('hostile input left only lines of JSON in the log, and no key', () => {
  const output = installation.services[0]!.output()
  for (const line of logLines(output)) assert.doesNotMatch(JSON.parse(line).level, /error|fatal/, line)
  assert.ok(!output.includes(merchant.key))
})
