import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type Installation, newPayer, openInstallation } from '../harness/installation.ts'
import { addEndpoint } from '../harness/merchant.ts'

let installation: Installation
let folder: string
before(async () => {
  installation = await openInstallation()
  folder = await mkdtemp(join(tmpdir(), 'bandama-stranger-'))
})
after(async () => {
  await installation[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

/** The time that a stranger may need, tool and network included. */
const STRANGER_MS = 180_000

async function run(command: string, words: string[]): Promise<void> {
  const env = { ...process.env, npm_config_cache: join(folder, '.npm'), NODE_OPTIONS: '' }
  const child = spawn(command, words, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const output of [child.stdout, child.stderr]) output.setEncoding('utf8').on('data', (text) => (said += text))
  const [code] = await once(child, 'exit')
  assert.equal(code, 0, `${command} ${words.join(' ')}: ${said}`)
}

/** Everything that a stranger writes: a server that takes webhooks, a payment, and the same event from the feed. */
const program = `
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createInterface } from 'node:readline'
import { Bandama, outcomeOf } from 'bandama'
import { handler } from 'bandama/express'

const lines = createInterface(process.stdin)[Symbol.asyncIterator]()
const { key, msisdn } = JSON.parse((await lines.next()).value)
const bandama = new Bandama({ key })

let receive
const got = new Promise((resolve) => { receive = resolve })
let handle
const server = createServer((request, response) => handle(request, response)).listen(0, '127.0.0.1')
await once(server, 'listening')
console.log('http://127.0.0.1:' + server.address().port + '/webhooks')
const secret = (await lines.next()).value
handle = handler(secret, (event) => { if (event.type === 'payment.succeeded') receive(event) })

const payment = await bandama.payments.create({ amount: 10000, counterparty: { msisdn }, merchant_reference: 'CMD-417' })
const again = await bandama.payments.create({ amount: 10000, counterparty: { msisdn }, merchant_reference: 'CMD-417' })
const last = await bandama.payments.wait(payment.id)
const webhook = await got
for await (const { event, cursor } of bandama.events.follow({ after: 'begin', types: ['payment.succeeded'] })) {
  console.log(JSON.stringify({ mode: bandama.mode, same: again.id === payment.id, outcome: outcomeOf(last), webhook, event, cursor }))
  break
}
server.close()
`

/** The same in TypeScript, for the compiler alone. */
const typed = `
import { Bandama, type BandamaError, outcomeOf, type Payment } from 'bandama'
import { handler } from 'bandama/express'
import { verify } from 'bandama/webhooks'
const bandama = new Bandama({ key: 'bdm_sk_test_x' })
export const paid = async (id: string): Promise<boolean> => outcomeOf(await bandama.payments.wait(id)) === 'paid'
export const receive = handler('whsec', async (event) => {
  if (event.type === 'payment.succeeded') console.log(event.data.amount_collected, event.data.status === 'of tomorrow')
  // @ts-expect-error a long batch comes without its lines
  if (event.type === 'payout_batch.finished') console.log(event.data.lines.length)
})
export const keyed = () => bandama.payouts.create({ amount: 1, beneficiary_id: 'x' }, { idempotencyKey: 'order-417' })
// @ts-expect-error a payout needs a key
export const unkeyed = () => bandama.payouts.create({ amount: 1, beneficiary_id: 'x' })
export const later = (error: BandamaError) => error.mayHaveHappened
export const all = async (payment: Payment) => { for await (const one of bandama.payments.list({ limit: 5 })) if (one.id === payment.id) return one.amount }
export { verify }
`

test('a stranger comes from an empty folder to a payment and a verified webhook, with one address and one key', {
  timeout: STRANGER_MS,
}, async () => {
  const began = performance.now()
  const { merchant_id, key } = await installation.newMerchant()
  const { packages } = (await installation.ask({ path: '/sdk' })).json() as {
    packages: { url: string; integrity: string }[]
  }
  await writeFile(join(folder, 'package.json'), '{"type":"module","private":true}')
  await run('npm', ['install', '--no-audit', '--no-fund', packages[0]!.url])
  const lock = JSON.parse(await readFile(join(folder, 'package-lock.json'), 'utf8'))
  const locked = lock.packages['node_modules/bandama']
  assert.deepEqual([locked.resolved, locked.integrity], [packages[0]!.url, packages[0]!.integrity])

  await writeFile(join(folder, 'pay.js'), program)
  const child = spawn(process.execPath, ['pay.js'], { cwd: folder, stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  child.stdin.write(`${JSON.stringify({ key, msisdn: newPayer() })}\n`)
  const url = String((await lines.next()).value)
  const { secret_key } = installation
  child.stdin.write(`${await addEndpoint(installation.db.sql, { merchant_id }, { url, secret_key })}\n`)
  const said = JSON.parse(String((await lines.next()).value))
  child.stdin.end()
  assert.deepEqual(await once(child, 'exit'), [0, null])
  assert.deepEqual([said.mode, said.same, said.outcome], ['test', true, 'paid'])
  assert.equal(said.webhook.data.merchant_reference, 'CMD-417')
  assert.deepEqual(said.event, said.webhook)
  assert.match(said.cursor, /^[\w-]{24,200}$/)
  const took = performance.now() - began
  assert.ok(took < STRANGER_MS, `${took} ms`)
})

test('the compiler takes the installed package, as an ES module and as CommonJS', async () => {
  const tsc = fileURLToPath(new URL('../../node_modules/.bin/tsc', import.meta.url))
  const types = fileURLToPath(new URL('../../node_modules/@types', import.meta.url))
  for (const name of ['typed.mts', 'typed.cts']) await writeFile(join(folder, name), typed)
  const compile = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--module', 'node20', '--target', 'es2022']
  await run(tsc, [...compile, '--typeRoots', types, '--types', 'node', 'typed.mts', 'typed.cts'])
})
