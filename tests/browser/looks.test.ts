import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { newCollector } from '../contract/collector.ts'
import { openBrowser as signIn } from '../harness/console.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { openBrowser, skipWithoutBrowser, widths, windowOf } from './browser.ts'
import { everything } from './every-screen.ts'

// Only the drawn page shows these.

describe('the look of the console and of the desk', { skip: skipWithoutBrowser }, () => {
  let installation: Installation
  let browser: Browser
  let cookie: string
  let inConsole: string
  let payment_id: string
  before(async () => {
    browser = await openBrowser()
    installation = await openInstallation()
    const shop = await newCollector(installation)
    const { merchant_id } = shop.tenant
    inConsole = `/console/test/${merchant_id}`
    payment_id = (await shop.collect(25_000, { simulate: true })).id
    // 0009 waits, and 0002 declines.
    for (const msisdn of ['0758410009', '0758410002']) {
      const { status } = await installation.pay(shop.merchant.key, { amount: 500, counterparty: { msisdn } })
      assert.equal(status, 201)
    }
    cookie = (await signIn(installation.db.sql, installation.services[0]!.address, { merchant_id, ...everything }))
      .cookie
  })
  after(async () => {
    await browser?.close()
    await installation[Symbol.asyncDispose]()
  })

  /** Opens a page in a window of its own. */
  async function look(path: string, width: number, at: (page: Page) => Promise<void>): Promise<void> {
    const { address } = installation.services[0]!
    const context = await browser.newContext(windowOf(width, { colorScheme: 'light' }))
    await context.addCookies([{ name: 'session', value: cookie.replace('session=', ''), url: address }])
    const page = await context.newPage()
    await page.goto(`${address}${path}`)
    await at(page)
    await context.close()
  }

  const colour = (page: Page, selector: string) =>
    page.evaluate(`getComputedStyle(document.querySelector('${selector}')).backgroundColor`)

  test('the desk has a dark bar, a console has none, and test mode is amber', async () => {
    const clear = 'rgba(0, 0, 0, 0)'
    const current = '.mode [aria-current]'
    await look('/desk/live', widths.phone, async (page) => {
      assert.equal(await colour(page, '.bar'), 'rgb(11, 74, 59)')
    })
    await look(inConsole, widths.phone, async (page) => {
      assert.equal(await colour(page, '.bar'), clear)
      assert.equal(await colour(page, current), 'rgb(111, 71, 0)')
    })
    await look(inConsole.replace('test', 'live'), widths.phone, async (page) => {
      assert.equal(await colour(page, current), 'rgb(11, 90, 71)')
    })
  })

  test('the person stands at the end of the bar, also where nobody may search', async () => {
    const { address } = installation.services[0]!
    const owner = cookie
    cookie = (await signIn(installation.db.sql, address, { staff: ['administrator'] })).cookie
    await look('/desk/live', widths.desk, async (page) => {
      const { x, width } = (await page.locator('.bar .me').boundingBox())!
      assert.equal(x + width, widths.desk - 24)
    })
    cookie = owner
  })

  test('a form that is a slip is torn between its parts, and not above the first', async () => {
    await look(`${inConsole}/beneficiaries/new`, widths.phone, async (page) => {
      const edges = await page.evaluate(
        `[...document.querySelectorAll('.slip > div')].map((part) => getComputedStyle(part).borderTopStyle)`,
      )
      assert.deepEqual(edges, ['none', 'dashed'])
    })
  })

  test('a hidden field takes no room before the first part, and none from a later one', async () => {
    const link = await installation.bandama('person', 'invite', '--email', 'awa@example.ci', '--role', 'support')
    const tops = `[...document.querySelectorAll('form.stack > :not([type="hidden"])')].map((part) => getComputedStyle(part).marginTop)`
    await look(`${inConsole}/settings`, widths.phone, async (page) => {
      assert.deepEqual(await page.evaluate(tops), ['0px', '14px'])
    })
    await look(new URL(String(link.link)).pathname, widths.phone, async (page) => {
      const [first, ...later] = (await page.evaluate(tops)) as string[]
      assert.equal(first, '0px')
      assert.ok(later.length > 2 && !later.includes('0px'), String(later))
    })
  })

  test('an identifier stands on one line on the smallest telephone', async () => {
    for (const path of [`/payments/${payment_id}`, '/statement'])
      await look(`${inConsole}${path}`, widths.phone, async (page) => {
        const shown = page.locator('.rows .id, .list .id', { hasText: payment_id }).first()
        const { height } = (await shown.boundingBox())!
        assert.ok(height < 32, `${path}: ${height} px`)
      })
  })

  test('the history shows an identifier on one line on a telephone of 360 px', async () => {
    await look(`${inConsole}/payments/${payment_id}`, 360, async (page) => {
      const shown = await page.locator('.story .id', { hasText: 'evt_' }).all()
      assert.ok(shown.length > 0)
      for (const one of shown) assert.ok((await one.boundingBox())!.height < 32)
    })
  })

  test('a status of any shape stands on the line of its row', async () => {
    await look(`${inConsole}/payments`, widths.desk, async (page) => {
      const uneven = await page.evaluate(`[...document.querySelectorAll('tbody tr')].flatMap((row) => {
        const bottoms = [...row.querySelectorAll('.row, .st, .op')].map((cell) => {
          const words = document.createRange()
          words.selectNodeContents(cell)
          return Math.round(words.getBoundingClientRect().bottom)
        })
        return new Set(bottoms).size > 1 ? [row.querySelector('.st').className + ': ' + bottoms] : []
      })`)
      assert.deepEqual(uneven, [])
    })
  })
})
