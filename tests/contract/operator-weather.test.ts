import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { dropOldWeather } from '../../src/operators/weather/drop-old-weather.ts'
import {
  noReport,
  type RecentWeather,
  type ToldWeather,
  tellWeather,
} from '../../src/operators/weather/follow-weather.ts'
import { type RunningTwin, startTwin } from '../../src/twin/start-twin.ts'
import { freePort } from '../harness/free-port.ts'
import { type Installation, newPayer, openInstallation } from '../harness/installation.ts'
import type { Merchant } from '../harness/merchant.ts'
import { waitFor } from '../harness/wait-for.ts'
import { checkPayment } from './answers.ts'
import { PATIENCE } from './sender.ts'

// An operator at which half of the payments fail, as merchants and people see it: live mode on a contract with the twin, test mode beside it.

const AWA = ['--as', 'awa@example.com']
/** The twin decides by the amount. */
const GOOD = 1_000
const BAD = 2_000
const POOR = 3_000
const WAITS = 4_000

let twin: RunningTwin
let installation: Installation
let merchant: Merchant
let live: string
let folder: string
let figures_port: number
before(async () => {
  twin = await startTwin()
  twin.script({ outcome: 'succeed', amount: GOOD })
  twin.script({ outcome: 'fail', reason: 'operator_refused', amount: BAD })
  twin.script({ outcome: 'fail', reason: 'payer_limit_reached', amount: POOR })
  // Longer than the tests take: a request on a telephone would lapse meanwhile, which is the payer's failure.
  twin.script({ outcome: 'succeed', after_seconds: 86_400, amount: WAITS })
  folder = await mkdtemp(join(tmpdir(), 'weather-'))
  figures_port = await freePort()
  installation = await openInstallation({ env: { METRICS_PORT: String(figures_port) } })
  merchant = await installation.newMerchant()
  live = (await merchant.newKey('live', 'collect')).key
  const path = join(folder, 'settings.json')
  await writeFile(path, JSON.stringify(twin.connectors().pawapay!.settings))
  const words = ['--name', 'main', '--type', 'pawapay', '--mode', 'live', '--settings', path]
  await installation.bandama('connector', 'set', ...words, ...AWA)
  const route = ['--mode', 'live', '--operator', 'mtn_ci', '--direction', 'collect', '--connectors', 'main']
  await installation.bandama('route', 'set', ...route, ...AWA)
  await waitFor(async () => (await sideOf(live)).available, { ...PATIENCE, what: 'the route' })
})
after(async () => {
  await installation[Symbol.asyncDispose]()
  await twin.close()
  await rm(folder, { recursive: true })
})

type Side = { available: boolean; weather: ToldWeather }

type Told = RecentWeather & {
  livemode: boolean
  operator: string
  direction: string
  hours: { operations: number; success_rate: number | null }[]
}

/** MTN as a merchant reads of it. */
async function sideOf(key: string, direction: 'collection' | 'payout' = 'collection'): Promise<Side> {
  const answer = await installation.ask({ path: '/x/operators', key })
  const { data } = answer.json() as { data: (Record<'collection' | 'payout', Side> & { code: string })[] }
  return data.find(({ code }) => code === 'mtn_ci')![direction]
}

/** The weather of MTN's collections as people see it; null: there were none. */
async function seen(): Promise<Told | null> {
  const { weather } = (await installation.bandama('operator', 'weather')) as { weather: Told[] }
  return weather[0] ?? null
}

/** Waits until MTN's last 15 minutes count so many operations and merchants can read them. */
async function untilTold(operations: number): Promise<Side['weather']> {
  return waitFor(
    async () => {
      const all = await seen()
      if ((all?.last_15_minutes.operations ?? 0) !== operations) return false
      const { weather } = await sideOf(live)
      const expected = all === null ? noReport.at({ livemode: true, operator: 'mtn_ci', direction: 'collect' }) : all
      return isDeepStrictEqual(weather.last_15_minutes, tellWeather(expected).last_15_minutes) && weather
    },
    { ...PATIENCE, what: `weather of ${operations} operations` },
  )
}

async function pay(amount: number, ends: string | null): Promise<void> {
  const msisdn = newPayer().replace(/^07/, '05').replace(/0000$/, '7777')
  const { id } = checkPayment(
    await installation.pay(live, { amount, operator: 'mtn_ci', counterparty: { msisdn } }),
    201,
  )
  if (ends === null) return
  await waitFor(async () => checkPayment(await installation.read(live, id), 200).status === ends, {
    ...PATIENCE,
    what: `${id} to be ${ends}`,
  })
}

const many = (times: number, amount: number, ends: string | null) =>
  Promise.all(Array.from({ length: times }, () => pay(amount, ends)))

