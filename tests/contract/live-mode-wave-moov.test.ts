import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { createSurroundings } from '../../src/app/contracts.ts'
import { createImportDeps } from '../../src/app/statement-reading.ts'
import { createClock, machineMilliseconds } from '../../src/platform/clock.ts'
import { createLog } from '../../src/platform/log.ts'
import { pullStatements } from '../../src/statement-files/pulls/pull-statements.ts'
import { type RunningTwin, startTwin } from '../../src/twin/start-twin.ts'
import { Secret } from '../../src/values/secret.ts'
import { freePort } from '../harness/free-port.ts'
import { type Installation, newPayer, openInstallation } from '../harness/installation.ts'
import { connectTwin } from '../harness/live-twin.ts'
import { waitFor } from '../harness/wait-for.ts'
import { checkPayment } from './answers.ts'
import type { Payment } from './payment-fields.ts'
import { newSender, PATIENCE, type Sender } from './sender.ts'

// Live mode over contracts with Wave, whose payers follow a link, and with Moov, which never calls back.

const operators = [
  { api: 'wave', operator: 'wave_ci', prefix: '01' },
  { api: 'moov', operator: 'moov_ci', prefix: '01' },
] as const

let twin: RunningTwin
let installation: Installation
let sender: Sender
let collects: string

before(async () => {
  twin = await startTwin()
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  installation = await openInstallation({ env: { PORT: String(port), PUBLIC_URL: origin }, processes: [] })
  const { secret_key } = installation
  await connectTwin(installation.db.sql, twin, { secret_key, origin, operators })
  installation.services.push(await installation.start())
  sender = await newSender(installation, { mode: 'live' })
  collects = (await sender.merchant.newKey('live', 'collect')).key
})
after(async () => {
  await installation[Symbol.asyncDispose]()
  await twin.close()
})

/** Unused telephones, outside the operators' tables of numbers that behave by themselves. */
const newPhone = () => newPayer().replace(/^07/, '01').replace(/0000$/, '7777')

async function ask(operator: string): Promise<{ id: string; msisdn: string }> {
  const msisdn = newPhone()
  const asked = { amount: 4_000, operator, counterparty: { msisdn } }
  return { id: checkPayment(await installation.pay(collects, asked), 201).id, msisdn }
}

const until = (id: string, isRight: (payment: Payment) => boolean, what: string): Promise<Payment> =>
  waitFor(
    async () => {
      const payment = checkPayment(await installation.read(collects, id), 200)
      return isRight(payment) && payment
    },
    { ...PATIENCE, what: `${id} to be ${what}` },
  )
const untilStatus = (id: string, status: string) => until(id, (payment) => payment.status === status, status)

for (const { operator } of operators) {
  test(`${operator}: a payment approved on the telephone is credited to the merchant once`, async () => {
    const before = (await sender.balances()).available
    const { id, msisdn } = await ask(operator)
    const asked = await until(id, ({ next_action }) => next_action !== undefined, 'asked')
    assert.equal(asked.next_action!.type, operator === 'wave_ci' ? 'redirect' : 'approve_on_phone')
    await twin.phone(msisdn).approve()
    await untilStatus(id, 'succeeded')
    assert.equal((await sender.balances()).available, before + 4_000)
    assert.equal(twin.journal().filter((one) => one.msisdn?.endsWith(msisdn.slice(1))).length, 1)
  })

  test(`${operator}: a payout arrives, and one that is refused brings the money back`, async () => {
    const before = (await sender.balances()).transfer
    const send = async (msisdn: string) => {
      const sent = await sender.send({ amount: 1_000, beneficiary: { msisdn, operator, name: 'Awa Koné' } })
      return (sent.json() as { id: string }).id
    }
    await sender.untilPayout(await send(newPhone()), 'succeeded')
    const refused = newPhone()
    twin.script({ outcome: 'refuse', reason: 'recipient_limit_reached', direction: 'payout', msisdn: refused })
    const failed = await sender.untilPayout(await send(refused), 'failed')
    assert.equal(failed.failure_code, 'recipient_limit_reached')
    assert.deepEqual(
      [(await sender.balances()).transfer, (await sender.balances()).payouts_in_flight],
      [before - 1_000, 0],
    )
  })
}

