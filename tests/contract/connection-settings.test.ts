import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { createAuthority, createCertificate } from '../harness/certificate.ts'
import { runCommand } from '../harness/command-line.ts'
import { startProxy } from '../harness/connect-proxy.ts'
import { databaseSettings, openTestDatabase, type TestDatabase } from '../harness/database.ts'
import { startPooler } from '../harness/pooler.ts'
import { startRefused } from '../harness/refused-servers.ts'

// The settings of connections as a company sets them, in processes of their own: an authority is trusted by a whole process.

const root = createAuthority('root of the company')
const leaf = createCertificate(['127.0.0.1'], [-1, 1], root)
const ANSWER = 'HTTP/1.1 401 Unauthorized\r\ncontent-length: 2\r\n\r\n{}'

let db: TestDatabase
let folder: string
before(async () => {
  db = await openTestDatabase()
  folder = await mkdtemp(join(tmpdir(), 'bandama-authorities-'))
})
after(async () => {
  await db[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

/** Runs a command with these settings. */
function bandama(words: readonly string[], env: Record<string, string> = {}) {
  const { PATH, HOME } = process.env
  const SECRET_KEY = 'abcdefghijklmnopqrstuvwxyz0123456789'
  return runCommand({ PATH, HOME, SECRET_KEY, ...databaseSettings(db.url), ...env }, words)
}

let names = 0

/** Connects Wave at this address and checks it. Returns the sentence of a refused setting or of the check. */
async function check(base_url: string, env: Record<string, string>): Promise<string> {
  names += 1
  const name = `wave_${names}`
  const path = join(folder, `${name}.json`)
  await writeFile(
    path,
    JSON.stringify({ base_url, api_key: `wave_sn_prod_${name}`, webhook_secret: 'wave_sn_WHS_abcdefgh' }),
  )
  const words = ['--name', name, '--type', 'wave', '--mode', 'test', '--settings', path, '--as', 'awa@example.com']
  const set = await bandama(['connector', 'set', ...words], env)
  if (set.code !== 0) return set.said
  const { answer, said } = await bandama(['connector', 'check', '--name', name], env)
  return `${JSON.stringify(answer)} ${said}`
}

test('an operator with a private authority is reached with CA_FILE, and without it the check names the certificate', async () => {
  await using server = await startRefused({ tls: { key: leaf.key, cert: leaf.cert + root.cert } }, (socket) =>
    socket.on('data', () => socket.end(ANSWER)),
  )
  const url = `https://127.0.0.1:${server.port}`
  const CA_FILE = join(folder, 'root.pem')
  await writeFile(CA_FILE, `An authority of ours:\n${createAuthority('another').cert}\n${root.cert}`)
  const without = await check(url, {})
  assert.match(
    without,
    /base_url cannot be reached \(SELF_SIGNED_CERT_IN_CHAIN\)\. The server’s certificate comes from an authority that is unknown here/,
  )
  assert.match(without, /put it into CA_FILE/)
  assert.match(await check(url, { CA_FILE }), /api_key/)
})

const unusable: readonly (readonly [string, string | null, RegExp])[] = [
  ['is missing', null, /^CA_FILE \(.*\) cannot be read \(ENOENT\)\.$/],
  ['is empty', '', /^CA_FILE \(.*\) contains no certificate in PEM form\.$/],
  ['contains a key', leaf.key, /^CA_FILE \(.*\) contains no certificate in PEM form\.$/],
  [
    'is damaged',
    root.cert.replace(/\n.{20}/, '\nAAAAAAAAAAAAAAAAAAAA'),
    /^CA_FILE \(.*\) contains a damaged certificate\.$/,
  ],
]
for (const [what, content, sentence] of unusable) {
  test(`a CA_FILE that ${what} is refused in a sentence`, async () => {
    const CA_FILE = join(folder, `unusable ${what}.pem`)
    if (content !== null) await writeFile(CA_FILE, content)
    const { code, said } = await bandama(['merchant', 'list'], { CA_FILE })
    assert.equal(code, 1)
    assert.match(said.trim(), sentence)
  })
}

test('a connector leaves through PROXY_URL, but not to this machine, and a proxy that refuses is named', async () => {
  await using proxy = await startProxy(0, 'HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
  const PROXY_URL = proxy.url.href
  const refused = await check('https://moov.example', { PROXY_URL })
  assert.match(
    refused,
    /base_url cannot be reached \(PROXY_ANSWERED_407\)\. The proxy through which the service leaves did not open the way\. Check PROXY_URL/,
  )
  assert.ok(!refused.includes('p%40ss') && !refused.includes('p@ss'))
  assert.deepEqual(new Set(proxy.asked.map(({ host }) => host)), new Set(['moov.example:443']))
  const before = proxy.asked.length
  for (const [url, PROXY_EXCEPT] of [
    ['https://127.0.0.1:1', ''],
    ['https://moov.invalid', 'moov.invalid'],
    ['https://moov.invalid', '.invalid'],
  ] as const)
    assert.match(
      await check(url, { PROXY_URL, PROXY_EXCEPT }),
      /base_url cannot be reached \((ECONNREFUSED|ENOTFOUND|EAI_AGAIN)\)/,
    )
  assert.equal(proxy.asked.length, before)
})

test('http over a VPN is for the addresses that the company lists, and no order goes on when one is taken off the list', async () => {
  const url = 'http://10.255.255.1:8080'
  const unlisted = await check(url, {})
  assert.match(
    unlisted,
    /base_url must begin with https:\/\/; http:\/\/ is only for this machine, or for an IP address in OPERATOR_HTTP_ALLOW\./,
  )
  const path = join(folder, 'vpn.json')
  await writeFile(
    path,
    JSON.stringify({ base_url: url, api_key: 'wave_sn_prod_vpn', webhook_secret: 'wave_sn_WHS_abcdefgh' }),
  )
  const words = ['--name', 'vpn', '--type', 'wave', '--mode', 'test', '--settings', path, '--as', 'awa@example.com']
  const listed = await bandama(['connector', 'set', ...words], { OPERATOR_HTTP_ALLOW: '10.255.0.0/16' })
  assert.equal(listed.code, 0, listed.said)
  const { answer, said } = await bandama(['connector', 'check', '--name', 'vpn'])
  assert.match(`${JSON.stringify(answer)} ${said}`, /OPERATOR_HTTP_ALLOW/)
})

for (const words of [
  ['merchant', 'list'],
  ['serve', '--only', 'worker'],
]) {
  test(`bandama ${words[0]} refuses a pooler that shares connections between transactions`, async () => {
    await using pooler = await startPooler(db.url, { mode: 'transaction', settings: 'passed' })
    const env = { DATABASE_URL: pooler.url, PORT: '0', METRICS_PORT: '0' }
    const { code, said } = await bandama(words, env)
    assert.equal(code, 1)
    const sentence =
      /^The database at 127\.0\.0\.1:\d+ is behind a pooler that shares connections between transactions: [^.]+\.$/
    assert.match(said.trim(), sentence)
  })
}