test('the weather comes from our own operations: those that succeeded, and those that failed at the operator', async () => {
  await many(9, GOOD, 'succeeded')
  await many(8, BAD, 'failed')
  await many(12, POOR, 'failed')
  await many(3, WAITS, null)
  const few = await untilTold(17)
  const nothing = { success_rate: null, in_doubt_rate: null, median_seconds: null, p95_seconds: null }
  assert.deepEqual(few.last_15_minutes, nothing, 'too few operations to tell')

  await many(11, GOOD, 'succeeded')
  await many(12, BAD, 'failed')
  const told = (await untilTold(40)).last_15_minutes
  assert.deepEqual([told.success_rate, told.in_doubt_rate], [0.5, 0])
  assert.ok(told.median_seconds! > 0 && told.median_seconds! <= told.p95_seconds!)
  assert.ok(told.p95_seconds! < 120)
  await waitFor(async () => isDeepStrictEqual((await sideOf(live)).weather.last_24_hours, told), {
    ...PATIENCE,
    what: 'the last day',
  })
})

test('the page warns of a failing operator before a payer tries it, and never in test mode', async () => {
  const page = async (key: string, accept: string) => {
    const asked = { method: 'POST', path: '/v1-checkout', key, body: { amount: 500 } } as const
    const { url } = (await installation.ask(asked)).json() as { url: string }
    return installation.ask({ path: new URL(url).pathname, headers: { Accept: accept, 'Accept-Language': 'en' } })
  }
  const failing = async (key: string) =>
    ((await page(key, 'application/json')).json() as { failing_operators: string[] }).failing_operators
  assert.deepEqual(await failing(live), ['mtn_ci'])
  assert.match((await page(live, 'text/html')).text, /Many payments with MTN MoMo are not going through at the moment/)
  assert.deepEqual(await failing(merchant.key), [])
})

test('the command and Prometheus show the same weather', async () => {
  const { weather } = (await installation.bandama('operator', 'weather')) as { weather: Told[] }
  const [told, ...others] = weather
  assert.deepEqual([told!.operator, told!.direction, told!.livemode, others.length], ['mtn_ci', 'collect', true, 0])
  assert.deepEqual(tellWeather(told!), (await sideOf(live)).weather)
  assert.deepEqual(
    told!.hours.map(({ operations, success_rate }) => [operations, success_rate]),
    [...Array.from({ length: 23 }, () => [0, null]), [40, 0.5]],
  )
  assert.deepEqual((await installation.bandama('operator', 'weather', '--mode', 'test')).weather, [])
  const labels = 'mode="live",operator="mtn_ci",direction="collect",window="15m"'
  const lines = [`bandama_operator_operations{${labels}} 40`, `bandama_operator_success_ratio{${labels}} 0.5`]
  await waitFor(
    async () => {
      const figures = await (await fetch(`http://127.0.0.1:${figures_port}/metrics`)).text()
      return lines.every((line) => figures.includes(`${line}\n`)) && figures
    },
    { ...PATIENCE, what: 'the figures' },
  )
})

test('payouts and test mode have weather of their own', async () => {
  const calm = tellWeather(noReport.at({ livemode: true, operator: 'mtn_ci', direction: 'payout' }))
  assert.deepEqual((await sideOf(live, 'payout')).weather, calm)
  assert.deepEqual((await sideOf(merchant.key)).weather, calm)
})

test('after a kill of a process no operation is missing or counted twice', async () => {
  await many(2, BAD, 'failed')
  await installation.services[0]!.kill('SIGKILL')
  installation.services[0] = await installation.start()
  await installation.start({ args: ['--only', 'worker'], env: { METRICS_PORT: '0' } })
  await many(1, GOOD, 'succeeded')
  assert.equal((await untilTold(43)).last_15_minutes.success_rate, 0.49)
})

test('weather is past after twenty minutes, gone after a day, and its rows are deleted after two weeks', async () => {
  const { db } = installation
  await db.moveClock('21 minutes')
  await untilTold(0)
  const { in_doubt_rate } = await waitFor(async () => {
    const day = (await seen())?.last_24_hours
    return day?.operations === 46 && day
  }, PATIENCE)
  assert.equal(in_doubt_rate, 0.065, 'the three that nobody concluded are in doubt by now')
  await db.moveClock('25 hours')
  await waitFor(async () => (await seen()) === null, PATIENCE)
  const rows = async () => (await db.sql`select starts_at from operator_weather where livemode`).length
  assert.ok((await rows()) > 0)
  await db.moveClock('13 days')
  assert.equal(await dropOldWeather(db.sql), 0)
  await db.moveClock('15 days')
  await dropOldWeather(db.sql)
  assert.equal(await rows(), 0)
})
