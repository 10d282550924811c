import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { audit } from '../../src/app/audit.ts'
import { createRecorder } from '../../src/app/work.ts'
import { claimDue } from '../../src/operators/float/float-store.ts'
import type { Connector } from '../../src/operators/port.ts'
import { createNumberKnowledge } from '../../src/operators/prediction/number-knowledge.ts'
import { createRegistry } from '../../src/operators/routing/registry.ts'
import { createClock } from '../../src/platform/clock.ts'
import { createLog } from '../../src/platform/log.ts'
import { createMetrics } from '../../src/platform/metrics.ts'
import { type RunningTwin, startTwin } from '../../src/twin/start-twin.ts'
import { Secret } from '../../src/values/secret.ts'
import { actor } from '../harness/actor.ts'
import { acceptBalance } from '../harness/connectors.ts'
import { freePort } from '../harness/free-port.ts'
import { type Installation, newPayer, openInstallation } from '../harness/installation.ts'
import { directContracts } from '../harness/sample-connector.ts'
import { waitFor } from '../harness/wait-for.ts'
import { checkPayment } from './answers.ts'
import { refused } from './commands.ts'
import { newSender, PATIENCE, type Sender } from './sender.ts'

// An operator that charges for orders: it states its charge for a payout, and the tariff gives that for a payment.

const AWA = ['--as', 'awa@example.com']

type Shown = { code: string; payout: { available: boolean } }

let twin: RunningTwin
let installation: Installation
let folder: string
let sender: Sender
let figures_port: number
let collects: string

before(async () => {
  twin = await startTwin()
  twin.setWallet('wave/CI', 10_000_000)
  folder = await mkdtemp(join(tmpdir(), 'connectors-'))
  const port = await freePort()
  figures_port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  installation = await openInstallation({
    env: { PORT: String(port), PUBLIC_URL: origin, METRICS_PORT: String(figures_port) },
  })
  sender = await newSender(installation, { mode: 'live' })
  collects = (await sender.merchant.newKey('live', 'collect')).key
  twin.change('wave', { callback_url: (await connect()).callback_url })
  for (const direction of ['collect', 'payout']) {
    const route = ['--mode', 'live', '--operator', 'wave_ci', '--direction', direction, '--connectors', 'wave']
    await installation.bandama('route', 'set', ...route, ...AWA)
  }
  await waitFor(async () => {
    const { data } = (await installation.ask({ path: '/x/operators', key: collects })).json() as { data: Shown[] }
    return data.some(({ code, payout }) => code === 'wave_ci' && payout.available)
  }, PATIENCE)
})
after(async () => {
  await installation[Symbol.asyncDispose]()
  await twin.close()
  await rm(folder, { recursive: true })
})

async function connect(terms: Record<string, unknown> = {}) {
  const file = join(folder, 'settings.json')
  const charges = { 'charges.collect.per_ten_thousand': 100, 'charges.payout.fixed': 999 }
  await writeFile(file, JSON.stringify({ ...twin.connectors().wave!.settings, ...charges, ...terms }))
  const words = ['--name', 'wave', '--type', 'wave', '--mode', 'live', '--settings', file]
  return installation.bandama('connector', 'set', ...words, ...AWA)
}

/** An unused phone of Wave, outside the twin's table of numbers that behave by themselves. */
const newPhone = () => newPayer().replace(/^07/, '01').replace(/0000$/, '7777')

async function collect(amount: number): Promise<string> {
  const payer = newPhone()
  const body = { amount, operator: 'wave_ci', counterparty: { msisdn: payer } }
  const { id } = checkPayment(await installation.pay(collects, body), 201)
  await twin.phone(payer).approve()
  await untilPayment(id, 'succeeded')
  return id
}

async function untilPayment(id: string, status: string): Promise<void> {
  const what = `${id} to be ${status}`
  await waitFor(async () => checkPayment(await installation.read(collects, id), 200).status === status, {
    ...PATIENCE,
    what,
  })
}

