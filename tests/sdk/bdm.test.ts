import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chmod, stat, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { handler } from '../../sdk/typescript/src/express.ts'
import { sign } from '../../sdk/typescript/src/webhooks.ts'
import { isCitus } from '../harness/citus.ts'
import { type Installation, newPayer, openInstallation } from '../harness/installation.ts'
import { newMerchant } from '../harness/merchant.ts'
import { livemode } from '../harness/mode.ts'
import { waitFor } from '../harness/wait-for.ts'
import { openStand, type Stand } from './bdm-stand.ts'

const skip = livemode && 'trigger makes test payments'

let installation: Installation
let stand: Stand
let key: string
before(async () => {
  installation = await openInstallation()
  stand = await openStand(installation)
  key = (await newMerchant(installation.db.sql)).key
  assert.equal((await stand.run(['login'], { input: key })).code, 0)
})
after(async () => {
  await stand[Symbol.asyncDispose]()
  await installation[Symbol.asyncDispose]()
})

async function serve(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Runs a command that succeeds, and returns its JSON. */
async function json<Result>(words: string[]): Promise<Result> {
  const { code, out, err } = await stand.run([...words, '--json'])
  assert.equal(code, 0, err)
  return JSON.parse(out) as Result
}

test('login keeps the key for this person alone, and shows it nowhere', async () => {
  const { code, out, err } = await stand.run(['login', '--profile', 'own'], { input: `${key}\n` })
  assert.equal(code, 0, err)
  assert.match(out, livemode ? /in live mode/ : /in test mode/)
  assert.ok(!`${out}${err}`.includes(key))
  const file = join(stand.folder, 'config/bdm/own.json')
  assert.equal((await stat(file)).mode & 0o777, 0o600)
  const { secret } = await stand.profile('own')
  assert.equal((await stand.run(['login', '--profile', 'own'], { input: key })).code, 0)
  assert.equal((await stand.profile('own')).secret, secret, 'a receiver keeps its settings')
  await chmod(file, 0o644)
  const open = await stand.run(['list', 'payments', '--profile', 'own'])
  assert.deepEqual([open.code, open.err.includes('run chmod 600 on it')], [1, true])
  assert.equal((await stand.run(['login', '--profile', 'own'], { input: key })).code, 0)
  assert.equal((await stat(file)).mode & 0o777, 0o600, 'of a file that others could read')
})

test('trigger, get, list, create, replay and verify do what the client does', { skip }, async () => {
  const failed = await json<{ id: string; status: string; failure_code: string }>(['trigger', 'payment.failed'])
  assert.deepEqual([failed.status, failed.failure_code], ['failed', 'payer_declined'])
  assert.equal((await json<{ status: string }>(['get', failed.id])).status, 'failed')
  const words = ['create', 'payment', 'amount=5000', `counterparty.msisdn=${newPayer()}`, '--key', 'order-417']
  const made = await json<{ id: string; amount: number }>(words)
  assert.equal((await json<{ id: string }>(words)).id, made.id, 'the same key makes one payment')
  const { out } = await stand.run(['list', 'payments', 'status=failed', '--jsonl'])
  assert.deepEqual(
    out
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { id: string }).id),
    [failed.id],
  )
  const [event] = await json<{ id: string; type: string }[]>(['list', 'events', `subject_id=${failed.id}`])
  const { secret } = await stand.profile()
  const taken: string[] = []
  await using receiver = await serve(handler(secret, ({ id }) => void taken.push(id)))
  const replayed = await stand.run(['replay', event!.id, '--forward-to', receiver.url])
  assert.equal(replayed.code, 0, replayed.err)
  assert.deepEqual(taken, [event!.id])
  const body = JSON.stringify(event)
  await writeFile(join(stand.folder, 'body'), body)
  const verify = ['verify', 'body', '--signature']
  const right = await stand.run([...verify, await sign(body, secret)])
  assert.match(right.out, /^Right: payment\.\w+ evt_/)
  const wrong = await stand.run([...verify, await sign(body, 'whsec_other')])
  assert.match(wrong.err, /^The signature does not match: check that/)
  const late = await stand.run([...verify, await sign(body, secret, Math.floor(Date.now() / 1_000) - 3_600)])
  assert.match(late.err, /36\d\d s behind this machine's clock: set the clock/)
})

test('doctor tells a receiver that verifies from one that takes anything, and from a parsed body', async () => {
  const { secret } = await stand.profile()
  const words = ['doctor', ...(livemode ? ['--live'] : []), '--forward-to']
  await using good = await serve(handler(secret, () => {}))
  const well = await stand.run([...words, good.url])
  assert.match(well.out, /^ok {2}key and address, .*\nok {2}clock\nok {2}mode, \w+\n/)
  assert.match(well.out, /ok {2}receiver takes a signed event\nok {2}receiver refuses a wrong signature\n$/)
  await using open = await serve((_, response) => void response.end())
  const taken = await stand.run([...words, open.url])
  assert.deepEqual([taken.code, taken.out.includes('NO  receiver refuses a wrong signature: it took')], [1, true])
  const handle = handler(secret, () => {})
  await using parsed = await serve((request, response) => void handle(Object.assign(request, { body: {} }), response))
  assert.match((await stand.run([...words, parsed.url])).out, /NO {2}receiver takes .*The body was parsed before/)
})

