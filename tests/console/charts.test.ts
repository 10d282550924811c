import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newCollector } from '../contract/collector.ts'
import { openBrowser } from '../harness/console.ts'
import { type Installation, newPayer, openInstallation } from '../harness/installation.ts'
import { mode, otherMode } from '../harness/mode.ts'

let installation: Installation
before(async () => {
  installation = await openInstallation()
})
after(() => installation[Symbol.asyncDispose]())

type Day = { day: string; done: number; amount: number; lost: number; fees: number }
type Flow = { days: Day[]; operators: { operator: string; ended: number; done: number }[] }
type Facts = { payments: Flow | null; payouts: Flow | null; balances: { day: string; balance: number }[] | null }

async function open(merchant_id: number, role: string) {
  const browser = await openBrowser(installation.db.sql, installation.services[0]!.address, {
    merchant_id,
    roles: [role],
  })
  const at = (path: string, of: string = mode) => `/console/${of}/${merchant_id}${path}`
  const facts = async (path: string, of?: string) => (await browser.facts(at(path, of))).body as unknown as Facts
  return { browser, at, facts }
}

test('charts show the current state of today, listed or not, and every mark links to its list', async () => {
  const shop = await newCollector(installation)
  await shop.collect(10_000, { simulate: true })
  await shop.collect(30_000, { simulate: true })
  const { browser, at, facts } = await open(shop.tenant.merchant_id, 'owner')

  const { payments, balances } = await facts('/charts?period=7')
  assert.equal(payments!.days.length, 7)
  const today = payments!.days.at(-1)!
  assert.deepEqual({ ...today, day: '' }, { day: '', done: 2, amount: 40_000, lost: 0, fees: 400 })
  assert.deepEqual(
    payments!.operators.map(({ operator, ended, done }) => [operator, ended, done]),
    [['orange_ci', 2, 2]],
  )
  assert.deepEqual(balances!.at(-1), { day: today.day, balance: 39_600 })
  assert.equal(balances!.at(-2)!.balance, 0)

  const { status, text } = await browser.get(at('/charts?period=7'))
  assert.equal(status, 200)
  assert.doesNotMatch(text, / style=| onclick=/)
  const main = text.slice(text.indexOf('<main'))
  const links = new Set(
    [...main.matchAll(/<a [^>]*?href="(\/[^"]*)"/g)].map(([, link]) => link!.replaceAll('&amp;', '&')),
  )
  assert.ok(
    [...links].some((link) => link.includes(`/payments?status=ended&from=${today.day}&to=${today.day}`)),
    main,
  )
  assert.ok(
    [...links].some((link) => link.includes('/payments?status=ended&operator=orange_ci')),
    main,
  )
  for (const link of links) assert.equal((await browser.get(link)).status, 200, link)

  const empty = await browser.get(at('/charts', otherMode))
  assert.equal(empty.status, 200)
  assert.match(empty.text, /Rien de fini dans cette période/)
  const month = today.day.slice(0, 7)
  assert.equal((await facts(`/charts?period=${month}`)).payments!.days[0]!.day, `${month}-01`)
  for (const wrong of ['2999-01', '%00', '1'])
    assert.equal((await facts(`/charts?period=${wrong}`)).payments!.days.length, 30)
})