async function payOut(amount: number): Promise<string> {
  const beneficiary = { msisdn: newPhone(), operator: 'wave_ci', name: 'Awa Koné' }
  const { id } = (await sender.send({ amount, beneficiary })).json() as { id: string }
  await sender.untilPayout(id, 'succeeded')
  return id
}

/** The entries of charges, in their order. */
async function booked(subject_id: string): Promise<[operation: string, account: string, amount: number][]> {
  const rows = await installation.db.sql<{ operation: string; account: string; amount: number }[]>`
    select operation, account, amount
      from ledger_entries
     where subject_id = ${subject_id} and operation like 'operator\_charge%'
     order by operation, leg`
  return rows.map(({ operation, account, amount }) => [operation, account, amount])
}

const charge = (amount: number) => [
  ['operator_charged', 'operator_charges', -amount],
  ['operator_charged', 'held:wave', amount],
]

async function isClean(): Promise<void> {
  const { ok, checks } = await audit(installation.db.sql)
  assert.ok(ok, JSON.stringify(checks.filter(({ wrong }) => wrong > 0)))
}

test('the charge that an operator states for a payout is booked once, and the merchant does not bear it', async () => {
  const before = await sender.balances()
  const id = await payOut(25_000)
  assert.deepEqual(await booked(id), charge(250))
  assert.deepEqual(await sender.balances(), { ...before, transfer: before.transfer - 25_000 })
  await isClean()
})

test("if an operator states no charge, the tariff gives it, rounded up, and the merchant's balance does not change", async () => {
  const before = (await sender.balances()).available
  const id = await collect(1_010)
  assert.deepEqual(await booked(id), charge(11))
  assert.equal((await sender.balances()).available, before + 1_010)
  await isClean()
})

test('a refund without a tariff has no charge and no row for one', async () => {
  const id = await collect(2_000)
  await installation.bandama('refund', 'create', '--payment', id, ...AWA)
  await untilPayment(id, 'refunded')
  const [refund] = await installation.db.sql<{ id: string }[]>`select id from refunds where payment_id = ${id}`
  assert.deepEqual(await booked(refund!.id), [])
  await isClean()
})

test('a payout that failed has no charge', async () => {
  const msisdn = newPhone()
  twin.script({ outcome: 'fail', reason: 'recipient_account_blocked', msisdn })
  const beneficiary = { msisdn, operator: 'wave_ci', name: 'Awa Koné' }
  const { id } = (await sender.send({ amount: 5_000, beneficiary })).json() as { id: string }
  await sender.untilPayout(id, 'failed')
  assert.deepEqual(await booked(id), [])
})

test('a new tariff is in force at once and replaces no settings, so an order in doubt can still be sent again', async () => {
  const { generation } = await connect({ 'charges.collect.per_ten_thousand': 200 })
  assert.equal(generation, 1)
  const shown = await installation.bandama('connector', 'show', '--name', 'wave')
  assert.equal((shown.settings as Record<string, unknown>)['charges.collect.per_ten_thousand'], 200)
  await waitFor(async () => {
    const entries = await booked(await collect(1_000))
    return entries[1]![2] === 20
  }, PATIENCE)
  await refused(connect({ 'charges.payout.fixed': -1 }), /charges\.payout\.fixed/)
})

