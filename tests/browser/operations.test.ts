import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { newCollector } from '../contract/collector.ts'
import { addLink, payOn, untilStatus } from '../contract/payer.ts'
import { openRefundDesk } from '../contract/refund-desk.ts'
import { inline, newSender } from '../contract/sender.ts'
import { newSettler } from '../contract/settler.ts'
import { openBrowser as openSignedIn } from '../harness/console.ts'
import { type Installation, newPayer, openInstallation } from '../harness/installation.ts'
import { mode } from '../harness/mode.ts'
import { keepPicture, looks, openBrowser, overflowOf, skipWithoutBrowser, violationsOn, windowOf } from './browser.ts'

describe('the page of an operation in a browser', { skip: skipWithoutBrowser }, () => {
  let installation: Installation
  let browser: Browser
  before(async () => {
    browser = await openBrowser()
    installation = await openInstallation({ own: 'writes rows past the service' })
  })
  after(async () => {
    await browser.close()
    await installation[Symbol.asyncDispose]()
  })

  /** Checks a page as the owner of a merchant sees it, on a telephone and on a desktop. */
  async function look(merchant_id: number, path: string, name: string) {
    const { address } = installation.services[0]!
    const person = await openSignedIn(installation.db.sql, address, { merchant_id, roles: ['owner'] })
    const cookie = { name: 'session', value: person.cookie.replace('session=', ''), url: address }
    for (const [width, colorScheme, lang] of looks) {
      const context = await browser.newContext(windowOf(width, { colorScheme }))
      await context.addCookies([cookie])
      const page = await context.newPage()
      const answer = await page.goto(
        `${address}/console/${mode}/${merchant_id}${path}${path.includes('?') ? '&' : '?'}lang=${lang}`,
      )
      assert.equal(answer!.status(), 200, name)
      await keepPicture(page, `${name}-${width}-${lang}`)
      assert.deepEqual(await violationsOn(page), [], name)
      assert.equal(await overflowOf(page), 0, `${name} at ${width}`)
      for (const tab of await page.locator('.tabs [aria-current]').all()) {
        const box = (await tab.boundingBox())!
        assert.ok(box.x >= 0 && box.x + box.width <= width, `${name} at ${width}: the current tab is in view`)
      }
      await context.close()
    }
  }

  test('a payment and its refund read well', async () => {
    const shop = await newCollector(installation)
    const paid = await shop.collect(25_000, { simulate: true })
    const refund = await openRefundDesk(installation).made(paid.id, { amount: 10_000, by_hand: true })
    await look(shop.tenant.merchant_id, `/payments/${paid.id}`, 'payment')
    await look(shop.tenant.merchant_id, `/refunds/${refund.id}`, 'refund')
  })

  test('a payout in doubt reads well', async () => {
    const sender = await newSender(installation)
    const answer = await sender.send({ amount: 20_000, beneficiary: inline('0003'), reference: 'PAIE-7' })
    const { id } = answer.json() as { id: string }
    await sender.untilPayout(id, 'indeterminate')
    await look(sender.tenant.merchant_id, `/payouts/${id}`, 'payout-doubt')
  })

  test('charts of a long period read well', async () => {
    const shop = await newCollector(installation)
    await shop.collect(25_000, { simulate: true })
    // Figures of past days are inserted directly, because payments with such ids would be older than the worker's progress.
    await installation.db.sql`
      insert into daily_figures
             (merchant_id, livemode, kind, day, operator, status, failure_code, within_seconds, count, amount, fee_amount)
      select ${shop.tenant.merchant_id}, ${shop.tenant.livemode}, 'payment', current_date - n, o.operator,
             case when o.lost then 'failed' else 'succeeded' end,
             case when o.lost then 'payer_insufficient_funds' else '' end,
             case when o.lost then 0 else o.seconds end,
             o.most - n % 7 * o.most / 10, 10000 * o.most, case when o.lost then 0 else 100 * o.most end
        from generate_series(1, 89) n,
             (values ('wave_ci', false, 7, 400), ('orange_ci', false, 15, 450), ('mtn_ci', false, 45, 150), ('moov_ci', false, 180, 2),
                     ('orange_ci', true, 0, 30), ('moov_ci', true, 0, 1)) as o(operator, lost, seconds, most)`
    await look(shop.tenant.merchant_id, '/charts', 'charts')
    await look(shop.tenant.merchant_id, '/charts?period=90', 'charts-90')
    const now = new Date()
    const before = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1)).toISOString().slice(0, 7)
    await look(shop.tenant.merchant_id, `/charts?period=${before}`, 'charts-month')
  })

  test('a payment link reads well', async () => {
    const { tenant } = await newCollector(installation)
    const { link_id, path } = await addLink(installation, tenant.merchant_id, { kind: 'fixed', amount: 1_500 })
    const { address } = await payOn(installation, path, newPayer())
    await untilStatus(installation, address, 'paid')
    await look(tenant.merchant_id, `/links/${link_id}`, 'link')
    await look(tenant.merchant_id, '/links', 'links-of-console')
  })

  test('a settlement reads well', async () => {
    const settler = await newSettler(installation)
    const { id } = (await settler.request(20_000)).json() as { id: string }
    await look(settler.tenant.merchant_id, `/settlements/${id}`, 'settlement')
  })
})