test('logs tail shows each request once, with its code and its id, and not its own', async () => {
  const tail = stand.start(['logs', 'tail', '--jsonl'])
  const refused = await installation.ask({ path: '/x/payments?status=none', key })
  const id = refused.headers['service-request-id']
  const shown = () =>
    tail.out
      .split('\n')
      .filter((line) => line.endsWith('}'))
      .map((line) => JSON.parse(line) as { id: string; path: string; error_code: string | null })
  await waitFor(() => shown().some((one) => one.id === id), { what: `the request: ${tail.err}` })
  const later = await installation.ask({ path: '/x/operators', key })
  await waitFor(() => shown().some((one) => one.id === later.headers['service-request-id']), { what: 'the next one' })
  tail.kill('SIGINT')
  assert.equal(await tail.ended, 0, tail.err)
  const found = shown()
  assert.equal(new Set(found.map((one) => one.id)).size, found.length)
  assert.equal(found.find((one) => one.id === id)!.error_code, 'invalid_request')
  assert.ok(found.every(({ path }) => path !== '/x/requests'))
})

const HTML = '<html><title>Blocked</title></html>'

test('each bad input is answered with one sentence that says what to do', async () => {
  await using firewall = await serve((_, response) => void response.writeHead(403).end(HTML))
  const hour = new Date(Date.now() - 3_600_000).toUTCString()
  await using early = await serve((_, response) => {
    response.writeHead(200, { date: hour, 'content-type': 'application/json' }).end('{"object":"list","data":[]}')
  })
  await using moved = await serve((_, response) => void response.writeHead(301, { location: 'https://x.ci/' }).end())
  const { key: other } = await (await newMerchant(installation.db.sql)).newKey(livemode ? 'test' : 'live', 'collect')
  const kept = async (name: string, url: string, of = key) => {
    const { secret } = await stand.profile()
    const file = join(stand.folder, 'config/bdm', `${name}.json`)
    await writeFile(file, JSON.stringify({ url, key: of, secret }), { mode: 0o600 })
    return ['--profile', name]
  }
  const home = installation.services[0]!.address
  const cases: [string[], string, RegExp][] = [
    [
      ['login', '--url', 'http://127.0.0.1:1'],
      key,
      /^No answer from http:\/\/127\.0\.0\.1:1: .*Check the address and the/,
    ],
    [['login', '--url', 'ftp://x'], key, /^url must be the address of your instance/],
    [['login'], 'bdm_pk_x', /^key must be a secret key/],
    [['login'], `${key.slice(0, -4)}aaaa`, /^401 invalid_api_key: .* Then run bdm login\. \[request /],
    [
      ['login', '--url', firewall.url],
      key,
      /answered 403 with something that is not its JSON: check url, and any proxy/,
    ],
    [['login', '--url', moved.url], key, /answered 301 with a redirect to https:\/\/x\.ci\/: set url to the final/],
    [['get', 'txn_1', ...(await kept('html', firewall.url))], '', /not its JSON/],
    [
      ['list', 'payments', '--profile', 'nobody'],
      '',
      /^Nobody has logged in yet: run bdm login --profile nobody first/,
    ],
    [['get', 'x_1'], '', /has no known prefix/],
    [['get', 'txn_00000000000000000000000000'], '', /^40[34] .*(test or a live key|scope)/],
    [['list', 'payments', '--limit', '0'], '', /^--limit must be/],
    [['create', 'payment', 'amount', '--yes'], '', /^amount is no field: write name=value/],
    [['create', 'house'], '', /^Create what\?/],
    [['listen'], '', /^--forward-to is missing/],
    [['listen', '--forward-to', 'localhost:3000'], '', /^--forward-to must be an address/],
    [['listen', '--forwardto', 'x'], '', /^Unknown option '--forwardto'/],
    [
      ['create', 'payout', 'amount=1', ...(await kept('other', home, other))],
      '',
      /^idempotencyKey is|^This key is live/,
    ],
  ]
  if (!isCitus) {
    const words = ['listen', '--forward-to', 'http://127.0.0.1:1', '--from', 'nowhere']
    cases.push([words, '', /^The kept place is refused|^400 invalid_request/])
  }
  if (!livemode) cases.push([['trigger', 'payment.failed', '--profile', 'other'], '', /^trigger makes test payments/])
  for (const [words, input, says] of cases) {
    const { code, out, err } = await stand.run(words, { input })
    const last = err.trimEnd().split('\n').at(-1)!
    assert.equal(code, 1, `${words.join(' ')}: ${out}${err}`)
    assert.match(last, says)
    assert.ok(!`${out}${err}`.includes(key), words.join(' '))
  }
  const { out } = await stand.run(['doctor', ...(await kept('clock', early.url))])
  assert.match(out, /NO {2}clock: this machine is 3[56]\d\d s ahead of the service: set its clock/)
})