test('a charge that the operator states later is corrected once, by an entry for the difference', async () => {
  const { sql } = installation.db
  const id = await collect(3_000)
  const wave = { name: 'wave', promises: {}, inquiryPlan: [], silenceAfter: 0 } as unknown as Connector
  const registry = createRegistry(directContracts([wave]))
  const log = createLog('silent', 'test')
  const record = createRecorder({
    ...{ sql, clock: createClock(), log, config: { late_looks_seconds: [] }, metrics: createMetrics() },
    registry: { ...registry, termsOf: () => ({}) },
    numbers: createNumberKnowledge({ sql, secretKey: new Secret(installation.secret_key), log }),
  })
  const key = { ...sender.tenant, subject_id: id, direction: 'collect' as const, connector: 'wave' }
  const said = (charge: number) =>
    record({
      key,
      source: 'inquiry',
      answer: { kind: 'settled', amount: 3_000, currency: 'XOF', charge, evidence: {} },
    })
  const byTariff = await booked(id)
  const before = await sender.balances()
  await said(45)
  await said(50)
  assert.deepEqual(await booked(id), [
    ['operator_charge_corrected', 'operator_charges', 15],
    ['operator_charge_corrected', 'held:wave', -15],
    ...byTariff,
  ])
  assert.deepEqual(byTariff, charge(60))
  assert.deepEqual(await sender.balances(), before)
  await isClean()
})

test('margin shows fees less charges by operator and day', async () => {
  const fees = ['--service', 'collection', '--bps', '300', '--bearer', 'merchant']
  await installation.bandama('fees', 'set', '--merchant', String(sender.merchant.merchant_id), ...fees, ...AWA)
  await waitFor(async () => {
    const id = await collect(10_000)
    const [fee] = await installation.db.sql<{ amount: number }[]>`
      select amount from ledger_entries where subject_id = ${id} and account = 'fees'`
    return fee?.amount === 300
  }, PATIENCE)
  const day = (
    await installation.db.sql<{ day: string }[]>`
    select to_char(clock_now() at time zone 'UTC', 'YYYY-MM-DD') as day`
  )[0]!.day
  const { lines } = await installation.bandama('margin', '--mode', 'live', '--from', day, '--to', day)
  const [totals] = await installation.db.sql<{ fees: number; charges: number }[]>`
    select sum(amount) filter (where account = 'fees')::bigint as fees,
           -sum(amount) filter (where account = 'operator_charges')::bigint as charges
      from ledger_entries`
  const { fees: earned, charges } = totals!
  assert.deepEqual(lines, [{ day, operator: 'wave_ci', fees: earned, charges, margin: earned - charges }])
})

type Balance = {
  asked_at: string
  amount: number
  expected_from: number | null
  expected_to: number | null
  difference: number | null
  in_flight: number
  held: number
  warnings: string[]
  accepted: { amount: number } | null
}

const balance = async (...more: string[]) =>
  (await installation.bandama('connector', 'balance', '--name', 'wave', ...more)) as Balance

const accept = ({ asked_at }: Balance) => balance('--accept', asked_at, ...AWA)

test('the balance agrees to the franc after payments, payouts and refunds with their charges', async () => {
  await connect()
  const first = await balance()
  assert.equal(first.expected_from, null)
  const { amount } = await accept(first)
  for (const [nth, francs] of [1_000, 2_300, 4_500, 700, 9_900, 12_000, 100].entries()) {
    const paid = await collect(francs)
    await payOut(francs + 55)
    if (nth % 2 > 0) continue
    await installation.bandama('refund', 'create', '--payment', paid, ...AWA)
    await untilPayment(paid, 'refunded')
  }
  const now = await balance()
  assert.notEqual(now.amount, amount)
  assert.deepEqual([now.expected_from, now.expected_to, now.difference], [now.amount, now.amount, 0])
  assert.deepEqual(now.warnings, [])
})

test('an order in flight widens the expected range of the balance, whether the operator has moved the money or not', async () => {
  const before = (await balance()).amount
  const msisdn = newPhone()
  twin.fault({ fault: 'lose_answer', direction: 'payout', msisdn, times: 1 })
  twin.script({ outcome: 'succeed', after_seconds: 3_600, direction: 'payout', msisdn })
  const beneficiary = { msisdn, operator: 'wave_ci', name: 'Awa Koné' }
  const { id } = (await sender.send({ amount: 20_000, beneficiary })).json() as { id: string }
  await waitFor(() => twin.operations().some((one) => one.msisdn?.endsWith(msisdn.slice(1))), PATIENCE)
  const open = await balance()
  assert.deepEqual([open.expected_to, open.difference, open.in_flight >= 20_000], [before, 0, true])
  assert.ok(open.expected_from! <= before - 20_000)
  await twin.advance(3_600)
  await sender.untilPayout(id, 'succeeded')
  const ended = await balance()
  assert.deepEqual([ended.amount, ended.difference], [before - 20_200, 0])
  assert.equal(ended.expected_from, ended.amount)
})

