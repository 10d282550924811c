import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { type RunningTwin, startTwin } from '../../src/twin/start-twin.ts'
import { createCertificate } from '../harness/certificate.ts'
import { databaseSettings } from '../harness/database.ts'
import { freePort } from '../harness/free-port.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { program } from '../harness/program.ts'

// `bandama live check`: each requirement of live mode, as it is met.

const AWA = ['--as', 'awa@example.com']
const execute = promisify(execFile)

let twin: RunningTwin
let installation: Installation
let site: Server
let folder: string
let env: Record<string, string | undefined>

before(async () => {
  const { key, cert } = createCertificate(['127.0.0.1'], [-1, 30])
  const port = await freePort()
  site = createServer({ key, cert }).listen(port, '127.0.0.1')
  twin = await startTwin()
  folder = await mkdtemp(join(tmpdir(), 'live-check-'))
  await writeFile(join(folder, 'ca.pem'), cert)
  installation = await openInstallation({ env: { PUBLIC_URL: `https://127.0.0.1:${port}` }, processes: [] })
  const { PATH, HOME } = process.env
  const { secret_key: SECRET_KEY } = installation
  const PUBLIC_URL = `https://127.0.0.1:${port}`
  env = { PATH, HOME, ...databaseSettings(installation.db.url), SECRET_KEY, PUBLIC_URL }
})
after(async () => {
  site.close()
  await twin.close()
  await installation[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

async function connect(more: Record<string, unknown> = {}): Promise<void> {
  const file = join(folder, 'settings.json')
  await writeFile(file, JSON.stringify({ ...twin.connectors().pawapay!.settings, ...more }))
  const words = ['--name', 'main', '--type', 'pawapay', '--mode', 'live', '--settings', file]
  await installation.bandama('connector', 'set', ...words, ...AWA)
}

/** Runs the command, which ends with 1 while anything is missing. */
async function check(words: string[] = [], more: Record<string, string> = {}): Promise<string> {
  const running = execute(program, ['live', 'check', ...words], { env: { ...env, ...more }, timeout: 60_000 })
  const failed = await running.then(
    () => assert.fail('nothing is missing'),
    (error: { code: number; stdout: string }) => error,
  )
  assert.equal(failed.code, 1)
  return failed.stdout
}

/** Returns the findings about one requirement. */
async function findings(subject: string, more: Record<string, string> = {}): Promise<string[]> {
  const { checks } = JSON.parse(await check(['--json'], more)) as {
    checks: { subject: string; status: string; message: string }[]
  }
  return checks.filter((one) => one.subject === subject).map(({ status, message }) => `${status}: ${message}`)
}

test('the certificate is checked from here: one without a trusted issuer is missing', async () => {
  const untrusted =
    /^missing: 127\.0\.0\.1 cannot be reached safely from here \(DEPTH_\w+\)\. The server signed its certificate itself: it needs one of an authority\.$/
  assert.match((await findings('certificate')).join(), untrusted)
  const trusted = { NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem') }
  assert.match((await findings('certificate', trusted)).join(), /^ok: It is good for (?:29|30) more days\.$/)
})

test('an expired certificate, one of another name and a proxy that is down are each named, with the remedy', async () => {
  const cases: [string, RegExp, ReturnType<typeof createCertificate> | null][] = [
    [
      'expired',
      /CERT_HAS_EXPIRED\)\. The server’s certificate has expired: renew it, and reload the server\.$/,
      createCertificate(['127.0.0.1'], [-30, -1]),
    ],
    [
      'other',
      /ALTNAME_INVALID\)\. The server’s certificate is for another name: check the address, or get a certificate for this name\.$/,
      createCertificate(['pay.example']),
    ],
    [
      'down',
      /ECONNREFUSED\)\. The machine refuses the connection: nothing listens on this port, or a firewall refuses it\.$/,
      null,
    ],
  ]
  for (const [name, message, certificate] of cases) {
    const port = await freePort()
    const file = join(folder, `${name}.pem`)
    if (certificate !== null) await writeFile(file, certificate.cert)
    const server = certificate && createServer(certificate).listen(port, '127.0.0.1')
    const settings = { PUBLIC_URL: `https://127.0.0.1:${port}`, ...(certificate && { NODE_EXTRA_CA_CERTS: file }) }
    assert.match((await findings('certificate', settings)).join(), message)
    server?.close()
  }
})

test('a machine whose clock is ten minutes fast is told to set it right', async () => {
  const fast = { NODE_OPTIONS: '--import=data:text/javascript,const{now}=Date;Date.now=()=>now()+600000' }
  const [clock] = await findings('clock', fast)
  assert.match(clock!, /^missing: This machine's clock and the database's differ by (?:599|600|601) s: set both right/)
})

test('behind a proxy without TRUST_PROXY all callers share one rate', async () => {
  const [unknown] = await findings('rates')
  assert.match(unknown!, /^note: TRUST_PROXY is empty.*300 times a minute.*600 times\.$/)
  const [known] = await findings('rates', { TRUST_PROXY: '10.0.0.0/8', RATE_PER_KEY: '900' })
  assert.equal(known, 'ok: A key may call 900 times a minute and an address 600 times.')
  const [payers] = await findings('payers', { PAGE_ATTEMPTS_PER_ADDRESS: '300' })
  assert.match(payers!, /^ok: 150 payers at once can pay behind one address/)
  const [few] = await findings('payers', { PAGES_PER_ADDRESS: '600' })
  assert.match(few!, /^ok: 30 payers at once/)
})

test('the check names a connector’s charges and balance until a person has set and accepted them', async () => {
  twin.setWallet('pawapay/CIV', 5_000)
  await connect()
  assert.match((await findings('charges of main')).join(), /^note: Its settings hold no charges/)
  assert.deepEqual(await findings('balance of main'), [], 'nobody has asked yet')
  await connect({ 'charges.collect.per_ten_thousand': 150, float_floor: 10_000 })
  assert.deepEqual(await findings('charges of main'), [])
  const { asked_at } = await installation.bandama('connector', 'balance', '--name', 'main')
  const [low, never, ...others] = await findings('balance of main')
  assert.match(low!, /^note: Less is left than float_floor/)
  assert.match(never!, /^note: No balance was accepted yet/)
  assert.deepEqual(others, [])
  await installation.bandama('connector', 'balance', '--name', 'main', '--accept', String(asked_at), ...AWA)
  assert.deepEqual(await findings('balance of main'), [low])
})

test('the output has every finding, also two about one requirement, missing ones first', async () => {
  twin.change('pawapay', { api_token: 'another-twin-token' })
  const text = await check()
  const missing = text.slice(text.indexOf('missing:'), text.indexOf('notes:'))
  assert.equal(missing.match(/^ {2}connector main: .*\.$/gm)?.length, 2, text)
  assert.match(text, /^notes:\n(?: {2}.*\n)*? {2}balance of main: Less is left/m)
  assert.match(text, /^ok:\n(?: {2}.*\n)*? {2}clock: /m)
})

test('routes of single merchants count: they are named, and only no route at all is missing', async () => {
  await connect()
  const route = (operator: string, direction: string, ...more: string[]) =>
    installation.bandama(
      'route',
      'set',
      '--mode',
      'live',
      '--operator',
      operator,
      '--direction',
      direction,
      '--connectors',
      'main',
      ...more,
      ...AWA,
    )
  const subjects = ['live routes', 'routes of mtn_ci', 'routes of orange_ci']
  const told = async () => (await Promise.all(subjects.map((subject) => findings(subject)))).map(String)
  assert.match((await told())[0]!, /^missing: No route leads anywhere in live mode/)
  const [one, other] = [await installation.newMerchant(), await installation.newMerchant()]
  const alone = (merchant_id: number) => ['--merchant', String(merchant_id)]
  await route('mtn_ci', 'collect', ...alone(one.merchant_id))
  const steps: [does: () => Promise<unknown>, mtn: RegExp][] = [
    [async () => {}, /^note: MTN .*has a route for some merchants only \(1\), and none for the others\.$/],
    [() => route('mtn_ci', 'payout', ...alone(one.merchant_id)), /some merchants only \(1\)/],
    [() => route('mtn_ci', 'collect', ...alone(other.merchant_id)), /some merchants only \(2\)/],
    [() => route('mtn_ci', 'collect'), /^note: MTN .*collects; nobody can be paid through it\.$/],
    [() => route('mtn_ci', 'payout'), /^ok: MTN .*collects and pays out\.$/],
  ]
  for (const [does, mtn] of steps) {
    await does()
    const [none, ofMtn, ofOrange] = await told()
    assert.equal(none, '', 'a route of one merchant is a route')
    assert.match(ofMtn!, mtn)
    assert.match(ofOrange!, /^note: No route leads to Orange/)
  }
})
