import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { namedPeriods, periodNamed } from '../../src/console/lists/periods.ts'
import { newCollector } from '../contract/collector.ts'
import { newNumber, payout } from '../contract/sender.ts'
import { openBrowser } from '../harness/console.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { read } from './batch-shop.ts'

// The periods and states that a list offers by name, with the sum of what it shows.

let installation: Installation
before(async () => {
  installation = await openInstallation()
})
after(() => installation[Symbol.asyncDispose]())

type Sum = { all: number; count: number; amount: number; fee_amount: number; refunded: number }

/** The day of the service in Abidjan. */
async function dayOf(): Promise<string> {
  const [row] = await installation.db.sql<{ day: string }[]>`select (clock_now() at time zone 'UTC')::date::text as day`
  return row!.day
}

test('a week begins on Monday, and a month on its first day, in each month and year', () => {
  const of = (today: string) => namedPeriods(today).map(({ from, to }) => [from, to])
  assert.deepEqual(of('2026-11-30'), [
    ['2026-11-30', '2026-11-30'],
    ['2026-11-29', '2026-11-29'],
    ['2026-11-30', '2026-11-30'],
    ['2026-11-01', '2026-11-30'],
  ])
  assert.deepEqual(of('2027-01-03')[2], ['2026-12-28', '2027-01-03'])
  assert.deepEqual(of('2028-03-01')[1], ['2028-02-29', '2028-02-29'])
  assert.equal(periodNamed('2026-11-30', { from: '2026-11-30', to: '2026-11-30' })?.words[1], 'Today')
  assert.equal(periodNamed('2026-11-30', { from: '', to: '' }), null)
})

test('a list of payments and payouts shows the exact sum of its period and state, and none for what it cannot add up', async () => {
  const shop = await newCollector(installation)
  const { merchant_id, livemode } = shop.tenant
  const base = `/console/${livemode ? 'live' : 'test'}/${merchant_id}`
  await shop.deposit(100_000)
  await shop.collect(1_500, { simulate: true })
  await shop.collect(30_000, { simulate: true })
  // This payer is asked for a one-time code.
  const body = { amount: 7_000, counterparty: { msisdn: newNumber('0008') } }
  const asked = (await installation.pay(shop.merchant.key, body)).json() as { id: string }
  await shop.untilPayment(asked.id, 'pending')
  for (const amount of [1_000, 2_500]) {
    const { id } = (await shop.send(payout(amount))).json() as { id: string }
    await shop.untilPayout(id, 'succeeded')
  }
  const { address } = installation.services[0]!
  const accountant = await openBrowser(installation.db.sql, address, { merchant_id, roles: ['accountant'] })
  const sumOf = async (list: string) => (await accountant.facts(`${base}/${list}`)).body.sum as Sum | undefined
  const today = await dayOf()
  // A day before, so that midnight in between changes nothing.
  const from = new Date(Date.parse(today) - 86_400_000).toISOString().slice(0, 10)

  const [row] = await installation.db.sql<{ fees: number }[]>`
    select sum(fee_amount)::bigint as fees
      from payments
     where merchant_id = ${merchant_id} and status = 'succeeded'`
  const paid = { all: 3, count: 2, amount: 31_500, fee_amount: row!.fees, refunded: 0 }
  assert.deepEqual(await sumOf(`payments?from=${from}`), paid)
  assert.equal((await sumOf(`payments?from=${from}&status=succeeded`))!.amount, 31_500)
  assert.deepEqual(await sumOf(`payments?from=${from}&status=waiting`), {
    ...{ all: 1, count: 1, amount: 7_000, fee_amount: 0, refunded: 0 },
  })
  assert.equal((await sumOf(`payments?from=${from}&status=others`))!.count, 0)
  assert.equal((await sumOf(`payments?from=${from}&min=2000`))!.amount, 30_000, 'of the rows of a whole page')
  assert.equal((await sumOf(`payouts?from=${from}`))!.amount, 3_500)
  for (const none of ['', '?to=2026-01-01', '?from=9999-01-01', '?from=2001-01-01'])
    assert.equal(await sumOf(`payments${none}`), undefined, none)

  const page = await read(accountant.get(`${base}/payments?from=${from}`))
  assert.match(page, /2 payés sur 3/)
  assert.match(page, /31 500 <small>F/)
  for (const tab of ['Aujourd’hui', 'Hier', 'Cette semaine', 'Ce mois', 'Payés', 'En attente', 'Échoués', 'Autres'])
    assert.ok(page.includes(`>${tab}</a>`), tab)
  const listed = async (status: string) =>
    ((await accountant.facts(`${base}/payments?status=${status}`)).body.operations as object[]).length
  assert.deepEqual([await listed('others'), await listed('waiting'), await listed('pending')], [0, 1, 1])
})

test('a line of the statement says whose payment it is and what for, and that gross less fee is net', async () => {
  const shop = await newCollector(installation, { basis_points: 100 })
  const { merchant_id, livemode } = shop.tenant
  const base = `/console/${livemode ? 'live' : 'test'}/${merchant_id}`
  const body = { amount: 12_500, counterparty: { msisdn: newNumber('2077') }, description: 'Pagne wax, 6 yards' }
  const paid = (await installation.pay(shop.merchant.key, body)).json() as { id: string }
  const { amount_collected, fee_amount, net_amount } = await shop.untilPayment(paid.id, 'succeeded')
  assert.deepEqual([amount_collected, fee_amount, net_amount], [12_500, 125, 12_375])
  const { address } = installation.services[0]!
  const accountant = await openBrowser(installation.db.sql, address, { merchant_id, roles: ['accountant'] })
  const page = await read(accountant.get(`${base}/statement`))
  assert.match(page, /Paiement reçu<\/a><span class="sub">•• 20 77 · Pagne wax, 6 yards/)
  assert.match(page, /<span class="n">12 500 − 125 de frais<\/span>/)
  assert.match(page, /\+12 375<span class="u"> F CFA/)
})