test('the list and the metrics warn of unexplained money until a person accepts the balance', async () => {
  const { amount } = await balance()
  twin.setWallet('wave/CI', amount - 7)
  const short = await balance()
  assert.deepEqual([short.difference, short.warnings], [-7, ['differs']])
  const listed = async () => {
    const { connectors } = await installation.bandama('connector', 'list')
    return (connectors as { warnings: string[]; balance: number }[])[0]!
  }
  assert.deepEqual((await listed()).warnings, ['differs'])
  assert.equal((await listed()).balance, amount - 7)
  const figures = async () => (await fetch(`http://127.0.0.1:${figures_port}/metrics`)).text()
  const warned = /^bandama_connector_float_warning\{connector="wave",warning="differs"\} 1$/m
  await waitFor(async () => warned.test(await figures()), PATIENCE)
  // Another loss after the look at the balance stays visible: accepted is the balance that the person saw.
  twin.setWallet('wave/CI', amount - 7 - 900)
  await balance()
  assert.equal((await accept(short)).amount, amount - 7)
  await refused(accept(short), /it or a newer one was accepted already/)
  const after = await balance()
  assert.deepEqual([after.difference, after.warnings], [-900, ['differs']])
  await accept(after)
  await refused(accept(short), /it or a newer one was accepted already/)
  assert.deepEqual((await listed()).warnings, [])
  assert.deepEqual((await balance()).difference, 0)
})

test('of two people who accept the same balance at the same moment, one accepts it', async () => {
  const { sql } = installation.db
  const key = { connector: 'wave', asked_at: new Date((await balance()).asked_at) }
  const accepting = await sql.begin(async (tx) => {
    await tx`select from connector_balances where connector = ${key.connector} and asked_at = ${key.asked_at} for update`
    const both = ['awa@example.com', 'ama@example.com'].map((person) => acceptBalance(sql, key, actor(person)))
    // The first waits for our transaction, the second for the row.
    const second = () => tx`
      select
        from pg_locks
       where not granted and locktype = 'tuple' and relation = 'connector_balances'::regclass
         and database = (select oid from pg_database where datname = current_database())`
    await waitFor(async () => (await second()).length > 0, PATIENCE)
    return { both }
  })
  const accepted = await Promise.all(accepting.both)
  assert.equal(accepted.filter((row) => row !== null).length, 1)
})

test('the service warns of a balance that payouts would exhaust before they fail', async () => {
  const { amount } = await balance()
  await connect({ float_floor: amount + 1 })
  assert.deepEqual((await balance()).warnings, ['below_floor'])
  await connect({ float_floor: 0, float_hours: 720 })
  twin.setWallet('wave/CI', 30_000)
  assert.deepEqual((await accept(await balance())).warnings, ['runs_out'])
  await installation.bandama('payouts', 'stop', '--all', ...AWA)
  await sender.send({ amount: 40_000, beneficiary: { msisdn: newPhone(), operator: 'wave_ci', name: 'Awa Koné' } })
  const held = await balance()
  assert.equal(held.held, 40_999)
  assert.ok(held.warnings.includes('below_floor'))
})

test('workers ask for a balance by themselves, once per interval, however many workers there are', async () => {
  const { sql } = installation.db
  await sql`delete from connector_balances where accepted_at is null`
  await sql`update connectors set balance_asked_at = null`
  await waitFor(async () => (await sql`select from connector_balances where accepted_at is null`).length > 0, PATIENCE)
  assert.deepEqual(await claimDue(sql, 5), [])
  assert.equal((await sql`select from connector_balances where accepted_at is null`).length, 1)
})
