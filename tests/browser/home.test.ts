import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { newSender, payout, type Sender } from '../contract/sender.ts'
import { openBrowser as openSignedIn } from '../harness/console.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { keepPicture, looks, openBrowser, overflowOf, skipWithoutBrowser, violationsOn, windowOf } from './browser.ts'

describe('the first page in a browser', { skip: skipWithoutBrowser }, () => {
  let installation: Installation
  let browser: Browser
  let sender: Sender
  before(async () => {
    browser = await openBrowser()
    installation = await openInstallation()
    sender = await newSender(installation, { funds: 0 })
  })
  after(async () => {
    await browser.close()
    await installation[Symbol.asyncDispose]()
  })

  test('it reads well before the first payment and with tasks, in both widths, languages and colour schemes', async () => {
    const { merchant_id, livemode } = sender.tenant
    const { address } = installation.services[0]!
    const person = await openSignedIn(installation.db.sql, address, { merchant_id, roles: ['owner'] })
    const cookie = { name: 'session', value: person.cookie.replace('session=', ''), url: address }
    const look = async (name: string) => {
      for (const [width, colorScheme, lang] of looks) {
        const context = await browser.newContext(windowOf(width, { colorScheme }))
        await context.addCookies([cookie])
        const page = await context.newPage()
        await page.goto(`${address}/console/${livemode ? 'live' : 'test'}/${merchant_id}?lang=${lang}`)
        await keepPicture(page, `${name}-${width}-${lang}`)
        assert.deepEqual(await violationsOn(page), [], name)
        assert.equal(await overflowOf(page), 0, `${name} at ${width}`)
        await context.close()
      }
    }
    await look('home-empty')
    await sender.deposit(2_000_000)
    const { key } = await sender.merchant.newKey(livemode ? 'live' : 'test', 'collect')
    const body = { amount: 25_000, counterparty: { msisdn: '0758411234' }, merchant_reference: 'CMD-1042' }
    assert.equal((await installation.pay(key, { ...body, simulate: 'succeed' })).status, 201)
    assert.equal((await sender.send(payout(250_000))).status, 202)
    await look('home')
  })
})
