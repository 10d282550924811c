import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { newPayer } from '../harness/installation.ts'
import { skipWithoutBrowser } from './browser.ts'
import { openPayer, openShop, type Shop } from './shop.ts'

// Impatient people, old tabs and bad networks make nobody pay twice.

describe('a payer cannot pay twice on the hosted page', { skip: skipWithoutBrowser }, () => {
  let shop: Shop
  before(async () => {
    shop = await openShop()
  })
  after(() => shop[Symbol.asyncDispose]())
  beforeEach(() => shop.installation.db.moveClock('0'))

  const lookAgain = 'document.dispatchEvent(new Event("visibilitychange"))'

  for (const javaScriptEnabled of [true, false]) {
    test(`a second tap makes no second payment, ${javaScriptEnabled ? 'with' : 'without'} script`, async () => {
      const { url, session_id } = await shop.newSession()
      await using payer = await openPayer(shop, { javaScriptEnabled })
      await payer.page.goto(url)
      await payer.page.fill('#msisdn', newPayer())
      await payer.page.locator('form button').evaluate((button: { click(): void }) => {
        button.click()
        button.click()
      })
      await payer.sees('receipt')
      assert.equal((await shop.paymentsOf(session_id)).length, 1)
    })
  }

  test('a reload and the back button show the current state, and send nothing', async () => {
    const { url, session_id } = await shop.newSession()
    await using payer = await openPayer(shop)
    const { page } = payer
    await page.goto(url)
    await payer.pays(newPayer())
    await page.reload()
    await payer.sees('receipt')
    await page.goBack()
    await payer.sees('receipt')
    await page.reload()
    await payer.sees('receipt')
    assert.equal((await shop.paymentsOf(session_id)).length, 1)
  })

  test('a second tab sees what the first did, and its old form pays nothing', async () => {
    const { url, session_id } = await shop.newSession()
    await using first = await openPayer(shop)
    await using second = await openPayer(shop, { javaScriptEnabled: false })
    await first.page.goto(url)
    await second.page.goto(url)
    await first.pays(newPayer())
    await first.sees('receipt')
    await second.pays(newPayer())
    await second.sees('receipt')
    assert.equal((await shop.paymentsOf(session_id)).length, 1)
  })

  test('an open page notices by itself that another tab has paid', async () => {
    const { url } = await shop.newSession()
    await using first = await openPayer(shop)
    await using second = await openPayer(shop)
    await second.page.goto(url)
    await first.page.goto(url)
    await first.pays(newPayer())
    await first.sees('receipt')
    await second.page.evaluate(lookAgain)
    await second.sees('receipt')
  })

  test('a session that expires while its page is open: the page says so, and so does the answer to its form', async () => {
    const { url, session_id } = await shop.newSession()
    await using looking = await openPayer(shop)
    await using paying = await openPayer(shop, { javaScriptEnabled: false })
    await looking.page.goto(url)
    await paying.page.goto(url)
    await shop.installation.db.moveClock('31 minutes')
    await paying.pays(newPayer())
    await paying.sees('expired')
    await looking.page.evaluate(lookAgain)
    await looking.sees('expired')
    assert.match(await looking.page.locator('main').innerText(), /Rien ne vous a été pris\. Demandez un nouveau lien/)
    assert.deepEqual(await shop.paymentsOf(session_id), [])
  })

  test('a payment that stays without an answer says not to pay again, and offers no form', async () => {
    const { url } = await shop.newSession()
    await using payer = await openPayer(shop)
    await payer.page.goto(url)
    // The operator reports another amount, which is for a person to look at.
    await payer.pays(newPayer().replace(/0000$/, '0006'))
    await shop.installation.db.moveClock('1 hour')
    await payer.sees('unsure')
    assert.equal(await payer.page.locator('form').count(), 0)
    assert.equal(await payer.page.locator('h1').innerText(), 'Ne payez pas une deuxième fois')
  })

  test('without a network the page says so and waits', async () => {
    const { url } = await shop.newSession()
    await using payer = await openPayer(shop, {}, /ERR_INTERNET_DISCONNECTED/)
    await payer.page.goto(url)
    await payer.pays(newPayer().replace(/0000$/, '0007'))
    await payer.sees('dial')
    await payer.context.setOffline(true)
    await payer.page.getByText('Pas de réseau. Nous réessayons…').waitFor()
    await payer.context.setOffline(false)
    await payer.sees('receipt')
  })
})
