import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { newPayer } from '../harness/installation.ts'
import { waitFor } from '../harness/wait-for.ts'
import { skipWithoutBrowser } from './browser.ts'
import { openPayer, openShop, type Shop } from './shop.ts'

const TYPED = '#msisdn'
const CHOSEN = 'input[name="operator"]:checked'

describe('a number whose operator differs from its prefix', { skip: skipWithoutBrowser }, () => {
  let shop: Shop
  let ported: string
  before(async () => {
    shop = await openShop({ SIMULATOR_DELAY_MS: '50' })
    ported = newPayer()
    const { installation, merchant } = shop
    const body = { amount: 500, operator: 'mtn_ci', counterparty: { msisdn: ported } }
    assert.equal((await installation.pay(merchant.key, body)).status, 201)
    await waitFor(
      async () => {
        const asked = { path: '/x/operators/predict', key: merchant.key, body: { msisdn: ported } }
        return ((await installation.ask(asked)).json() as { operator: string }).operator === 'mtn_ci'
      },
      { what: 'the number to be learned' },
    )
  })
  after(() => shop[Symbol.asyncDispose]())

  test('with script: its operator is chosen once it is typed, and no address carries the number', async () => {
    const { link_id: _, url: link } = await shop.newLink(shop.merchant.merchant_id, '--amount', '700')
    for (const url of [(await shop.newSession()).url, link]) {
      await using payer = await openPayer(shop)
      const { page } = payer
      const addresses: string[] = []
      page.on('request', (request) => addresses.push(request.url()))
      await page.goto(url)
      await page.fill(TYPED, ported.slice(0, 6))
      assert.equal(await page.locator(CHOSEN).inputValue(), 'orange_ci', 'by the prefix')
      await page.fill(TYPED, ported)
      await page.waitForSelector('input[value="mtn_ci"]:checked', { state: 'attached' })
      // Written otherwise it is the same number.
      await page.fill(TYPED, ported.replace(/\d\d\B/g, '$& '))
      assert.equal(await page.locator(CHOSEN).inputValue(), 'mtn_ci')
      assert.equal(addresses.filter((address) => address.endsWith('/operator')).length, 1)
      await page.fill(TYPED, newPayer())
      await page.waitForSelector('input[value="orange_ci"]:checked', { state: 'attached' })
      for (const address of addresses) assert.ok(!address.includes(ported.slice(1)), address)
    }
  })

  test('with script: the choice of the payer stands', async () => {
    await using payer = await openPayer(shop)
    const { page } = payer
    await page.goto((await shop.newSession()).url)
    await page.check('input[value="wave_ci"]')
    await page.fill(TYPED, ported)
    assert.equal(await page.locator(CHOSEN).inputValue(), 'wave_ci')
  })

  test('without script: left open, it is paid through its operator', async () => {
    const { url, session_id } = await shop.newSession()
    await using payer = await openPayer(shop, { javaScriptEnabled: false })
    await payer.page.goto(url)
    await payer.pays(ported)
    await payer.sees('receipt')
    assert.deepEqual(
      (await shop.paymentsOf(session_id)).map(({ operator }) => operator),
      ['mtn_ci'],
    )
  })
})
