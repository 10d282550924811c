import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { type PageFacts, pageRefusalStatuses } from '../../src/checkout/page/facts.ts'
import { base32Bytes } from '../../src/values/ids.ts'
import { freePort } from '../harness/free-port.ts'
import { type Installation, newAddress, newPayer, openInstallation } from '../harness/installation.ts'
import fc from '../harness/property.ts'
import { seedOfFile } from '../harness/seed.ts'
import { waitFor } from '../harness/wait-for.ts'
import { checkRefusal, codeOf, isLimited } from './answers.ts'
import { countPayments, json, newLink, newSession, open, payOn, sessionFor, submit, untilStatus } from './payer.ts'
import { PATIENCE } from './sender.ts'

let installation: Installation
before(async () => {
  installation = await openInstallation({ env: { PAGE_GUESSES_PER_ADDRESS: '20' } })
})
after(() => installation[Symbol.asyncDispose]())

const html = { Accept: 'text/html' }

/** A session's page and the nonce of its form. */
async function page() {
  const { key, merchant_id } = await installation.newMerchant()
  const { path, id } = await newSession(installation, key)
  return { path, id, key, merchant_id, nonce: (await open(installation, path)).nonce }
}

for (const [why, headers, taken] of [
  ['a page of another site', { 'Sec-Fetch-Site': 'cross-site' }, false],
  ['a page of a neighbour', { 'Sec-Fetch-Site': 'same-site' }, false],
  ['another site, in a browser that only says its origin', { Origin: 'https://evil.example' }, false],
  ['an origin that is none', { Origin: 'evil' }, false],
  ['our page', { 'Sec-Fetch-Site': 'same-origin' }, true],
  ['our page, which tells no referrer', { 'Sec-Fetch-Site': 'same-origin', Origin: 'null' }, true],
  ['our page, sent again by hand', { 'Sec-Fetch-Site': 'none' }, true],
  ['our page, in a browser that says nothing of it', { Origin: 'null' }, true],
] as const) {
  test(`a form sent from ${why} is ${taken ? 'taken' : 'refused, and nothing is done'}`, async () => {
    const { path, nonce, merchant_id } = await page()
    const answer = await submit(installation, path, { nonce, msisdn: newPayer() }, { headers })
    if (taken) assert.equal(answer.status, 200, answer.text)
    else checkRefusal(answer, 400, 'invalid_request')
    assert.equal((await countPayments(installation, merchant_id)).payments, taken ? 1 : 0)
  })
}

test('a page carries every header that keeps it and its address to itself, and no cookie', async () => {
  const { path } = await page()
  for (const headers of [html, json]) {
    const answer = await installation.ask({ path, headers })
    const policy = String(answer.headers['content-security-policy'])
    for (const part of ["default-src 'none'", "object-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"]) {
      assert.ok(policy.includes(part), part)
    }
    assert.doesNotMatch(policy, /unsafe|\*|https?:/)
    assert.equal(answer.headers['referrer-policy'], 'no-referrer')
    assert.equal(answer.headers['cache-control'], 'no-store')
    assert.equal(answer.headers['x-content-type-options'], 'nosniff')
    assert.equal(answer.headers['set-cookie'], undefined)
    assert.match(String(answer.headers['service-request-id']), /^[0-9a-f-]{36}$/)
    assert.equal(answer.headers['legacy-request-id'], answer.headers['service-request-id'])
    const names = answer.raw_headers.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase())
    assert.equal(new Set(names).size, names.length, 'no header twice')
  }
  const { text } = await installation.ask({ path, headers: html })
  assert.doesNotMatch(text, /<script(?![^>]*\bsrc=)|\son\w+=|\sstyle=|javascript:/i)
})

test('after a form the browser is sent to the page by GET, with neither number nor nonce in the address', async () => {
  const { path, nonce } = await page()
  const msisdn = newPayer()
  const text = new URLSearchParams({ nonce, msisdn }).toString()
  const headers = { ...html, 'Content-Type': 'application/x-www-form-urlencoded' }
  const answer = await installation.ask({ path: `${path}?lang=en`, text, headers })
  assert.deepEqual([answer.status, answer.headers.location, answer.text], [303, `${path}?lang=en`, ''])
})

test('no whole number is on the page, in its JSON form or in a receipt', async () => {
  const { path } = await page()
  await payOn(installation, path, '0700987100')
  const paid = await untilStatus(installation, path, 'paid')
  assert.doesNotMatch(JSON.stringify(paid), /0700987100|700987/)
  assert.doesNotMatch((await installation.ask({ path, headers: html })).text, /0700987100|07 00 98 71 00|700987/)
  for (const service of installation.services) assert.doesNotMatch(service.output(), /700987100|07 00 98 71 00/)
})

/** 40 letters that look like a token. */
const invented = () => base32Bytes(randomBytes(25))

