import assert from 'node:assert/strict'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { newLink } from '../contract/payer.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import type { Merchant } from '../harness/merchant.ts'
import { livemode } from '../harness/mode.ts'
import { waitFor } from '../harness/wait-for.ts'
import { openBrowser, widths, windowOf } from './browser.ts'

/** The real service with a merchant of its own, and a browser to pay it with. */
export type Shop = {
  installation: Installation
  merchant: Merchant
  browser: Browser
  /** `POST /v1-checkout` for 10 000 francs; returns the address for the payer and the session's id. */
  newSession(more?: Record<string, unknown>): Promise<{ url: string; session_id: string }>
  /** `bandama link create`, the address is that of this shop's service. */
  newLink(merchant_id: number, ...words: string[]): Promise<{ link_id: string; url: string }>
  /** Payments made for a session, oldest first. */
  paymentsOf(session_id: string): Promise<{ id: string; status: string; operator: string }[]>
  [Symbol.asyncDispose](): Promise<void>
}

/** @param env settings of the service over those of the rig; the operator takes 800 ms unless they say otherwise */
export async function openShop(env: Record<string, string> = {}): Promise<Shop> {
  const installation = await openInstallation({
    env: {
      SIMULATOR_DELAY_MS: '800',
      PAGE_ATTEMPTS_PER_ADDRESS: '10000',
      PAGE_GUESSES_PER_ADDRESS: '10000',
      ...env,
    },
  })
  const merchant = await installation.newMerchant()
  const browser = await openBrowser().catch(async (error) => {
    await installation[Symbol.asyncDispose]()
    throw error
  })
  return {
    installation,
    merchant,
    browser,
    async newSession(more = {}) {
      const body = { amount: 10_000, description: 'Commande 1042', ...more }
      const answer = await installation.ask({ path: '/v1-checkout', key: merchant.key, body })
      assert.equal(answer.status, 201, answer.text)
      const { url, id } = answer.json() as { url: string; id: string }
      return { url, session_id: id }
    },
    async newLink(merchant_id, ...words) {
      const { link_id, path } = await newLink(installation, merchant_id, ...words)
      // The command does not know the free port that this test's service took.
      return { link_id, url: new URL(path, installation.services[0]!.address).href }
    },
    paymentsOf: (session_id) => installation.db.sql<{ id: string; status: string; operator: string }[]>`
      select id, status, operator
        from payments
       where merchant_id = ${merchant.merchant_id}
         and livemode = ${livemode}
         and checkout_session_id = ${session_id}
       order by id`,
    async [Symbol.asyncDispose]() {
      await browser.close()
      await installation[Symbol.asyncDispose]()
    },
  }
}

/** A payer with a window of their own. Any complaint of the browser fails the test at its end. */
export type Payer = AsyncDisposable & {
  page: Page
  context: BrowserContext
  /** The view that is shown now. */
  situation(): Promise<string | null>
  /** Waits for a view. @throws after ten seconds, naming the one that is shown instead */
  sees(situation: string): Promise<void>
  /** Types the number, chooses the operator if one is named, pays, and has the page that answers. */
  pays(number: string, operator?: string): Promise<void>
}

/** @param expected what the browser may complain of, because the test is about it */
export async function openPayer(
  { browser }: Pick<Shop, 'browser'>,
  more: BrowserContextOptions = {},
  expected: RegExp = /^$/,
): Promise<Payer> {
  const context = await browser.newContext(windowOf(widths.phone, more))
  const complaints: string[] = []
  const watch = (page: Page) => {
    page.on('pageerror', (error) => complaints.push(String(error)))
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text())
    })
  }
  context.on('page', watch)
  const page = await context.newPage()
  const situation = () => page.locator('main').getAttribute('data-situation', { timeout: 5_000 })
  return {
    page,
    context,
    situation,
    async sees(wanted) {
      const seen = async () => (await situation().catch(() => null)) === wanted
      try {
        await waitFor(seen, { what: `the page ${wanted}` })
      } catch {
        assert.fail(
          `The page is ${await situation()} where ${wanted} was expected: ${await page.locator('h1').innerText()}`,
        )
      }
    },
    async pays(number, operator) {
      await page.fill('#msisdn', number)
      if (operator !== undefined) await page.check(`input[value="${operator}"]`)
      await Promise.all([page.waitForEvent('load'), page.click('form[method="post"] button')])
    },
    async [Symbol.asyncDispose]() {
      await context.close()
      // A page that refuses is an answer of 4xx, which the browser's console always notes.
      const real = complaints.filter((text) => !/status of (?:4\d\d|500)/.test(text) && !expected.test(text))
      assert.deepEqual(real, [])
    },
  }
}
