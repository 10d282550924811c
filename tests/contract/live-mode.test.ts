import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type RunningTwin, startTwin } from '../../src/twin/start-twin.ts'
import { freePort } from '../harness/free-port.ts'
import { type Installation, newPayer, openInstallation } from '../harness/installation.ts'
import { waitFor } from '../harness/wait-for.ts'
import { withoutTriggers } from '../harness/without-triggers.ts'
import { checkPayment, codeOf } from './answers.ts'
import { refused } from './commands.ts'
import type { Payment } from './payment-fields.ts'
import { newSender, PATIENCE, type Sender } from './sender.ts'

// Live mode, over a real contract's connector and the operators' twin: everything from the settings to the money.

const AWA = ['--as', 'awa@example.com']

let twin: RunningTwin
/** Another account of the same aggregator. */
let another: RunningTwin
let installation: Installation
let folder: string
let origin: string
let sender: Sender
let collects: string

before(async () => {
  twin = await startTwin()
  another = await startTwin()
  folder = await mkdtemp(join(tmpdir(), 'connectors-'))
  const port = await freePort()
  origin = `http://127.0.0.1:${port}`
  installation = await openInstallation({ env: { PORT: String(port), PUBLIC_URL: origin } })
  sender = await newSender(installation, { mode: 'live' })
  collects = (await sender.merchant.newKey('live', 'collect')).key
})
after(async () => {
  await installation[Symbol.asyncDispose]()
  await Promise.all([twin.close(), another.close()])
  await rm(folder, { recursive: true })
})

const bandama = (...words: string[]) => installation.bandama(...words)

/** The file of the settings that reach the twin. */
async function settings(more: Record<string, unknown> = {}, name = 'settings.json'): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, JSON.stringify({ ...twin.connectors().pawapay!.settings, ...more }))
  return path
}

async function connect(name: string, more: Record<string, unknown> = {}, mode = 'live') {
  const words = ['--name', name, '--type', 'pawapay', '--mode', mode, '--settings', await settings(more)]
  return bandama('connector', 'set', ...words, ...AWA)
}

const route = (direction: string, connectors: string, ...more: string[]) =>
  bandama(
    ...['route', 'set', '--mode', 'live', '--operator', 'mtn_ci', '--direction', direction],
    ...['--connectors', connectors, ...more, ...AWA],
  )

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

async function session(): Promise<{ url: string; warning?: string }> {
  const asked = { method: 'POST', path: '/v1-checkout', key: collects, body: { amount: 500 } } as const
  return (await installation.ask(asked)).json() as { url: string; warning?: string }
}

/** Unused telephones of MTN, outside the twin's table of numbers that behave by themselves. */
const newPhone = () => newPayer().replace(/^07/, '05').replace(/0000$/, '7777')

test('without a connector a live payment fails, and the list of operators says so beforehand', async () => {
  const { data } = (await installation.ask({ path: '/x/operators', key: collects })).json() as {
    data: { code: string; collection: { unavailable_reason: string | null } }[]
  }
  assert.ok(data.every(({ collection }) => collection.unavailable_reason === 'not_connected'))
  const { id } = checkPayment(await pay(newPhone()), 201)
  await untilPayment(id, 'failed')
  assert.match((await session()).warning ?? '', /No operator can collect/)
})