test('guesses of page addresses are counted and then refused, and a payer from the same IP address still pays', async () => {
  const { path, nonce } = await page()
  const headers = { ...json, 'X-Forwarded-For': newAddress() }
  const guess = () => installation.ask({ path: `/pay/${invented()}`, headers })
  const first = await guess()
  checkRefusal(first, 404, 'resource_not_found')
  const limited = await waitFor(async () => {
    const answer = await guess()
    return isLimited(answer) && answer
  }, PATIENCE)
  checkRefusal(limited, 429, 'rate_limit_exceeded')
  assert.equal(limited.headers['ratelimit-limit'], '20')
  // Guessing links is guessing too.
  checkRefusal(await installation.ask({ path: `/link/${invented()}`, headers }), 429, 'rate_limit_exceeded')
  assert.equal((await installation.ask({ path, headers })).status, 200)
  const paid = await submit(installation, path, { nonce, msisdn: newPayer() }, { headers })
  assert.equal(paid.status, 200, paid.text)
  const seen = await installation.ask({ path: `/pay/${invented()}`, headers: { ...headers, ...html } })
  assert.deepEqual([seen.status, seen.headers['content-type']], [429, 'text/html; charset=utf-8'])
})

test('all unknown page addresses get the same answer', async () => {
  const { path, id } = await page()
  const link = await newLink(installation, (await installation.newMerchant()).merchant_id, '--amount', '5')
  const token = path.split('/')[2]!
  const wrong = [
    `/pay/${id}`,
    `/pay/${token.toUpperCase()}`,
    `/pay/${token.slice(0, -1)}`,
    `/pay/${token}0`,
    `/pay/${token.slice(0, -1)}${token.endsWith('0') ? '1' : '0'}`,
    `/link/${token}`,
    `/pay/${link.path.split('/')[2]}`,
    '/pay/%00',
    '/pay/..%2f..%2fetc',
    `/pay/${'a'.repeat(5_000)}`,
    "/pay/' or 1=1 --",
  ].map((address) => address.replaceAll(' ', '%20'))
  const texts = new Set<string>()
  for (const address of wrong) {
    const answer = await installation.ask({ path: address, headers: { ...json, 'X-Forwarded-For': newAddress() } })
    checkRefusal(answer, 404, 'resource_not_found', address)
    texts.add(answer.text)
  }
  assert.equal(texts.size, 1)
})

test("a merchant's text is shown as it was written and never run", async () => {
  const payloads = [
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    "'><svg/onload=alert(1)>",
    '{{7*7}}',
    '</title><script>',
  ]
  for (const payload of payloads) {
    const { key, merchant_id } = await installation.newMerchant()
    await installation.db.sql`update merchants set name = ${payload} where merchant_id = ${merchant_id}`
    const { path } = await newSession(installation, key, { amount: 100, description: payload })
    const { text } = await installation.ask({ path, headers: html })
    assert.ok(!text.includes(payload) || !/[<>"']/.test(payload), payload)
    assert.doesNotMatch(text, /<script>alert|<img src=x|<svg\/onload/)
    assert.equal((await open(installation, path)).merchant_name, payload)
  }
})

/** A field of a form, whose value is a text. */
function inText([name, value]: [string, unknown]): [string, string] {
  return [name, typeof value === 'string' ? value : JSON.stringify(value)]
}

test('hostile forms are refused, never a fault, and ask nobody for money', async () => {
  const seed = seedOfFile()
  const { path, nonce, merchant_id } = await page()
  const link = await newLink(installation, merchant_id, '--min', '1', '--max', '5', '--reusable')
  const known = new Set(Object.entries(pageRefusalStatuses).map(([code, status]) => `${status} ${code}`))
  const types = fc.constantFrom(
    'application/json',
    'application/x-www-form-urlencoded',
    'text/plain',
    'multipart/form-data',
    '',
  )
  const fields = fc.dictionary(
    fc.constantFrom('msisdn', 'operator', 'amount', 'code', '__proto__', 'constructor', 'x'),
    fc.oneof(fc.string({ unit: 'binary', maxLength: 60 }), fc.jsonValue({ maxDepth: 3 })),
  )
  const texts = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fields.map((sent) => JSON.stringify({ nonce, ...sent })),
    fields.map((sent) => new URLSearchParams([['nonce', nonce], ...Object.entries(sent).map(inText)]).toString()),
  )
  const asked = fc.record({
    address: fc.constantFrom(path, `${path}/code`, link.path),
    text: texts,
    type: types,
    accept: fc.constantFrom('application/json', 'text/html', '*/*'),
    lang: fc.string({ maxLength: 20 }),
  })
  await fc.assert(
    fc.asyncProperty(asked, async ({ address, text, type, accept, lang }) => {
      const answer = await installation.ask({
        path: `${address}?lang=${encodeURIComponent(lang.toWellFormed())}`,
        text,
        headers: { Accept: accept, 'Content-Type': type === '' ? undefined : type },
      })
      assert.ok(answer.status >= 400 && answer.status < 500, `${answer.status} ${answer.text.slice(0, 200)}`)
      const code = codeOf(answer)
      if (code !== null) assert.ok(known.has(`${answer.status} ${code}`), `${answer.status} ${code}`)
    }),
    { seed, numRuns: 400 },
  )
  assert.equal((await countPayments(installation, merchant_id)).payments, 0)
})

test('a form too long, or in no known form, is refused', async () => {
  const { path } = await page()
  const long = `nonce=${'x'.repeat(20_000)}`
  for (const [text, type] of [
    [long, 'application/x-www-form-urlencoded'],
    ['x', 'multipart/form-data; boundary=x'],
    ['', 'application/json'],
  ] as const) {
    const answer = await installation.ask({ path, text, headers: { ...json, 'Content-Type': type } })
    checkRefusal(answer, 400, 'invalid_request', type)
  }
})

test('pages are compressed as the browser accepts; the script is cached for ever under the name of its content', async () => {
  const { path } = await page()
  const plain = await installation.ask({ path, headers: html })
  const raw = async (encoding: string) => {
    const answer = await fetch(installation.services[0]!.address + path, {
      headers: { ...html, 'Accept-Encoding': encoding },
    })
    assert.equal(answer.headers.get('content-encoding'), encoding)
    return answer.text()
  }
  const shape = (text: string) => text.replace(/name="nonce" value="[^"]+"/g, '')
  for (const encoding of ['br', 'gzip']) assert.equal(shape(await raw(encoding)), shape(plain.text), encoding)
  const script = /<script src="(\/page\/[^"]+)"/.exec(plain.text)?.[1]
  const asset = await installation.ask({ path: script! })
  assert.deepEqual([asset.status, asset.headers['cache-control']], [200, 'public, max-age=31536000, immutable'])
  assert.match(String(asset.headers['content-type']), /javascript/)
  checkRefusal(await installation.ask({ path: '/page/none.js' }), 404, 'resource_not_found')
})

