import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { type Browser as Person, openBrowser as signIn } from '../harness/console.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { mode } from '../harness/mode.ts'
import {
  brokenWordsOn,
  openBrowser,
  overflowOf,
  schemes,
  skipWithoutBrowser,
  violationsOn,
  widths,
  windowOf,
} from './browser.ts'
import { everything, openFullShop, screensFrom } from './every-screen.ts'

// Every linked screen of the console and of the desk, on a small telephone in French: of a merchant with all kinds of resources, and of an
// empty one. The test finds a new screen by its link.

describe('the screens on a small telephone', { skip: skipWithoutBrowser }, () => {
  let installation: Installation
  let browser: Browser
  before(async () => {
    browser = await openBrowser()
    installation = await openInstallation({ own: 'stops payouts' })
  })
  after(async () => {
    await browser?.close()
    await installation[Symbol.asyncDispose]()
  })

  /** Returns the faults of the screens that a person reaches from a first one: axe, the width, words broken in the middle, the contrast in the dark scheme. */
  async function faultsFrom(person: Person, first: string): Promise<string[]> {
    const { address } = installation.services[0]!
    const faults: string[] = []
    const context = await browser.newContext(windowOf(widths.phone))
    await context.addCookies([{ name: 'session', value: person.cookie.replace('session=', ''), url: address }])
    const page = await context.newPage()
    const screens = await screensFrom(person, first)
    assert.ok(screens.size > 10, 'links are followed')
    for (const [screen, path] of screens) {
      await page.emulateMedia({ colorScheme: 'light' })
      const answer = await page.goto(`${address}${path}`).catch(() => null)
      // A download is no page.
      if (answer === null) continue
      const overflow = await overflowOf(page)
      if (overflow > 0) faults.push(`${screen}: ${overflow} px wider than the window`)
      for (const word of await brokenWordsOn(page)) faults.push(`${screen}: the word ${word} is broken`)
      for (const violation of await violationsOn(page)) faults.push(`${screen}: ${violation}`)
      if (!schemes.includes('dark')) continue
      await page.emulateMedia({ colorScheme: 'dark' })
      for (const violation of await violationsOn(page, ['color-contrast'])) faults.push(`${screen}, dark: ${violation}`)
    }
    await context.close()
    return faults
  }

  // Some ninety screens.
  test('of a merchant with all kinds of resources, and of the desk', { timeout: 300_000 }, async () => {
    const { merchant_id, owner } = await openFullShop(installation)
    const ofMerchant = await faultsFrom(owner, `/console/${mode}/${merchant_id}`)
    assert.deepEqual([...ofMerchant, ...(await faultsFrom(owner, `/desk/${mode}`))], [])
  })

  test('of an empty merchant', async () => {
    const { merchant_id } = await installation.newMerchant()
    const owner = await signIn(installation.db.sql, installation.services[0]!.address, { merchant_id, ...everything })
    assert.deepEqual(await faultsFrom(owner, `/console/${mode}/${merchant_id}`), [])
  })
})