test('a connector is set, checked, shown masked, and used once a route names it', async () => {
  const set = await connect('main')
  const callback_url = `${origin}/operators/main/callbacks`
  assert.deepEqual(set, { name: 'main', type: 'pawapay', mode: 'live', generation: 1, callback_url })
  twin.change('pawapay', { callback_url })
  twin.setWallet('pawapay/CIV', 5_000_000)
  assert.deepEqual(await bandama('connector', 'check', '--name', 'main'), { name: 'main', works: true })
  const shown = await bandama('connector', 'show', '--name', 'main')
  assert.equal((shown.settings as Record<string, string>).api_token, '********')
  const { connectors } = await bandama('connector', 'list')
  assert.ok(!JSON.stringify([shown, connectors]).includes(twin.connectors().pawapay!.settings.api_token!))
  const balance = await bandama('connector', 'balance', '--name', 'main')
  assert.deepEqual([balance.name, balance.amount, balance.currency], ['main', 5_000_000, 'XOF'])

  for (const direction of ['collect', 'payout']) {
    assert.deepEqual(await route(direction, 'main', '--max', '900000'), {
      ...{ mode: 'live', operator: 'mtn_ci', direction, connectors: ['main'], min: null, max: 900_000 },
    })
  }
  const { routes } = await bandama('route', 'list', '--mode', 'live')
  assert.equal((routes as unknown[]).length, 2)
  type Shown = { code: string; collection: { available: boolean }; operator_limits: { payout: object | null } | null }
  const mtn = await waitFor(async () => {
    const { data } = (await installation.ask({ path: '/x/operators', key: collects })).json() as { data: Shown[] }
    const found = data.find(({ code }) => code === 'mtn_ci')!
    return found.operator_limits?.payout != null && found
  }, PATIENCE)
  assert.equal(mtn.collection.available, true)
  const bounds = { min: 1, max: 900_000, step: 1 }
  assert.deepEqual(mtn.operator_limits, { collection: bounds, payout: bounds })
  const { url, warning } = await session()
  assert.equal(warning, undefined)
  const page = await installation.ask({ path: new URL(url).pathname, headers: { Accept: 'application/json' } })
  assert.deepEqual((page.json() as { operators: string[] }).operators, ['mtn_ci'])
})

test('a payment approved on the telephone is credited to the merchant', async () => {
  const before = (await sender.balances()).available
  const payer = newPhone()
  const { id } = checkPayment(await pay(payer), 201)
  await twin.phone(payer).approve()
  await untilPayment(id, 'succeeded')
  assert.equal((await sender.balances()).available, before + 10_000)
  const events = (await installation.ask({ path: `/x/events?subject_id=${id}`, key: collects })).json()
  const types = (events as { data: { type: string; livemode: boolean }[] }).data
  assert.deepEqual(types.map(({ type, livemode }) => [type, livemode]).sort(), [
    ['payment.pending', true],
    ['payment.succeeded', true],
  ])
  assert.equal(twin.journal().filter(({ msisdn }) => msisdn?.endsWith(payer.slice(1))).length, 1)
})

test('a payer who declines is asked once, and the merchant is credited nothing', async () => {
  const before = (await sender.balances()).available
  const payer = newPhone()
  const { id } = checkPayment(await pay(payer), 201)
  await twin.phone(payer).decline()
  await untilPayment(id, 'failed')
  assert.equal((await sender.balances()).available, before)
})

test('a payout arrives on the telephone, and a refund comes back to its payer', async () => {
  const payee = newPhone()
  const beneficiary = { msisdn: payee, operator: 'mtn_ci', name: 'Awa Koné' }
  const sent = await sender.send({ amount: 25_000, beneficiary })
  const { id } = sent.json() as { id: string }
  await sender.untilPayout(id, 'succeeded')

  const payer = newPhone()
  const paid = checkPayment(await pay(payer, 4_000), 201)
  await twin.phone(payer).approve()
  await untilPayment(paid.id, 'succeeded')
  const held = twin.phone(payer).balance('mtn_ci')
  await bandama('refund', 'create', '--payment', paid.id, ...AWA)
  await untilPayment(paid.id, 'refunded')
  assert.equal(twin.phone(payer).balance('mtn_ci'), held + 4_000)
})

