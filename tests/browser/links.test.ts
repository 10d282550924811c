import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { newPayer } from '../harness/installation.ts'
import { skipWithoutBrowser } from './browser.ts'
import { openPayer, openShop, type Shop } from './shop.ts'

describe('a payment link', { skip: skipWithoutBrowser }, () => {
  let shop: Shop
  before(async () => {
    shop = await openShop({ SIMULATOR_DELAY_MS: '200' })
  })
  after(() => shop[Symbol.asyncDispose]())

  for (const javaScriptEnabled of [true, false]) {
    test(`takes an amount between its bounds, as people write it, ${javaScriptEnabled ? 'with' : 'without'} script`, async () => {
      const words = ['--min', '500', '--max', '50000', '--reusable', '--description', 'Offrande']
      const { url } = await shop.newLink(shop.merchant.merchant_id, ...words)
      await using payer = await openPayer(shop, { javaScriptEnabled })
      const { page } = payer
      await page.goto(url)
      const refusals: [string, RegExp][] = [
        ['dix mille', /en chiffres/],
        ['100', /au moins 500/],
        ['60 000', /au plus 50/],
      ]
      for (const [typed, why] of refusals) {
        await page.fill('#amount', typed)
        await payer.pays(newPayer())
        assert.match(await page.locator('#amount-error').innerText(), why)
        assert.equal(await page.inputValue('#amount'), typed)
      }
      await page.fill('#amount', '1 500')
      await payer.pays(newPayer())
      await payer.sees('receipt')
      assert.match(page.url(), /\/pay\//)
      assert.match(await page.locator('h1').innerText(), /1\u202f500/)
    })
  }

  test('writes the amount into its button as it is typed', async () => {
    const { url } = await shop.newLink(shop.merchant.merchant_id, '--min', '500', '--max', '50000', '--reusable')
    await using payer = await openPayer(shop)
    const { page } = payer
    await page.goto(url)
    const button = page.locator('form button')
    assert.equal(await button.innerText(), 'Payer ce montant')
    for (const [typed, said] of [
      ['5000', 'Payer 5\u202f000\u00a0F\u00a0CFA'],
      ['12.500 F', 'Payer 12\u202f500\u00a0F\u00a0CFA'],
      ['10,5', 'Payer ce montant'],
      ['dix', 'Payer ce montant'],
      ['', 'Payer ce montant'],
    ] as const) {
      await page.fill('#amount', typed)
      assert.equal(await button.innerText(), said)
    }
    await page.fill('#amount', '100')
    await payer.pays(newPayer())
    assert.equal(await button.innerText(), 'Payer 100\u00a0F\u00a0CFA', 'what was typed before, as well')

    await using plain = await openPayer(shop, { javaScriptEnabled: false, locale: 'en-GB' })
    await plain.page.goto(url)
    assert.equal(await plain.page.locator('form button').innerText(), 'Pay this amount')
  })

  test('with a fee on top shows the total before it asks for the number', async () => {
    // A merchant of its own: of one that was met before, the service may know the old fees for a second.
    const { merchant_id } = await shop.installation.newMerchant()
    const fees = ['--service', 'collection', '--bps', '100', '--bearer', 'payer']
    await shop.installation.bandama('fees', 'set', '--merchant', String(merchant_id), ...fees)
    const { url } = await shop.newLink(merchant_id, '--min', '500', '--max', '50000')
    await using payer = await openPayer(shop, { javaScriptEnabled: false })
    const { page } = payer
    await page.goto(url)
    assert.equal(await page.locator('#msisdn').count(), 0)
    await page.fill('#amount', '10 000')
    await page.click('form button')
    assert.match(await page.locator('.rows').innerText(), /Frais\s+100\sF\sCFA\s+Total\s+10\s100\sF\sCFA/)
    await payer.pays(newPayer())
    await payer.sees('receipt')
    assert.match(await page.locator('.rows').innerText(), /Frais\s+100\sF\sCFA\s+Total\s+10\s100\sF\sCFA/)
  })

  test('that can be paid once is closed for the next payer', async () => {
    const { url } = await shop.newLink(shop.merchant.merchant_id, '--amount', '5000')
    await using payer = await openPayer(shop)
    await payer.page.goto(url)
    await payer.pays(newPayer())
    await payer.sees('receipt')
    await using next = await openPayer(shop)
    await next.page.goto(url)
    await next.sees('unavailable')
    assert.match(await next.page.locator('main').innerText(), /Ce lien n’est plus disponible/)
  })

  test('that was closed while its page was open refuses the form', async () => {
    const { link_id, url } = await shop.newLink(shop.merchant.merchant_id, '--amount', '5000')
    await using payer = await openPayer(shop, { javaScriptEnabled: false })
    await payer.page.goto(url)
    await shop.installation.bandama('link', 'close', '--id', link_id)
    await payer.pays(newPayer())
    await payer.sees('unavailable')
  })

  test('has a poster with its address in the code', async () => {
    const { url } = await shop.newLink(shop.merchant.merchant_id, '--amount', '5000', '--reusable')
    await using payer = await openPayer(shop)
    await payer.page.goto(`${url}/poster`)
    await payer.sees('poster')
    assert.match(
      await payer.page.locator('.sheet').innerText(),
      /Boutique\s+5\u202f000 F\u00a0CFA\s+Scannez pour payer\s+ou allez à cette adresse\s:/,
    )
    assert.equal(await payer.page.locator('.address span').innerText(), url)
    const free = await shop.newLink(shop.merchant.merchant_id, '--min', '500', '--max', '50000', '--reusable')
    await payer.page.goto(`${free.url}/poster`)
    assert.match(
      await payer.page.locator('.price').innerText(),
      /Le montant que vous voulez\s+De 500\u00a0F\u00a0CFA à 50\u202f000\u00a0F\u00a0CFA/,
    )
    assert.equal(await payer.page.locator('.qr').count(), 1)
  })

  test('that never existed gives a page without details', async () => {
    await using payer = await openPayer(shop)
    const answer = await payer.page.goto(`${shop.installation.services[0]!.address}/link/${'0'.repeat(40)}`)
    assert.equal(answer?.status(), 404)
    assert.equal(await payer.page.locator('h1').innerText(), 'Il n’y a rien à cette adresse')
  })
})