test('Moov reports a declined and a lapsed request alike: nothing is paid, and Moov sends no callback', async () => {
  const before = (await sender.balances()).available
  const { id, msisdn } = await ask('moov_ci')
  await twin.phone(msisdn).decline()
  await untilStatus(id, 'expired')
  assert.equal((await sender.balances()).available, before)
  assert.ok(twin.callbacks().every(({ api }) => api !== 'moov'))
})

test('Wave refunds a payment itself; for Moov, which cannot, people do it', async () => {
  for (const [operator, status] of [
    ['wave_ci', 'requested'],
    ['moov_ci', 'manual'],
  ] as const) {
    const { id, msisdn } = await ask(operator)
    await twin.phone(msisdn).approve()
    await untilStatus(id, 'succeeded')
    const refund = await installation.bandama('refund', 'create', '--payment', id, '--as', 'awa@example.com')
    assert.equal(refund.status, status)
    if (status === 'requested') await untilStatus(id, 'refunded')
  }
})

test('Wave’s list of a day by its API and its export are one file of lines, each matched with its order', async () => {
  const today = new Date(machineMilliseconds()).toISOString().slice(0, 10)
  const pulled = () =>
    installation.bandama('reconcile', 'import', '--connector', 'wave', '--day', today, '--as', 'awa@example.com')
  const file = await pulled()
  assert.ok(Number(file.matched) >= 4, JSON.stringify(file))
  assert.deepEqual([file.source, file.profile, file.waiting, file.missing_here], ['api', 'wave_api', 0, 0])
  assert.equal((file.chain as { status: string }).status, 'whole')
  assert.equal((await pulled()).repeated, true)
  const folder = await mkdtemp(join(tmpdir(), 'wave-export-'))
  try {
    const exported = async (plant: string) => {
      const path = join(folder, `${plant}.csv`)
      await writeFile(path, twin.statement('wave', today, plant))
      return installation.bandama('reconcile', 'import', '--account', 'wave', '--file', path, '--as', 'awa@example.com')
    }
    const whole = await exported('')
    assert.deepEqual([whole.profile, whole.lines, whole.known], ['wave_csv_fr', file.lines, file.lines])
    const planted = await exported('missing_here,duplicate')
    assert.deepEqual([planted.known, planted.missing_here, planted.duplicate], [file.lines, 1, 1])
    assert.deepEqual((planted.chain as { status: string }).status, 'whole')
    assert.equal((await exported('amount_differs')).line_changed, 1)
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('the service asks Wave for the list of a day by itself, once, again after a failure, and tells when it gives up', async () => {
  const { sql } = installation.db
  const today = new Date(machineMilliseconds()).toISOString().slice(0, 10)
  const words = ['reconcile', 'import', '--connector', 'wave', '--day', today, '--as', 'awa@example.com']
  const { file_id } = await installation.bandama(...words)
  const pull = async (nth: number) => {
    const [row] = await sql<{ attempts: number; outcome: string | null; file_id: string | null; waits: boolean }[]>`
      select attempts, outcome, file_id, next_try_at > clock_now() as waits from statement_pulls where nth = ${nth} and day = ${today}::date`
    return row!
  }
  const plan = (nth: number) => sql`
    insert into statement_pulls (livemode, account, day, nth) values (true, 'wave', ${today}::date, ${nth})`
  const secretKey = new Secret(installation.secret_key)
  const clock = createClock()
  let given_up = 0
  const deps = {
    imports: createImportDeps({ sql, secretKey, clock }),
    surroundings: createSurroundings({
      ...{ secretKey, origin: { get: () => 'http://127.0.0.1' } },
      config: { proxy: null, operator_http_allow: [] },
    }),
    log: createLog('silent', 'test'),
    tellGivenUp: () => {
      given_up += 1
    },
  }
  const round = () => Promise.all([pullStatements(deps), pullStatements(deps)])
  await plan(1)
  await round()
  await waitFor(async () => (await pull(1)).outcome !== null, PATIENCE)
  const { waits, ...read } = await pull(1)
  assert.deepEqual([waits, read], [true, { attempts: 1, outcome: 'read', file_id }])

  const { api_key } = twin.connectors().wave!.settings as { api_key: string }
  twin.change('wave', { api_key: 'another-key' })
  try {
    await plan(2)
    await round()
    await waitFor(async () => (await pull(2)).attempts === 1, PATIENCE)
    await round()
    assert.deepEqual(await pull(2), { attempts: 1, outcome: null, file_id: null, waits: true })
    const later = sql`
      update statement_pulls set next_try_at = clock_now(), planned_at = planned_at - interval '25 hours' where nth = 2`
    await later
    await round()
    await waitFor(async () => (await pull(2)).outcome === 'given_up', PATIENCE)
    // The service itself may have taken it.
    assert.ok(given_up <= 1)
  } finally {
    twin.change('wave', { api_key })
  }
})

test('settings that Moov no longer accepts show by themselves, although Moov tells no balance', async () => {
  const { sql } = installation.db
  const warned = async () => {
    await sql`update connectors set balance_asked_at = null`
    const { connectors } = await installation.bandama('connector', 'list')
    const { warnings } = (connectors as { name: string; warnings: string[] }[]).find(({ name }) => name === 'moov')!
    return warnings.includes('check_fails')
  }
  assert.equal(await warned(), false)
  const { password } = twin.connectors().moov!.settings as { password: string }
  twin.change('moov', { password: 'another-password' })
  await waitFor(warned, { deadline_ms: 40_000, what: 'the check to fail' })
  twin.change('moov', { password })
  await waitFor(async () => !(await warned()), { deadline_ms: 40_000, what: 'the check to succeed' })
})

test('a payer who paid the session whose answer was cut is credited, although Wave hid it until we made another one', async () => {
  const before = (await sender.balances()).available
  twin.change('wave', { search_lag_seconds: 14 })
  twin.fault({ fault: 'lose_answer', api: 'wave', on: 'send', times: 1 })
  const { id, msisdn } = await ask('wave_ci')
  // Paid at once: the callback comes while the search hides the session.
  await twin.phone(msisdn).approve({ within_seconds: 30 })
  await untilStatus(id, 'succeeded')
  assert.equal((await sender.balances()).available, before + 4_000)
  twin.change('wave', { search_lag_seconds: 0 })
})

test('after the webhook secret was replaced, Wave’s test event is taken with the new and the old secret, and opens no case', async () => {
  const { settings } = twin.connectors().wave!
  const connected = await installation.bandama('connector', 'show', '--name', 'wave')
  const address = String(connected.callback_url)
  const folder = await mkdtemp(join(tmpdir(), 'wave-secret-'))
  const file = join(folder, 'settings.json')
  const replaced = 'wave_ci_WHS_another-secret-of-webhooks'
  await writeFile(file, JSON.stringify({ ...settings, webhook_secret: replaced }))
  const cases = async () => (await installation.db.sql`select from anomalies where kind = 'unknown_reference'`).length
  const [cases_before, body] = [
    await cases(),
    '{"id":"AE_1","type":"test.test_event","data":{"test_key":"test_value"}}',
  ]
  const send = async (secret: string) => {
    const t = Math.floor(machineMilliseconds() / 1_000)
    const mac = createHmac('sha256', secret).update(`${t}${body}`).digest('hex')
    const headers = { 'Wave-Signature': `t=${t},v1=${mac}`, 'Content-Type': 'application/json' }
    return (await fetch(address, { method: 'POST', headers, body })).status
  }
  try {
    assert.equal(await send(String(settings.webhook_secret)), 200)
    await installation.bandama(
      'connector',
      'set',
      '--name',
      'wave',
      '--type',
      'wave',
      '--mode',
      'live',
      '--settings',
      file,
      '--as',
      'awa@example.com',
    )
    await waitFor(async () => (await send(replaced)) === 200, { what: 'the new secret to be in force' })
    assert.equal(await send(String(settings.webhook_secret)), 200, 'the old secret, for a day')
    assert.equal(await send('wave_ci_WHS_nobody-s-secret'), 401)
    assert.equal(await cases(), cases_before)
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('three answers in a row that nobody can read are told, and the next readable one ends it', async () => {
  const told = (words: string) =>
    waitFor(async () => installation.services.some((service) => service.output().includes(words)), {
      deadline_ms: 40_000,
      what: words,
    })
  twin.fault({ fault: 'say_html', api: 'moov', on: 'send', times: 3 })
  for (let nth = 0; nth < 3; nth += 1) await ask('moov_ci')
  await told('"form":"no JSON","msg":"operators: nobody can read the answers of a connector"')
  const { id, msisdn } = await ask('moov_ci')
  await twin.phone(msisdn).approve()
  await untilStatus(id, 'succeeded')
  await told('operators: the answers of a connector can be read again')
})
