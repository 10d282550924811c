import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBrowser as openSeat } from '../harness/console.ts'
import { openTestDatabase } from '../harness/database.ts'
import { installOn } from '../harness/installation.ts'
import { fillManyPayments } from '../harness/listed-payments.ts'
import { newMerchant } from '../harness/merchant.ts'
import { openBrowser, skipWithoutBrowser, windowOf } from './browser.ts'

/** The number of payments: their file takes half a minute at `BYTES_A_SECOND`. */
const ROWS = 60_000
const BYTES_A_SECOND = 200_000

test('a restart fails an export under way, and an open chart, a typed form and the session outlive it', {
  skip: skipWithoutBrowser,
}, async () => {
  await using db = await openTestDatabase()
  const shop = await installOn(db.url)
  const first = await shop.start()
  const { merchant_id } = await newMerchant(db.sql)
  await fillManyPayments(db.sql, { merchant_id, livemode: true }, ROWS)
  // They are older than the worker's progress, so the worker starts again.
  await db.sql`update listing_progress set before_id = ''`
  const { cookie } = await openSeat(db.sql, shop.address, { merchant_id, roles: ['owner', 'accountant'] })
  const base = `${shop.address}/console/live/${merchant_id}`
  await using browser = await openBrowser()
  const context = await browser.newContext(windowOf(1280))
  const [name, value] = cookie.split('=')
  await context.addCookies([{ name: name!, value: value!, url: shop.address }])
  const open = async (path: string) => {
    const page = await context.newPage()
    await page.goto(base + path)
    return page
  }
  const chart = await open('/charts')
  const complaints: string[] = []
  chart.on('pageerror', ({ message }) => complaints.push(message))
  const form = await open('/links')
  const list = await open('/payments')
  const network = await context.newCDPSession(list)
  await network.send('Network.enable')
  const slow = { offline: false, latency: 0, downloadThroughput: BYTES_A_SECOND, uploadThroughput: BYTES_A_SECOND }
  await network.send('Network.emulateNetworkConditions', slow)
  const began = list.waitForEvent('download')
  await list.click('.export a')
  const download = await began

  await first.stop()
  assert.notEqual(await download.failure(), null, 'a short file would pass for the whole list')
  await form.fill('[name=description]', 'Pagne wax')
  await form.fill('[name=amount]', '25 000')
  const refused = form.waitForEvent('requestfailed')
  await form.click('form[method=post]:has([name=description]) button')
  await refused
  assert.match(await chart.title(), /Graphiques/)

  await using second = await shop.start()
  // The browser's own page of the error has kept the form.
  await form.waitForURL('chrome-error://chromewebdata/')
  await form.reload()
  assert.match(form.url(), /\/links\/lnk_\w+\?done=created$/)
  assert.match((await form.textContent('main')) ?? '', /Pagne wax/)
  await chart.click('nav.tabs a:not([aria-current])')
  assert.match(chart.url(), /\/charts\?period=/)
  assert.match(await chart.title(), /Graphiques/)
  assert.deepEqual(complaints, [])
  await second.stop()
})
