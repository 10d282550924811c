import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type RunningTwin, startTwin } from '../../src/twin/start-twin.ts'
import { freePort } from '../harness/free-port.ts'
import { type Installation, newPayer, openInstallation } from '../harness/installation.ts'
import { waitFor } from '../harness/wait-for.ts'
import { checkPayment } from './answers.ts'
import type { Payment } from './payment-fields.ts'
import { newSender, PATIENCE, type Sender } from './sender.ts'

// Live mode over a contract whose operator signs nothing and calls by PUT.

const AWA = ['--as', 'awa@example.com']

let twin: RunningTwin
let installation: Installation
let folder: string
let origin: string
let sender: Sender
let collects: string
let callback_url: string

before(async () => {
  twin = await startTwin()
  twin.change('mtn', { callback_method: 'PUT' })
  folder = await mkdtemp(join(tmpdir(), 'connectors-'))
  const port = await freePort()
  origin = `http://127.0.0.1:${port}`
  installation = await openInstallation({ env: { PORT: String(port), PUBLIC_URL: origin } })
  sender = await newSender(installation, { mode: 'live' })
  collects = (await sender.merchant.newKey('live', 'collect')).key
  callback_url = String((await connect()).callback_url)
  for (const direction of ['collect', 'payout']) {
    const route = ['--mode', 'live', '--operator', 'mtn_ci', '--direction', direction, '--connectors', 'mtn']
    await installation.bandama('route', 'set', ...route, ...AWA)
  }
})
after(async () => {
  await installation[Symbol.asyncDispose]()
  await twin.close()
  await rm(folder, { recursive: true })
})

/** Sets the connector with the keys that the twin has now. */
async function connect() {
  const file = join(folder, 'settings.json')
  await writeFile(file, JSON.stringify(twin.connectors().mtn!.settings))
  const words = ['--name', 'mtn', '--type', 'mtn_momo', '--mode', 'live', '--settings', file]
  return installation.bandama('connector', 'set', ...words, ...AWA)
}

const pay = (msisdn: string, amount = 10_000) =>
  installation.pay(collects, { amount, operator: 'mtn_ci', counterparty: { msisdn } })

const untilPayment = (id: string, status: string): Promise<Payment> =>
  waitFor(
    async () => {
      const read = checkPayment(await installation.read(collects, id), 200)
      return read.status === status && read
    },
    { ...PATIENCE, what: `${id} to be ${status}` },
  )

/** Unused telephones of MTN, outside the twin's table of numbers that behave by themselves. */
const newPhone = () => newPayer().replace(/^07/, '05').replace(/0000$/, '7777')

const callbacksAbout = (reference: string) => twin.callbacks().filter((one) => one.reference === reference)

test('a check proves the settings, and the address for callbacks ends in a token', async () => {
  assert.deepEqual(await installation.bandama('connector', 'check', '--name', 'mtn'), { name: 'mtn', works: true })
  assert.match(callback_url, new RegExp(`^${origin}/operators/mtn/callbacks/[a-z0-9]{20,}$`))
  const shown = await installation.bandama('connector', 'show', '--name', 'mtn')
  for (const product of ['collection', 'disbursement'])
    assert.equal((shown.settings as Record<string, string>)[`${product}.subscription_key`], '********')
})

test('a payment is approved on the telephone, called back by PUT and refunded', async () => {
  const before = (await sender.balances()).available
  const payer = newPhone()
  const { id } = checkPayment(await pay(payer), 201)
  const { reference } = await twin.phone(payer).approve()
  await untilPayment(id, 'succeeded')
  assert.equal((await sender.balances()).available, before + 10_000)
  await waitFor(() => callbacksAbout(reference).some(({ state }) => state === 'delivered'), PATIENCE)
  const [callback] = callbacksAbout(reference)
  assert.deepEqual([callback!.method, callback!.url, callback!.attempts[0]!.status], ['PUT', callback_url, 200])
  const held = twin.phone(payer).balance('mtn_ci')
  await installation.bandama('refund', 'create', '--payment', id, ...AWA)
  await untilPayment(id, 'refunded')
  assert.equal(twin.phone(payer).balance('mtn_ci'), held + 10_000)
})

test('a callback to a guessed address reaches no account, and a claimed success moves no money', async () => {
  const payer = newPhone()
  twin.fault({ fault: 'callback_claims_success', times: 1 })
  const { id } = checkPayment(await pay(payer), 201)
  const { reference } = await twin.phone(payer).asked()
  await waitFor(() => callbacksAbout(reference).some(({ state }) => state === 'delivered'), PATIENCE)
  const body = { externalId: reference, amount: '10000', currency: 'XOF', status: 'SUCCESSFUL' }
  for (const method of ['POST', 'PUT'] as const) {
    for (const path of ['/operators/mtn/callbacks', `/operators/mtn/callbacks/${'a'.repeat(32)}`]) {
      const answer = await installation.ask({ method, path, body })
      assert.equal(answer.status, 404, `${method} ${path}`)
    }
    const own = await installation.ask({ method, path: new URL(callback_url).pathname, body })
    assert.equal(own.status, 200)
  }
  assert.equal((await untilPayment(id, 'pending')).status, 'pending')
  await twin.phone(payer).decline()
  assert.equal((await untilPayment(id, 'failed')).failure_code, 'payer_declined')
})

test('payouts whose answers are lost, or that never arrived, are paid once and by themselves', async () => {
  const payees = [newPhone(), newPhone(), newPhone()]
  const faults = ['lose_answer', 'say_html', 'cut']
  const ids = await Promise.all(
    payees.map(async (msisdn, nth) => {
      twin.fault({ fault: faults[nth]!, direction: 'payout', msisdn, times: 1 })
      const beneficiary = { msisdn, operator: 'mtn_ci', name: 'Awa Koné' }
      return ((await sender.send({ amount: 25_000, beneficiary })).json() as { id: string }).id
    }),
  )
  for (const id of ids) await sender.untilPayout(id, 'succeeded')
  for (const msisdn of payees) {
    const executed = twin.journal().filter((one) => one.msisdn?.endsWith(msisdn.slice(1)))
    assert.equal(executed.length, 1, msisdn)
  }
})

test('after MTN forgets a token the service fetches another, and no operation fails', async () => {
  twin.act('mtn', 'forget-tokens')
  const payer = newPhone()
  const { id } = checkPayment(await pay(payer, 700), 201)
  await twin.phone(payer).approve()
  await untilPayment(id, 'succeeded')
})

test('after MTN replaces the primary keys, payments and payouts go on with the secondary ones, and a check names the old key', async () => {
  twin.act('mtn', 'rotate-keys')
  const payer = newPhone()
  const { id } = checkPayment(await pay(payer, 800), 201)
  await twin.phone(payer).approve()
  await untilPayment(id, 'succeeded')
  const msisdn = newPhone()
  const beneficiary = { msisdn, operator: 'mtn_ci', name: 'Awa Koné' }
  const payout = (await sender.send({ amount: 900, beneficiary })).json() as { id: string }
  await sender.untilPayout(payout.id, 'succeeded')
  assert.equal(twin.journal().filter((one) => one.msisdn?.endsWith(msisdn.slice(1))).length, 1)
  await assert.rejects(installation.bandama('connector', 'check', '--name', 'mtn'), /collection\.subscription_key/)
  const warned = async () => {
    const { connectors } = await installation.bandama('connector', 'list')
    return (connectors as { warnings: string[] }[])[0]!.warnings.includes('check_fails')
  }
  assert.equal(await warned(), true)
  await connect()
  assert.equal(await warned(), false)
})
