import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { sign } from '../../sdk/typescript/src/webhooks.ts'
import { fillSample, type Home } from '../../src/docs/fill-text.ts'
import { inLanguage } from '../../src/docs/samples.ts'
import { readConfig } from '../../src/platform/config.ts'
import { newSender } from '../contract/sender.ts'
import { freePort } from '../harness/free-port.ts'
import { type Installation, newPayer, openInstallation } from '../harness/installation.ts'
import { waitFor } from '../harness/wait-for.ts'

// Each sample of docs/samples runs as the pages show it, against the service. Only the key and the payer's number differ, because a number is asked
// five times at most in ten minutes.

const samples = fileURLToPath(new URL('../../docs/samples/', import.meta.url))
const SECRET = 'whsec_of_a_sample'

let installation: Installation
let folder: string
let home: Home
let install: string
let installPhp: string
let installPython: string
before(async () => {
  installation = await openInstallation()
  folder = await mkdtemp(join(tmpdir(), 'bandama-samples-'))
  const { packages } = (await installation.ask({ path: '/sdk' })).json() as {
    packages: { package: string; url: string; install: string }[]
  }
  const [node, js, , php, python] = packages
  installPhp = php!.install
  installPython = python!.install
  install = node!.install
  const sdk = {
    package: node!.package,
    node: node!.url,
    js: js!.url,
    php: php!.url,
    python: python!.url,
    module: python!.package,
  }
  home = { origin: new URL(node!.url).origin, brand: readConfig({}).brand, sdk }
  await mkdir(join(folder, 'node_modules/bandama'), { recursive: true })
  await writeFile(join(folder, 'package.tgz'), Buffer.from(await (await fetch(node!.url)).arrayBuffer()))
  await run('tar', ['-xzf', 'package.tgz', '--strip-components=1', '-C', 'node_modules/bandama']).ended
  await writeFile(join(folder, 'package.json'), '{"private":true}')
  await writeFile(join(folder, 'bandama.whl'), Buffer.from(await (await fetch(python!.url)).arrayBuffer()))
  await writeFile(join(folder, 'bandama.php'), Buffer.from(await (await fetch(php!.url)).arrayBuffer()))
})
after(async () => {
  await installation[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

/** Starts a program in the folder. `said` grows; `ended` is all that it said. */
function run(command: string, words: string[], env: Record<string, string> = {}) {
  const child = spawn(command, words, { cwd: folder, env: { ...process.env, NODE_OPTIONS: '', ...env } })
  const running = { child, said: '', ended: Promise.resolve('') }
  for (const output of [child.stdout, child.stderr])
    output.setEncoding('utf8').on('data', (text: string) => {
      running.said += text
    })
  running.ended = once(child, 'close').then(([code]) => {
    assert.ok(code === 0 || child.killed, `${command} ${words.join(' ')}: ${running.said}`)
    return running.said
  })
  return running
}

/** Writes a sample as a page shows it. @param changes what a test must replace in it */
async function write(file: string, key: string, changes: Record<string, string> = {}): Promise<string> {
  let text = fillSample(inLanguage(await readFile(join(samples, file), 'utf8'), 'fr'), home)
  for (const [from, to] of Object.entries({ 'bdm_sk_test_…': key, '0700000000': newPayer(), ...changes }))
    text = text.replaceAll(from, to)
  const name = file.replace('/', '-').replace(/\.ts$/, '.mts')
  await writeFile(join(folder, name), text)
  return name
}

const programs: Record<string, string> = { '.sh': 'sh', '.php': 'php', '.py': 'python3' }

/** Starts a sample for this key. */
async function start(file: string, key: string, env: Record<string, string> = {}) {
  const name = await write(file, key)
  const command = programs[extname(file)] ?? process.execPath
  return run(command, [name], { BANDAMA_KEY: key, WEBHOOK_SECRET: SECRET, PYTHONPATH: 'bandama.whl', ...env })
}

type Case = { file: string; says: RegExp; funds?: number; after?: string }

/** Every sample that ends by itself, with the words that show its success. `after`: the sample that its page has before. */
const cases: readonly Case[] = [
  { file: 'typescript/collect.ts', says: /^paid 10000\n$/ },
  { file: 'php/collect.php', says: /^paid 10000\n$/ },
  { file: 'php/read.php', says: /^paid\n$/, after: 'php/collect.php' },
  { file: 'php/pay-out.php', says: /^payout waiting\n$/, funds: 100_000 },
  { file: 'php/retry.php', says: /^insufficient_funds false http.*\/docs\/errors\/insufficient_funds\n$/ },
  { file: 'php/checkout.php', says: /^http.*\/pay\/\S+\n$/ },
  { file: 'python/collect.py', says: /^paid 10000\n$/ },
  { file: 'python/read.py', says: /^paid\n$/, after: 'python/collect.py' },
  { file: 'python/pay-out.py', says: /^payout waiting\n$/, funds: 100_000 },
  { file: 'python/retry.py', says: /^insufficient_funds False http.*\/docs\/errors\/insufficient_funds\n$/ },
  { file: 'python/checkout.py', says: /^http.*\/pay\/\S+\n$/ },
  { file: 'curl/collect.sh', says: /"status":"created"/ },
  { file: 'typescript/read.ts', says: /^paid\n$/, after: 'typescript/collect.ts' },
  { file: 'curl/read.sh', says: /"merchant_reference":"CMD-417"/, after: 'curl/collect.sh' },
  { file: 'typescript/pay-out.ts', says: /^payout waiting\n$/, funds: 100_000 },
  { file: 'curl/pay-out.sh', says: /"object":"payout",.*"status":"created"/, funds: 100_000 },
  { file: 'typescript/retry.ts', says: /^insufficient_funds false http.*\/docs\/errors\/insufficient_funds\n$/ },
  { file: 'typescript/batch.ts', says: /^1 succeeded null\n2 succeeded null\n$/, funds: 100_000 },
  { file: 'curl/batch.sh', says: /"status":"brouillon"/, funds: 100_000 },
  { file: 'typescript/checkout.ts', says: /^http.*\/pay\/\S+\n$/ },
  { file: 'curl/checkout.sh', says: /"object":"checkout_session"/ },
  { file: 'typescript/balances.ts', says: /^\{ available: 0, transfer: 0 \}\n$/ },
  { file: 'curl/balances.sh', says: /"transfer":0/ },
  { file: 'curl/follow.sh', says: /"object":"feed"/, after: 'curl/collect.sh' },
]

for (const { file, says, funds, after: before } of cases) {
  const skip = file.startsWith('python/') && spawnSync('python3', ['--version']).status !== 0
  test(`docs/samples/${file} does what its page says`, { skip }, async () => {
    const key =
      funds === undefined && !file.includes('retry')
        ? (await installation.newMerchant()).key
        : (await newSender(installation, { funds: funds ?? 0 })).key
    if (before !== undefined) await (await start(before, key)).ended
    assert.match(await (await start(file, key)).ended, says)
  })
}

test('the receiver, the relay and a payment of the first steps meet', async () => {
  const { key } = await installation.newMerchant()
  const PORT = String(await freePort())
  const receiver = await start('typescript/webhook.ts', key, { PORT })
  const relay = await start('typescript/relay.ts', key, { PORT })
  const follower = await start('typescript/follow.ts', key)
  await waitFor(async () => (await fetch(`http://127.0.0.1:${PORT}`).catch(() => null)) !== null, {
    what: 'the receiver',
  })
  try {
    // The relay begins with the events after its first call, whose moment nobody sees: so payments go on until it has met one.
    for (let times = 0; times < 20 && !relay.said.includes('payment.succeeded 204'); times += 1) {
      const name = await write('typescript/collect.ts', key, { 'CMD-417': `CMD-${times}` })
      assert.match(await run(process.execPath, [name], { BANDAMA_KEY: key }).ended, /^paid 10000/)
    }
    await waitFor(() => /payment\.succeeded 204/.test(relay.said), { what: 'the relay' })
    await waitFor(() => /^paid CMD-\d+$/m.test(receiver.said), { what: 'the receiver to be called' })
    await waitFor(() => /^payment\.succeeded evt_/m.test(follower.said), { what: 'the follower' })
  } finally {
    for (const { child } of [receiver, relay, follower]) child.kill()
    await Promise.all([receiver, relay, follower].map(({ ended }) => ended))
  }
})

test('the function for Supabase takes a signed event, and its module is at the address that it names', async () => {
  const text = fillSample(inLanguage(await readFile(join(samples, 'typescript/supabase.ts'), 'utf8'), 'fr'), home)
  const address = /from '([^']+)'/.exec(text)![1]!
  assert.equal((await fetch(address)).status, 200, address)
  // Node imports no address, and has no Deno: the nightly run meets the real one.
  const deno = `import { signed } from 'bandama/test'
globalThis.Deno = { env: { get: () => '${SECRET}' }, serve: async (handle) => {
  const event = { id: 'evt_1', type: 'payment.succeeded', data: { merchant_reference: 'CMD-417' } }
  console.log((await handle(await signed(event, '${SECRET}'))).status)
} }
`
  await writeFile(join(folder, 'deno.mjs'), deno)
  await writeFile(join(folder, 'supabase.mts'), text.replace(address, 'bandama/edge'))
  assert.equal(await run(process.execPath, ['--import', './deno.mjs', 'supabase.mts']).ended, 'paid CMD-417\n204\n')
})

test('the page of plain PHP takes a signed event, and refuses another', async () => {
  const name = await write('php/webhook.php', '')
  const at = `127.0.0.1:${await freePort()}`
  const server = run('php', ['-S', at, name], { WEBHOOK_SECRET: SECRET })
  const send = (body: string, signature: string) =>
    fetch(`http://${at}/`, { method: 'POST', body, headers: { 'Service-Signature': signature } })
  try {
    await waitFor(() => /started/.test(server.said), { what: 'the server of PHP' })
    const event = { id: 'evt_1', type: 'payment.succeeded', data: { merchant_reference: 'CMD-417' } }
    const body = JSON.stringify(event)
    const signature = await sign(body, SECRET)
    assert.equal((await send(body, signature)).status, 204)
    assert.equal((await send(`${body} `, signature)).status, 400)
    await waitFor(() => /paid CMD-417/.test(server.said), { what: 'the event' })
  } finally {
    server.child.kill()
    await server.ended
  }
})

test('the lines that install the packages are those of /sdk', async () => {
  const filled = async (file: string) => fillSample(await readFile(join(samples, file), 'utf8'), home).trim()
  assert.equal(await filled('typescript/install.sh'), install)
  assert.equal(await filled('php/install.sh'), installPhp)
  assert.equal(await filled('python/install.sh'), installPython)
})

test('every sample is run', async () => {
  const elsewhere = [
    ...['typescript/install.sh', 'php/install.sh', 'php/webhook.php', 'python/install.sh'],
    ...['webhook', 'relay', 'follow', 'supabase'].map((name) => `typescript/${name}.ts`),
    // tests/repository/recipes.test.ts and tests/contract/feed.test.ts
    ...['javascript/verify.js', 'python/verify.py', 'javascript/follow-without-sdk.js'],
  ]
  const languages = await readdir(samples)
  const files = await Promise.all(
    languages.map(async (language) => (await readdir(join(samples, language))).map((file) => `${language}/${file}`)),
  )
  assert.deepEqual(files.flat().sort(), [...cases.map(({ file }) => file), ...elsewhere].sort())
})
