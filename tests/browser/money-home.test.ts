import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { newNumber } from '../contract/sender.ts'
import { newSettler, type Settler } from '../contract/settler.ts'
import { openBrowser as openSignedIn } from '../harness/console.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { keepPicture, openBrowser, overflowOf, skipWithoutBrowser, violationsOn, widths, windowOf } from './browser.ts'

/** A small telephone. */
const PHONE = { width: 320, height: 568 }

describe('the way of a merchant’s money to its own account, in a browser', { skip: skipWithoutBrowser }, () => {
  let installation: Installation
  let browser: Browser
  let settler: Settler
  let base: string
  let address: string
  let cookie: { name: string; value: string; url: string }
  before(async () => {
    browser = await openBrowser()
    installation = await openInstallation()
    settler = await newSettler(installation, { available: 300_000 })
    const { merchant_id, livemode } = settler.tenant
    address = installation.services[0]!.address
    base = `/console/${livemode ? 'live' : 'test'}/${merchant_id}`
    const person = await openSignedIn(installation.db.sql, address, { merchant_id, roles: ['owner'] })
    cookie = { name: 'session', value: person.cookie.replace('session=', ''), url: address }
  })
  after(async () => {
    await browser.close()
    await installation[Symbol.asyncDispose]()
  })

  async function looksWell(path: string, name: string): Promise<void> {
    for (const [width, colorScheme, lang] of [
      [widths.phone, 'light', 'fr'],
      [widths.phone, 'dark', 'en'],
      [widths.desk, 'light', 'fr'],
    ] as const) {
      const viewport = width === widths.phone ? PHONE : { width, height: 900 }
      const context = await browser.newContext(windowOf(width, { colorScheme, viewport }))
      await context.addCookies([cookie])
      const page = await context.newPage()
      await page.goto(new URL(`${base}${path}?lang=${lang}`, address).href)
      await keepPicture(page, `${name}-${width}-${lang}`)
      assert.deepEqual(await violationsOn(page), [], name)
      assert.equal(await overflowOf(page), 0, `${name} at ${width}`)
      await context.close()
    }
  }

  test('asking for a settlement reads well, also while a new destination cools', async () => {
    await settler.request(120_000)
    await looksWell('/settlements', 'settlements')
    await settler.designate(await settler.newWallet(newNumber()))
    await looksWell('/settlements', 'settlements-cooling')
  })
})