test('the language comes from the address, else from the browser, else is French', async () => {
  const { path } = await page()
  const language = async (query: string, accepted?: string) => {
    const { text } = await installation.ask({ path: path + query, headers: { ...html, 'Accept-Language': accepted } })
    return /<html lang="(\w+)"/.exec(text)?.[1]
  }
  assert.equal(await language(''), 'fr')
  assert.equal(await language('', 'en-US,en;q=0.9,fr;q=0.8'), 'en')
  assert.equal(await language('', 'fr-CI,fr;q=0.9,en;q=0.8'), 'fr')
  assert.equal(await language('', 'en;q=0.1, fr;q=0.9'), 'fr')
  assert.equal(await language('', 'de, en;q=0.5'), 'en')
  assert.equal(await language('', 'dioula'), 'fr')
  assert.equal(await language('?lang=en', 'fr'), 'en')
  assert.equal(await language('?lang=xx', 'en'), 'en')
})

test("pages are in no request log, and metrics count them under their operation's name", async () => {
  const { path } = await page()
  const metrics_port = await freePort()
  const service = await installation.start({ args: ['--only', 'api'], env: { METRICS_PORT: String(metrics_port) } })
  const shown = await fetch(service.address + path, { headers: html })
  assert.equal(shown.status, 200)
  const figures = await (await fetch(`http://127.0.0.1:${metrics_port}/metrics`)).text()
  assert.match(figures, /operation="showSessionPage"/)
  assert.ok(!figures.includes(path.split('/')[2]!))
  await service.stop()
  // A process writes its last lines of the request log when it stops.
  const rows = await installation.db.sql<{ path: string }[]>`select path from request_log`
  for (const row of rows) assert.doesNotMatch(row.path, /\/pay|\/link/)
})

test('addresses are under PUBLIC_URL, and a browser that came over https stays there', async () => {
  const { key } = await installation.newMerchant()
  const env = { PUBLIC_URL: 'https://payer.example/' }
  const service = await installation.start({ args: ['--only', 'api'], env })
  installation.services.push(service)
  const at = installation.services.length - 1
  const { text } = await installation.ask(sessionFor(key), at)
  const { url } = JSON.parse(text) as { url: string }
  assert.match(url, /^https:\/\/payer\.example\/pay\/[0-9a-z]{40}$/)
  const { pathname: path } = new URL(url)
  const shown = await installation.ask({ path, headers: json }, at)
  assert.equal(shown.headers['strict-transport-security'], 'max-age=31536000')
  const { nonce } = shown.json() as PageFacts
  // Behind a proxy the host of the request can be another than the one that the browser knows.
  const headers = { ...json, Origin: 'https://payer.example', Host: 'inside.example' }
  const body = { nonce, msisdn: newPayer() }
  assert.equal((await installation.ask({ method: 'POST', path, headers, body }, at)).status, 200)
})

test('a page refuses other methods and names its own', async () => {
  const { path } = await page()
  const answer = await installation.ask({ method: 'PUT', path, headers: json })
  checkRefusal(answer, 405, 'method_not_allowed')
  assert.equal(answer.headers.allow, 'GET, HEAD, POST')
  const facts: PageFacts = await open(installation, path)
  assert.equal(facts.kind, 'session')
})