test('a second refund of one payment waits, unsent, until the one under way has ended, whichever was asked for first', async () => {
  const { sql } = installation.db
  const payer = newPhone()
  const paid = checkPayment(await pay(payer, 4_000), 201)
  await twin.phone(payer).approve()
  await untilPayment(paid.id, 'succeeded')
  twin.script({ outcome: 'succeed', after_seconds: 15, direction: 'refund', times: 1 })
  const refund = async (amount: number) => {
    const { refund_id } = await bandama('refund', 'create', '--payment', paid.id, '--amount', String(amount), ...AWA)
    return String(refund_id)
  }
  const shown = async (id: string) => (await bandama('refund', 'show', '--id', id)) as Record<string, unknown>
  const untilRefund = (id: string, status: string) =>
    waitFor(async () => (await shown(id)).status === status, { ...PATIENCE, what: `${id} to be ${status}` })

  const first = await refund(1_000)
  await untilRefund(first, 'processing')
  const second = await refund(500)
  await sql.begin(async (tx) => {
    await withoutTriggers(tx)
    await tx`update refunds set created_at = clock_now() - interval '1 hour' where id = ${second}`
  })
  await waitFor(
    async () => {
      const [row] = await sql<{ waits: boolean }[]>`
        select next_check_at < created_at + interval '40 seconds' as waits from instructions where subject_id = ${second}`
      return row!.waits
    },
    { ...PATIENCE, what: 'the second refund to be looked at' },
  )
  const sends = () => sql`select subject_id from sends where subject_id in (${first}, ${second}) order by sent_at`
  assert.equal((await shown(second)).status, 'requested')
  assert.equal((await shown(second)).waits_for, first)
  assert.equal((await shown(first)).waits_for, null)
  assert.deepEqual(await sends(), [{ subject_id: first }])

  await untilRefund(first, 'succeeded')
  await sql`update instructions set next_check_at = clock_now() where subject_id = ${second}`
  await untilRefund(second, 'succeeded')
  assert.equal((await shown(second)).waits_for, null)
  assert.deepEqual(await sends(), [{ subject_id: first }, { subject_id: second }])
  assert.equal((await untilPayment(paid.id, 'partially_refunded')).amount_refunded, 1_500)
})

test('settings changed are in force without a restart', async () => {
  twin.change('pawapay', { api_token: 'another-twin-token' })
  const failing = bandama('connector', 'check', '--name', 'main')
  await assert.rejects(failing, ({ code, stderr }: { code: number; stderr: string }) => {
    assert.equal(code, 1)
    assert.match(stderr, /api_token/)
    return true
  })
  assert.equal((await connect('main', { api_token: 'another-twin-token' })).generation, 2)
  assert.deepEqual(await bandama('connector', 'check', '--name', 'main'), { name: 'main', works: true })
  const payer = newPhone()
  const paid = await waitFor(async () => {
    // Until the change is in force the operator refuses the old token.
    const { id } = checkPayment(await pay(payer, 700), 201)
    const status = await waitFor(async () => {
      const read = checkPayment(await installation.read(collects, id), 200)
      return ['failed', 'pending'].includes(read.status) && read.status
    }, PATIENCE)
    return status === 'pending' && id
  }, PATIENCE)
  await twin.phone(payer).approve()
  await untilPayment(paid, 'succeeded')
})

test('a forged callback is refused and moves nothing', async () => {
  const payer = newPhone()
  const { id } = checkPayment(await pay(payer), 201)
  const { reference } = await twin.phone(payer).asked()
  const body = { depositId: reference, status: 'COMPLETED', amount: '10000', currency: 'XOF', country: 'CIV' }
  for (const path of ['/operators/main/callbacks', '/operators/main/callbacks/aguess', '/operators/other/callbacks']) {
    const answer = await installation.ask({ method: 'POST', path, body })
    const isCalled = path === '/operators/main/callbacks'
    assert.deepEqual(
      [answer.status, codeOf(answer)],
      isCalled ? [401, 'authentication_required'] : [404, 'resource_not_found'],
    )
  }
  assert.equal((await untilPayment(id, 'pending')).status, 'pending')
  await twin.phone(payer).decline()
  await untilPayment(id, 'failed')
})

test('an account cannot get a second name: its callbacks and its balance belong to one connector', async () => {
  const again = connect('again', { api_token: 'another-twin-token', customer_message: 'Merci' })
  await assert.rejects(again, ({ code, stderr }: { code: number; stderr: string }) => {
    assert.equal(code, 1)
    assert.match(stderr, /The connector main reaches this account already.*\./)
    assert.ok(!stderr.includes('another-twin-token'))
    return true
  })
  await refused(bandama('connector', 'show', '--name', 'again'), /There is no connector again/)
})

