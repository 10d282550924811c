import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type RunningTwin, startTwin } from '../../src/twin/start-twin.ts'
import { type RefusedCommand, runCommand } from '../harness/command-line.ts'
import { databaseSettings } from '../harness/database.ts'
import { freePort } from '../harness/free-port.ts'
import { type Installation, newPayer, openInstallation } from '../harness/installation.ts'
import { openMember } from '../harness/teams.ts'
import { waitFor } from '../harness/wait-for.ts'
import { checkPayment } from './answers.ts'
import { newSender, PATIENCE, type Sender } from './sender.ts'

// Live mode over a contract whose payers pay on a page of the operator's, and whose notices name no order.

const AWA = ['--as', 'awa@example.com']

let twin: RunningTwin
let installation: Installation
let folder: string
let sender: Sender
let collects: string
let callback_url: string

before(async () => {
  twin = await startTwin()
  folder = await mkdtemp(join(tmpdir(), 'connectors-'))
  const port = await freePort()
  installation = await openInstallation({ env: { PORT: String(port), PUBLIC_URL: `http://127.0.0.1:${port}` } })
  sender = await newSender(installation, { mode: 'live' })
  collects = (await sender.merchant.newKey('live', 'collect')).key
  const file = join(folder, 'settings.json')
  await writeFile(file, JSON.stringify(twin.connectors().orange!.settings))
  const words = ['--name', 'orange', '--type', 'orange_webpay', '--mode', 'live', '--settings', file]
  callback_url = String((await installation.bandama('connector', 'set', ...words, ...AWA)).callback_url)
  const route = ['--mode', 'live', '--operator', 'orange_ci', '--direction', 'collect', '--connectors', 'orange']
  await installation.bandama('route', 'set', ...route, ...AWA)
})
after(async () => {
  await installation[Symbol.asyncDispose]()
  await twin.close()
  await rm(folder, { recursive: true })
})

/** Waits for the payment to be what `is` says. */
function until<Found>(id: string, is: (payment: ReturnType<typeof checkPayment>) => Found, what: string) {
  return waitFor(async () => is(checkPayment(await installation.read(collects, id), 200)), { ...PATIENCE, what })
}

// First, because it takes longer than a new route needs to be in force.
test('the command, the desk and the list of live mode say what no check of Orange proves', async () => {
  const { db, secret_key: SECRET_KEY, services } = installation
  const { PATH, HOME } = process.env
  const env = { PATH, HOME, ...databaseSettings(db.url), SECRET_KEY, PUBLIC_URL: services[0]!.address }
  const { said } = await runCommand(env, ['connector', 'check', '--name', 'orange'])
  assert.match(said, /No call proves merchant_key/)
  const kofi = await openMember(installation, 'Kofi Yao', { staff: ['operations'] })
  const page = '/desk/live/connectors/orange'
  const { text } = await kofi.post(`${page}/check`, {}, page)
  assert.match(text, /L’opérateur accepte ces réglages\. Aucun appel ne prouve merchant_key/)
  const missing = await installation.bandama('live', 'check').catch((error: RefusedCommand) => JSON.parse(error.stdout))
  const { checks } = missing as { checks: { subject: string; status: string; message: string }[] }
  const of = checks.filter(({ subject, message }) => /orange/.test(subject) && /merchant_key/.test(message))
  assert.deepEqual(
    of.map(({ status }) => status),
    ['note'],
  )
})

test('an own number is not proven through the page of the operator, where any wallet pays', async () => {
  const { merchant_id } = await installation.newMerchant()
  const aya = await openMember(installation, 'Aya Kouassi', { merchant_id, roles: ['owner'] })
  const page = `/console/live/${merchant_id}/destination`
  const form = /name="form" value="([^"]+)"/.exec((await aya.get(page)).text)![1]!
  const { status, text } = await aya.post(`${page}/own`, { form, number: newPayer() }, page)
  assert.equal(status, 422)
  assert.match(text, /laisse payer un autre numéro, et ne prouve rien/)
  const paid = await installation.db.sql`select from payments where merchant_id = ${merchant_id}`
  assert.equal(paid.length, 0)
})

test('a check succeeds, and a notice to a guessed address reaches no order', async () => {
  assert.deepEqual(await installation.bandama('connector', 'check', '--name', 'orange'), {
    name: 'orange',
    works: true,
  })
  const { pathname } = new URL(callback_url)
  const token = pathname.slice(pathname.lastIndexOf('/') + 1)
  for (const end of ['a'.repeat(32), `${'a'.repeat(32)}.order`, `.${token}`]) {
    for (const method of ['GET', 'POST'] as const) {
      const path = `/operators/orange/callbacks/${end}`
      const answer = await installation.ask({
        method,
        path,
        ...(method === 'GET' ? {} : { body: { status: 'SUCCESS' } }),
      })
      assert.equal(answer.status, 404, `${method} ${end}`)
    }
  }
})

for (const method of ['POST', 'GET'] as const) {
  test(`a payer pays on the page, and a notice by ${method} to the order's own address is accepted`, async () => {
    twin.change('orange', { notice_method: method })
    const before = (await sender.balances()).available
    const payer = newPayer()
    const asked = { amount: 10_000, operator: 'orange_ci', counterparty: { msisdn: payer } }
    const { id } = checkPayment(await installation.pay(collects, asked), 201)
    const url = await until(id, ({ next_action }) => next_action?.url, 'a page for the payer')
    const fields = { number: payer, code: twin.phone(payer).code() }
    const back = await fetch(url!, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' })
    assert.match(back.headers.get('location')!, /\/return\/[0-9a-f-]{36}$/)
    await until(id, ({ status }) => status === 'succeeded', `${id} to succeed`)
    assert.equal((await sender.balances()).available, before + 10_000)
    const notice = () => twin.callbacks().at(-1)!
    await waitFor(() => notice().state === 'delivered', PATIENCE)
    assert.deepEqual([notice().method, notice().attempts[0]!.status], [method, 200])
    assert.ok(notice().url.startsWith(`${callback_url}.`))
    assert.equal(twin.phone(payer).balance('orange_ci'), 240_000)
  })
}
