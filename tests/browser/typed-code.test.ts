import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { newPayer } from '../harness/installation.ts'
import { skipWithoutBrowser } from './browser.ts'
import { openPayer, openShop, type Shop } from './shop.ts'

describe('a code on the hosted page', { skip: skipWithoutBrowser }, () => {
  let shop: Shop
  before(async () => {
    // The operator takes its time, so that also a slow browser draws the page that says so.
    shop = await openShop({ SIMULATOR_DELAY_MS: '5000' })
  })
  after(() => shop[Symbol.asyncDispose]())

  for (const javaScriptEnabled of [true, false]) {
    const how = javaScriptEnabled ? 'with' : 'without'
    test(`a payer types the code on the page, ${how} script`, async () => {
      const { url } = await shop.newSession()
      await using payer = await openPayer(shop, { javaScriptEnabled })
      const { page } = payer
      await page.goto(url)
      await payer.pays(newPayer().replace(/0000$/, '0008'))
      await payer.sees('enter_code')
      await page.fill('#code', 'abc')
      await page.click('form button')
      assert.equal(await page.locator('#code-error').innerText(), 'Écrivez le code reçu, en chiffres.')
      assert.equal(await page.locator('#code').getAttribute('aria-describedby'), 'code-error code-hint')
      await page.fill('#code', '123 456')
      await page.click('form button')
      await payer.sees('checking')
      assert.equal(await page.locator('h1').innerText(), 'Nous vérifions votre code')
      assert.match(await page.locator('main').innerText(), /Commande 1042\s[\s\S]*Vous n’avez plus rien à faire/)
      await payer.sees('receipt')
    })
  }
})