test('a connector in a route or with an open order cannot be removed; a removed one still makes refunds and takes no new orders', async () => {
  await refused(bandama('connector', 'remove', '--name', 'main'), /A route uses main: collect mtn_ci in live mode/)
  const earlier = newPhone()
  const collected = checkPayment(await pay(earlier, 3_000), 201)
  await twin.phone(earlier).approve()
  await untilPayment(collected.id, 'succeeded')
  const asked = newPhone()
  const open = checkPayment(await pay(asked), 201)
  await twin.phone(asked).asked()
  another.change('pawapay', { callback_url: `${origin}/operators/second/callbacks` })
  await connect('second', another.connectors().pawapay!.settings)
  const { merchant_id } = sender.merchant
  await route('collect', 'second', '--merchant', String(merchant_id))
  await route('collect', 'none')
  await route('payout', 'none')
  await refused(bandama('connector', 'remove', '--name', 'main'), /An order that main carries has not ended/)
  await twin.phone(asked).decline()
  await untilPayment(open.id, 'failed')
  await bandama('connector', 'remove', '--name', 'main', ...AWA)
  await refused(route('collect', 'main'), /was removed/)
  const held = twin.phone(earlier).balance('mtn_ci')
  await bandama('refund', 'create', '--payment', collected.id, ...AWA)
  await untilPayment(collected.id, 'refunded')
  assert.equal(twin.phone(earlier).balance('mtn_ci'), held + 3_000)
  const payer = newPhone()
  const { id } = checkPayment(await pay(payer), 201)
  await another.phone(payer).approve()
  await untilPayment(id, 'succeeded')
  await refused(bandama('connector', 'show', '--name', 'nobody'), /There is no connector nobody/)
})

test('wrong settings are refused in one sentence, which shows no secret', async () => {
  const words = ['connector', 'set', '--name', 'third', '--type', 'pawapay', '--mode', 'live', '--settings']
  const cases: [more: Record<string, unknown>, said: RegExp][] = [
    [{ api_token: 5 }, /^api_token must be a string/],
    [{ api_key: 'secret-of-somebody' }, /have no key "api_key"/],
    [{ base_url: 'http://api.pawapay.io' }, /^base_url must begin with https/],
    [{ signing_key_id: 'k', signing_private_key: 'secret-of-somebody' }, /^signing_private_key must be the PEM/],
    [{ base_url: 'https://api.sandbox.pawapay.io' }, /^base_url is that of pawaPay's sandbox/],
  ]
  for (const [more, said] of cases) {
    const file = await settings(more, 'wrong.json')
    await assert.rejects(bandama(...words, file), ({ code, stderr }: { code: number; stderr: string }) => {
      assert.equal(code, 1)
      assert.match(stderr, said)
      assert.ok(!stderr.includes('secret-of-somebody'))
      return true
    })
  }
})

test('live check names each missing requirement in a sentence', async () => {
  const nobody = await settings({ base_url: 'http://127.0.0.1:9/pawapay', api_token: 'token-of-the-third' })
  await bandama('connector', 'set', '--name', 'third', '--type', 'pawapay', '--mode', 'live', '--settings', nobody)
  const failing = bandama('live', 'check')
  await assert.rejects(failing, ({ code, stdout }: { code: number; stdout: string }) => {
    assert.equal(code, 1)
    const { ready, checks } = JSON.parse(stdout) as {
      ready: boolean
      checks: { subject: string; status: string; message: string }[]
    }
    assert.equal(ready, false)
    const lacking = checks.filter(({ status }) => status === 'missing')
    const of = (subject: string) => checks.filter((check) => check.subject === subject)
    assert.ok(
      of('connector second').some(({ status, message }) => status === 'missing' && /this machine/.test(message)),
    )
    assert.match(of('PUBLIC_URL')[0]!.message, /https/)
    assert.equal(of('clock')[0]!.status, 'ok')
    assert.match(of('fees')[0]!.message, /fees set/)
    assert.match(of('callbacks of third')[0]!.message, /Not proven until/)
    assert.ok(lacking.every(({ message }) => message.endsWith('.')))
    return true
  })
})
