import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { type RunningTwin, startTwin } from '../../src/twin/start-twin.ts'
import { waitFor } from '../harness/wait-for.ts'
import {
  keepPicture,
  openBrowser,
  overflowOf,
  skipWithoutBrowser,
  smallTargetsOn,
  violationsOn,
  widths,
  windowOf,
} from './browser.ts'

const PAYER = '0758412077'

describe("the twin's telephones", { skip: skipWithoutBrowser }, () => {
  let browser: Browser
  let twin: RunningTwin
  before(async () => {
    browser = await openBrowser()
    twin = await startTwin()
  })
  after(async () => {
    await browser.close()
    await twin.close()
  })

  async function ask(more: object = {}, amount = '25000', provider = 'ORANGE_CIV'): Promise<string> {
    const depositId = randomUUID()
    const payer = { type: 'MMO', accountDetails: { phoneNumber: `225${PAYER}`, provider } }
    const answer = await fetch(`${twin.url}/pawapay/v2/deposits`, {
      method: 'POST',
      headers: { Authorization: 'Bearer twin-pawapay-token' },
      body: JSON.stringify({ depositId, amount, currency: 'XOF', payer, ...more }),
    })
    assert.equal(answer.status, 200)
    return depositId
  }

  async function openPage(path: string, more: object = {}): Promise<Page> {
    const context = await browser.newContext({ ...windowOf(widths.phone), reducedMotion: 'reduce', ...more })
    const page = await context.newPage()
    await page.goto(`${twin.url}${path}`)
    return page
  }

  const stateOf = (id: string) => twin.operations().find(({ reference }) => reference === id)?.state
  const shows = (page: Page, text: RegExp) =>
    waitFor(async () => (text.test(await page.locator('main').innerText()) ? true : null), {
      what: String(text),
    })

  for (const javaScriptEnabled of [true, false]) {
    test(`a payer approves with the secret code, ${javaScriptEnabled ? 'with' : 'without'} script`, async () => {
      await twin.reset()
      const page = await openPage('/phones', { javaScriptEnabled })
      const id = await ask()
      if (!javaScriptEnabled) await page.reload()
      await shows(page, /Chez Aya – Pagnes demande\s+25\u202f000/)
      await page.fill('input[name=pin]', '0000')
      await page.getByRole('button', { name: 'Approuver' }).click()
      await shows(page, /pas le bon code/)
      assert.equal(stateOf(id), 'asking')
      await page.fill('input[name=pin]', '1234')
      await page.getByRole('button', { name: 'Approuver' }).click()
      await shows(page, /Vous avez payé/)
      assert.equal(stateOf(id), 'succeeded')
      await page.context().close()
    })
  }

  test('a code half typed stays, with the cursor in it, while other telephones change', async () => {
    await twin.reset()
    const page = await openPage('/phones')
    await ask()
    await shows(page, /25\u202f000/)
    await page.fill('input[name=pin]', '12')
    twin.phone('0544109832').setBalance('mtn_ci', 5)
    await shows(page, /05 44 10 98 32/)
    assert.equal(await page.inputValue('input[name=pin]'), '12')
    assert.equal(await page.evaluate('document.activeElement.name'), 'pin')
    await page.context().close()
  })

  test('a payer declines or lets it lapse, in English', async () => {
    await twin.reset()
    const page = await openPage(`/phones/${PAYER}?lang=en`)
    for (const [button, words] of [
      ['Decline', /You declined/],
      ['Let it lapse', /The request has lapsed/],
    ] as const) {
      const id = await ask()
      await shows(page, /asks for/)
      await page.getByRole('button', { name: button }).click()
      await shows(page, words)
      assert.equal(stateOf(id), 'failed')
    }
    await page.context().close()
  })

  test('a payer who was sent to the page of the operator is led back to the shop', async () => {
    await twin.reset()
    const shop = `${twin.url}/phones/0700000099?lang=en`
    const id = await ask({ successfulUrl: shop, failedUrl: `${twin.url}/phones` }, '7500', 'WAVE_CIV')
    await twin.advance(1)
    const url = String(twin.operations().find(({ reference }) => reference === id)?.detail.authorization_url)
    const page = await openPage(url.slice(twin.url.length))
    await page.fill('input[name=pin]', '1234')
    await page.getByRole('button', { name: 'Approuver' }).click()
    await page.waitForURL(shop)
    assert.equal(stateOf(id), 'succeeded')
    await page.context().close()
  })

  test('the form refuses an invalid number, and a valid one becomes a telephone', async () => {
    await twin.reset()
    const page = await openPage('/phones', { javaScriptEnabled: false })
    await page.locator('summary').click()
    await page.fill('#num', '<b>12')
    await page.getByRole('button', { name: 'Prendre ce téléphone' }).click()
    assert.match(await page.locator('#num-e').innerText(), /Dix chiffres/)
    assert.equal(await page.inputValue('#num'), '<b>12')
    await page.fill('#num', '07 00 00 00 07')
    await page.getByRole('button', { name: 'Prendre ce téléphone' }).click()
    assert.match(await page.locator('article h2').innerText(), /07 00 00 00 07/)
    await page.context().close()
  })

  for (const [name, width] of Object.entries(widths)) {
    test(`everything is readable and in reach on a ${name}, by day and by night`, async () => {
      await twin.reset()
      twin.phone('0544109832').setBalance('mtn_ci', 100)
      twin.phone('0777520390').code()
      await ask()
      for (const colorScheme of ['light', 'dark'] as const) {
        for (const path of [
          '/phones',
          `/phones/${PAYER}`,
          '/phones/0102378511?lang=en',
          '/phones/pay?operation=none',
        ]) {
          const page = await openPage(path, { ...windowOf(width), colorScheme })
          assert.deepEqual(await violationsOn(page), [], path)
          assert.equal(await overflowOf(page), 0, path)
          if (name === 'phone')
            assert.deepEqual(
              (await smallTargetsOn(page)).filter((one) => !/skip/.test(one)),
              [],
            )
          await keepPicture(page, `telephones-${name}-${colorScheme}-${path.replace(/\W+/g, '-')}`)
          await page.context().close()
        }
      }
    })
  }
})
