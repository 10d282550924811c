import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { noReport, type ToldWeather, tellWeather } from '../../src/operators/weather/follow-weather.ts'
import type { StopScope } from '../../src/payouts/stop-facts.ts'
import { actor } from '../harness/actor.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { livemode, otherMode } from '../harness/mode.ts'
import { resumeByTwo, stopPayouts } from '../harness/payout-stops.ts'
import { waitFor } from '../harness/wait-for.ts'
import { checkRefusal } from './answers.ts'
import { isTime } from './book.ts'
import { newSender, PATIENCE, payout, post } from './sender.ts'
import { newSettler } from './settler.ts'
import { askExtensions } from './x-answers.ts'
import { EVENTS, newEvent } from './x-refusal-cases.ts'

let installation: Installation
before(async () => {
  installation = await openInstallation({ own: 'reads the weather, which everybody’s operations make' })
})
after(() => installation[Symbol.asyncDispose]())

const { get, stage } = askExtensions(() => installation)

test('the balances are those of the ledger, at the stated time', async () => {
  const settler = await newSettler(installation, { available: 100_000 })
  await installation.bandama('transfer', ...settler.words, '--amount', '30000')
  assert.equal((await settler.request(20_000)).status, 202)
  const { as_of, ...balances } = await get<{ as_of: string }>(settler.merchant.key, '/x/balances')
  assert.deepEqual(balances, {
    object: 'balances',
    available: 50_000,
    transfer: 30_000,
    payouts_in_flight: 0,
    settlements_in_flight: 20_000,
    currency: 'XOF',
    livemode,
  })
  assert.ok(isTime(as_of))
  const today = as_of.slice(0, 10)
  const statement = await get<{ closing_balance: number }>(
    settler.merchant.key,
    `/v1-statements?from=${today}&to=9999-12-31`,
  )
  assert.equal(statement.closing_balance, 50_000, 'a statement closes on the available balance')
  const { key: live } = await settler.merchant.newKey(otherMode, 'collect')
  const other = await get<{ available: number; livemode: boolean }>(live, '/x/balances')
  assert.deepEqual([other.available, other.livemode], [0, true])
})

type Side = { available: boolean; unavailable_reason: string | null; weather: ToldWeather }
type Operators = {
  data: {
    code: string
    name: string
    livemode: boolean
    collection: Side & { amount_max: number }
    payout: Side & { cap_operation: number; cap_day: number }
    refund: string | null
    operator_limits: null
  }[]
  as_of: string
}

test('operators: in test mode all of them, in live mode what is connected, with the limits in force', async () => {
  const { merchant, key, words } = await newSender(installation)
  const weather = tellWeather(noReport.at({ livemode: false, operator: 'mtn_ci', direction: 'collect' }))
  const { data, as_of } = await get<Operators>(key, '/x/operators')
  assert.ok(isTime(as_of))
  assert.deepEqual(
    data.map(({ code, name }) => [code, name]),
    [
      ['orange_ci', 'Orange Money'],
      ['mtn_ci', 'MTN MoMo'],
      ['moov_ci', 'Moov Money'],
      ['wave_ci', 'Wave'],
    ],
  )
  for (const { livemode, collection, payout, refund, operator_limits } of data) {
    assert.equal(livemode, false)
    assert.deepEqual(collection, { available: true, unavailable_reason: null, amount_max: 2_000_000, weather })
    const caps = { cap_operation: 100_000, cap_day: 500_000 }
    assert.deepEqual(payout, { available: true, unavailable_reason: null, ...caps, weather })
    assert.deepEqual([refund, operator_limits], ['partial', null])
  }
  const { key: live } = await merchant.newKey(otherMode, 'collect')
  for (const { collection, payout, refund, livemode } of (await get<Operators>(live, '/x/operators')).data) {
    assert.deepEqual([collection.unavailable_reason, payout.unavailable_reason], ['not_connected', 'not_connected'])
    assert.deepEqual([collection.available, payout.available, refund, livemode], [false, false, null, true])
  }

  await installation.bandama('caps', 'set', ...words, '--operation', '7000')
  const { merchant_id } = merchant
  await installation.db.sql`update merchants set collection_amount_max = 9000 where merchant_id = ${merchant_id}`
  const own = await waitFor(async () => {
    const [first] = (await get<Operators>(key, '/x/operators')).data
    return first!.collection.amount_max === 9_000 && first
  }, PATIENCE)
  assert.deepEqual([own!.payout.cap_operation, own!.payout.cap_day], [7_000, 500_000])
})

test('operators: payouts that are stopped are not available, and are again when the stop ends', async () => {
  const { merchant, key } = await newSender(installation)
  const stopped = async () =>
    (await get<Operators>(key, '/x/operators')).data
      .filter(({ payout }) => payout.unavailable_reason === 'payouts_stopped')
      .map(({ code }) => code)
  const { sql } = installation.db
  const { merchant_id } = merchant
  const everyone = ['orange_ci', 'mtn_ci', 'moov_ci', 'wave_ci']
  const table: [what: StopScope, codes: string[]][] = [
    [{ scope: 'operator', operator: 'wave_ci' }, ['wave_ci']],
    [{ scope: 'merchant', merchant_id }, everyone],
    [{ scope: 'merchant', merchant_id: (await installation.newMerchant()).merchant_id }, []],
    [{ scope: 'all' }, everyone],
  ]
  for (const [what, codes] of table) {
    await stopPayouts(sql, what, actor('awa@example.com'))
    assert.deepEqual(await stopped(), codes, JSON.stringify(what))
    await resumeByTwo(sql, what)
    assert.deepEqual(await stopped(), [], JSON.stringify(what))
  }
  await installation.bandama('merchant', 'deactivate', '--merchant', String(merchant.merchant_id))
  await waitFor(async () => {
    const { data } = await get<Operators>(key, '/x/operators')
    return data.every(({ collection, payout }) =>
      [collection, payout].every((side) => side.unavailable_reason === 'merchant_inactive'),
    )
  }, PATIENCE)
})

test('without extensions their addresses are unknown and undocumented; all else is unchanged', async () => {
  const plain = await installation.start({ args: ['--only', 'api'], env: { EXTENSIONS: 'off' } })
  const process = installation.services.push(plain) - 1
  const { key, merchant, tenant } = await newSender(installation)
  const id = await newEvent(stage(), tenant)
  const paths = [
    '/x/payments/txn_1/cancel',
    '/x/payouts/txn_1/cancel',
    '/x/links',
    '/x/links/lnk_1',
    '/x/links/lnk_1/close',
    '/x/balances',
    '/x/operators',
    '/x/operators/predict',
    EVENTS,
    `${EVENTS}/${id}`,
    `${EVENTS}/${id}/replay`,
    '/x',
    '/x/',
    '/sdk',
    '/sdk/node.tgz',
  ]
  for (const path of paths) {
    for (const method of ['GET', 'POST', 'DELETE']) {
      for (const sent of [null, key, merchant.key]) {
        const answer = await installation.ask({ method, path, key: sent }, process)
        checkRefusal(answer, 404, 'resource_not_found', `${method} ${path}`)
        const unknown = await installation.ask({ method, path: '/nowhere', key: sent }, process)
        assert.equal(answer.text, unknown.text)
      }
    }
  }
  const described = (await installation.ask({ path: '/openapi.json' }, process)).json() as { paths: object }
  assert.ok(Object.keys(described.paths).length > 10)
  assert.ok(Object.keys(described.paths).every((path) => path.startsWith('/v1-')))
  assert.equal((await installation.ask(post('/v1-payouts', key, payout(100)), process)).status, 201)
})