test('every mark of a chart counts exactly the rows of the list that it links to', async () => {
  const shop = await newCollector(installation)
  const { key } = shop.merchant
  await shop.collect(10_000, { simulate: true })
  const given_back = await shop.collect(30_000, { simulate: true })
  const words = ['--payment', given_back.id, '--amount', '1000', '--as', 'ama@example.ci']
  await installation.bandama('refund', 'create', ...words)
  const to = (digits: string) => ({ amount: 500, counterparty: { msisdn: `${newPayer().slice(0, 6)}${digits}` } })
  const declined = (await installation.pay(key, to('0002'))).json() as { id: string }
  await shop.untilPayment(declined.id, 'failed')
  // Under way for five minutes, so in no chart.
  await installation.pay(key, to('0009'))
  const { browser, at, facts } = await open(shop.tenant.merchant_id, 'owner')
  const today = (await facts('/charts?period=7')).payments!.days.at(-1)!
  assert.deepEqual([today.done, today.lost], [2, 1])
  const { text } = await browser.get(at('/charts?period=7'))
  const rowsOf = async (found: RegExp) => {
    const [, link = ''] = found.exec(text) ?? []
    assert.notEqual(link, '', `${found} in ${text}`)
    return ((await browser.facts(link.replaceAll('&amp;', '&'))).body.operations as object[]).length
  }
  const payments = '/[^"]*/payments\\?'
  for (const [mark, link, count] of [
    [
      'the bar of today',
      `<a href="(${payments}status=ended&(?:amp;)?from=${today.day}&(?:amp;)?to=${today.day})" tabindex`,
      3,
    ],
    [
      'the paid part of the bar of today',
      `<a href="(${payments}status=done&(?:amp;)?from=${today.day}&(?:amp;)?to=${today.day})" tabindex="-1"><rect class="fill"`,
      2,
    ],
    [
      'the hatched part of the bar of today',
      `<a href="(${payments}status=lost&(?:amp;)?from=${today.day}&(?:amp;)?to=${today.day})" tabindex="-1"><rect fill`,
      1,
    ],
    [
      'the lost ones of today in the table',
      `<td class="n"><a href="(${payments}status=lost&(?:amp;)?from=${today.day}&(?:amp;)?to=${today.day})">1<`,
      1,
    ],
    ['the successful ones', `<a href="(${payments}status=done[^"]*)">2<`, 2],
    ['the lost ones', `<a href="(${payments}status=lost[^"]*)">1<`, 1],
    ['the rate of an operator', `<a href="(${payments}status=ended[^"]*operator=orange_ci[^"]*)">`, 3],
    [
      'the fees of today',
      `<a href="(${payments}status=done&(?:amp;)?from=${today.day}&(?:amp;)?to=${today.day})" tabindex`,
      2,
    ],
  ] as const)
    assert.equal(await rowsOf(new RegExp(link)), count, mark)
  const list = await browser.get(at('/payments?status=lost'))
  assert.match(list.text, /Retirer le filtre <\/span>Échoués ou expirés</)
})

test('a reason of failures links to the list of these failures, and the export has exactly that list', async () => {
  const shop = await newCollector(installation)
  await shop.collect(10_000, { simulate: true })
  const declined = { amount: 500, counterparty: { msisdn: `${newPayer().slice(0, 6)}0002` } }
  const { id } = (await installation.pay(shop.merchant.key, declined)).json() as { id: string }
  await shop.untilPayment(id, 'failed')
  const { browser, at } = await open(shop.tenant.merchant_id, 'owner')
  const { text } = await browser.get(at('/charts?period=7'))
  const [, link = ''] = /href="([^"]+)">Le client a refusé</.exec(text) ?? []
  const list = link.replaceAll('&amp;', '&')
  assert.match(list, /\/payments\?status=failed&from=.*&reason=payer_declined/)
  const ids = async (path: string) =>
    ((await browser.facts(path)).body.operations as { id: string }[]).map((row) => row.id)
  assert.deepEqual(await ids(list), [id])
  assert.deepEqual(await ids(at('/payments?reason=payer_declined')), [id])
  assert.deepEqual(await ids(at('/payments?reason=payer_timeout')), [])
  assert.equal((await ids(at('/payments?reason=nothing'))).length, 2)
  assert.deepEqual(await ids(at('/payouts?reason=recipient_not_found')), [])
  assert.deepEqual(await ids(at('/refunds?reason=recipient_not_found')), [])
  const page = await browser.get(at('/payments?reason=payer_declined'))
  assert.match(page.text, /Retirer le filtre <\/span>Le client a refusé</)
  const csv = await browser.get(at('/payments/export?format=csv&reason=payer_declined'))
  assert.equal(csv.text.trim().split(/\r?\n/).length, 2)
  assert.ok(csv.text.includes(id))
})

test('each part of the charts needs its right, and another merchant sees none of it', async () => {
  const [shop, other] = [await newCollector(installation), await newCollector(installation)]
  await shop.collect(10_000, { simulate: true })
  const developer = await open(shop.tenant.merchant_id, 'developer')
  const seen = await developer.facts('/charts')
  assert.equal(seen.payments!.days.at(-1)!.done, 1)
  assert.deepEqual([seen.payouts, seen.balances], [null, null])
  const stranger = await open(other.tenant.merchant_id, 'owner')
  assert.equal((await stranger.facts('/charts')).payments!.days.at(-1)!.done, 0)
  assert.equal((await stranger.browser.get(developer.at('/charts'))).status, 404)
})
