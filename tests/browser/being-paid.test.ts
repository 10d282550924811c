import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page, Request } from 'playwright-core'
import { openBrowser as openSignedIn } from '../harness/console.ts'
import { type Installation, newPayer, openInstallation } from '../harness/installation.ts'
import { mode } from '../harness/mode.ts'
import { waitFor } from '../harness/wait-for.ts'
import {
  faultsOf,
  keepPicture,
  looks,
  openBrowser,
  skipWithoutBrowser,
  smallTargetsOn,
  violationsOn,
  widths,
  windowOf,
} from './browser.ts'

/** A small telephone. */
const PHONE = { width: 320, height: 568 }

describe('being paid, on a telephone', { skip: skipWithoutBrowser }, () => {
  let installation: Installation
  let browser: Browser
  let base: string
  let cookie: { name: string; value: string; url: string }
  let key: string
  before(async () => {
    browser = await openBrowser()
    installation = await openInstallation()
    const merchant = await installation.newMerchant()
    const { address } = installation.services[0]!
    base = `${address}/console/${mode}/${merchant.merchant_id}`
    const roles = ['owner']
    const aya = await openSignedIn(installation.db.sql, address, { merchant_id: merchant.merchant_id, roles })
    cookie = { name: 'session', value: aya.cookie.replace('session=', ''), url: address }
    key = (await merchant.newKey(mode, 'collect')).key
    const counterparty = { msisdn: newPayer() }
    assert.equal((await installation.pay(key, { amount: 9_500, counterparty, simulate: 'succeed' })).status, 201)
  })
  after(async () => {
    await browser.close()
    await installation[Symbol.asyncDispose]()
  })

  /** A person with a telephone at the first page. It counts taps and typed fields, as docs/walks do. */
  async function pickUp({ javaScriptEnabled = true } = {}) {
    const context = await browser.newContext({ ...windowOf(PHONE.width), viewport: PHONE, javaScriptEnabled })
    await context.addCookies([cookie])
    const page = await context.newPage()
    await page.goto(base)
    let taps = 0
    return {
      page,
      taps: () => taps,
      async tap(name: string | RegExp) {
        taps += 1
        await page
          .locator('main')
          .getByRole('link', { name })
          .or(page.locator('main').getByRole('button', { name }))
          .first()
          .click()
      },
      async type(label: string, text: string) {
        taps += 1
        await page.getByLabel(label).fill(text)
      },
      [Symbol.asyncDispose]: () => context.close(),
    }
  }

  /** The page as it is in each look of this run, without a fault. */
  async function looksWell(path: string, name: string): Promise<void> {
    for (const [width, colorScheme, lang] of looks) {
      const viewport = width === widths.phone ? PHONE : { width, height: 900 }
      const context = await browser.newContext(windowOf(width, { colorScheme, viewport }))
      await context.addCookies([cookie])
      const page = await context.newPage()
      await page.goto(`${path}?lang=${lang}`)
      await keepPicture(page, `${name}-${width}-${lang}`)
      assert.deepEqual(await faultsOf(page, name), [])
      if (width === widths.phone)
        assert.deepEqual(
          (await smallTargetsOn(page)).filter((one) => one.includes('main')),
          [],
        )
      await context.close()
    }
  }

  const isInView = async (page: Page, selector: string) => {
    const box = await page.locator(selector).boundingBox()
    return box !== null && box.y >= 0 && box.y + box.height <= PHONE.height
  }

  test('a code with an amount takes three taps, is scanned without scrolling, and turns to "Paid" by itself', async () => {
    await using phone = await pickUp()
    const { page } = phone
    await phone.tap('Faire payer')
    await phone.type('Montant, F CFA', '12 500')
    await phone.tap('Montrer le code')
    await page.locator('svg.qr').waitFor()
    assert.equal(phone.taps(), 3)
    assert.ok(await isInView(page, 'svg.qr'), 'the whole code is in view')
    const sale = page.url()
    await looksWell(sale, 'pay-code')
    await looksWell(`${base}/pay`, 'pay')
    const { url } = (await (await page.request.get(sale, { headers: { accept: 'application/json' } })).json()) as {
      url: string
    }
    const payer = await browser.newContext(windowOf(widths.phone))
    const scanned = await payer.newPage()
    await scanned.goto(new URL(new URL(url).pathname, base).href)
    await scanned.fill('#msisdn', newPayer())
    await scanned.locator('form button').click()
    await page.locator('.paid').waitFor({ timeout: 30_000 })
    assert.equal(phone.taps(), 3, 'nobody touched the telephone')
    assert.match(await page.locator('.paid').innerText(), /Payé\s+12.500\sF\sCFA\s+••.00.00/)
    await payer.close()
    await looksWell(sale, 'pay-paid')
    const size = await page
      .locator('.paid .sum')
      .evaluate((sum) =>
        Number.parseFloat(
          (globalThis as never as { getComputedStyle(one: unknown): { fontSize: string } }).getComputedStyle(sum)
            .fontSize,
        ),
      )
    assert.ok(size >= 44, `${size} px are read across a counter`)
  })

  test('the permanent code of a shop takes two taps', async () => {
    await using phone = await pickUp()
    const { page } = phone
    await page.goto(`${base}/tills`)
    await page.getByLabel('Nom de la caisse').fill('Adjamé, caisse 1')
    await page.getByRole('button', { name: 'Créer le code' }).click()
    await page.locator('svg.qr').waitFor()
    await looksWell(`${base}/tills`, 'tills')
    await page.goto(base)
    await phone.tap('Faire payer')
    await phone.tap('Code de la boutique')
    await page.locator('svg.qr').waitFor()
    assert.equal(phone.taps(), 2)
    assert.ok(await isInView(page, 'svg.qr'), 'the whole code is in view')
  })

  test('a link by WhatsApp takes four taps', async () => {
    await using phone = await pickUp()
    await phone.tap('Faire payer')
    await phone.type('Montant, F CFA', '12 500')
    await phone.tap('Envoyer un lien par WhatsApp')
    const link = phone.page.getByRole('link', { name: /WhatsApp/ })
    await link.waitFor()
    assert.equal(phone.taps() + 1, 4)
    assert.ok(await isInView(phone.page, 'main a[href^="https://wa.me"]'), 'WhatsApp is in view')
    const sent = new URL((await link.getAttribute('href'))!)
    assert.deepEqual([sent.origin, sent.pathname], ['https://wa.me', '/'])
    await looksWell(phone.page.url().split('?')[0]!, 'link')
    assert.match(sent.searchParams.get('text')!, /12\u202f500\u00a0F\u00a0CFA.*\/link\/\w{40}$/)
  })

  for (const javaScriptEnabled of [true, false]) {
    test(`a number that is asked now turns to "Paid" by itself, ${javaScriptEnabled ? 'with' : 'without'} script`, async () => {
      await using phone = await pickUp({ javaScriptEnabled })
      const { page } = phone
      await phone.tap('Faire payer')
      await phone.type('Montant, F CFA', '5 000')
      const number = newPayer()
      await phone.type('Numéro du client', number)
      await phone.tap('Demander à ce numéro')
      await page.locator('.paid').waitFor({ timeout: 30_000 })
      assert.equal(phone.taps(), 4)
    })
  }

  test('"has she paid?" takes no tap: the first page shows the payment by itself, also with its rest unfolded', async () => {
    await using phone = await pickUp()
    const { page } = phone
    await page.locator('details.panel > summary').click()
    const asked = { amount: 31_250, counterparty: { msisdn: newPayer() }, description: 'Bazin', simulate: 'succeed' }
    assert.equal((await installation.pay(key, asked)).status, 201)
    await page.locator('.fresh b', { hasText: '31\u202f250' }).waitFor({ timeout: 20_000 })
    assert.equal(phone.taps(), 0)
    assert.equal(
      await page.locator('details.panel').evaluate((rest) => (rest as unknown as { open: boolean }).open),
      true,
    )
    assert.deepEqual(await violationsOn(page), [])
  })

  test('a payment sounds once a person has turned the sound on, and the device keeps it', async () => {
    await using phone = await pickUp()
    const { page } = phone
    await page.addInitScript(`globalThis.notes = 0
      const { createOscillator } = BaseAudioContext.prototype
      BaseAudioContext.prototype.createOscillator = function () { globalThis.notes += 1; return createOscillator.call(this) }`)
    const notes = () => page.evaluate('notes')
    const sell = async (amount: string) => {
      await page.goto(`${base}/pay`)
      await page.getByLabel('Montant, F CFA').fill(amount)
      // The simulator: a number that ends in 0007 takes five seconds.
      await page.getByLabel('Numéro du client').fill(newPayer().replace(/0000$/, '0007'))
      await page.getByRole('button', { name: 'Demander à ce numéro' }).click()
    }
    await sell('1 000')
    await page.locator('.paid').waitFor({ timeout: 30_000 })
    assert.equal(await notes(), 0, 'it is off until somebody turns it on')
    await sell('2 000')
    await page.getByRole('button', { name: 'Son au paiement : non' }).click()
    assert.equal(await notes(), 2, 'the two notes, to hear what they are')
    await page.locator('.paid').waitFor({ timeout: 30_000 })
    assert.equal(await notes(), 4)
    await page.goto(`${base}/pay`)
    assert.equal(await page.evaluate('localStorage.sound'), '1')
  })

  test('a page asks every 5 s, after a quarter of an hour without a touch every 30 s, and after an hour not at all', async () => {
    await using phone = await pickUp()
    const { page } = phone
    const counts = { asked: 0, answered: 0 }
    const looksAgain = (request: Request) => request.headers()['x-look-again'] !== undefined
    page.on('request', (request) => {
      if (looksAgain(request)) counts.asked += 1
    })
    page.on('requestfinished', (request) => {
      if (looksAgain(request)) counts.answered += 1
    })
    const link = await linkOf(page)
    await page.clock.install()
    await page.goto(link)
    // From here the time of the page passes only when the test says so.
    await page.clock.pauseAt(new Date(Date.now() + 1_000))
    /** Lets seconds pass, and returns the number of renewals meanwhile. */
    const during = async (seconds: number, step = 5) => {
      const before = counts.asked
      for (let past = 0; past < seconds; past += step) {
        await page.clock.runFor(step * 1_000)
        await waitFor(() => counts.answered === counts.asked, { what: 'the answer to a renewal' })
        await page.evaluate('0')
      }
      return counts.asked - before
    }
    await during(10)
    assert.equal(await during(60), 12)
    await page.clock.fastForward(15 * 60_000)
    await during(30)
    assert.equal(await during(120), 4)
    await page.clock.fastForward(60 * 60_000)
    await during(30)
    assert.equal(await during(300), 0)
    await page.mouse.click(5, 300)
    await during(30)
    assert.ok((await during(30)) >= 5, 'a touch brings the renewals back')
  })

  /** The address of a link that is open. */
  async function linkOf(page: Page): Promise<string> {
    await page.goto(`${base}/pay`)
    await page.getByLabel('Montant, F CFA').fill('1 000')
    await page.getByRole('button', { name: /WhatsApp/ }).click()
    await page.waitForURL(/\/links\//)
    return page.url().split('?')[0]!
  }

  test('a payer who declines leads to the two ways on', async () => {
    await using phone = await pickUp()
    const { page } = phone
    await page.goto(`${base}/pay`)
    await phone.type('Montant, F CFA', '5 000')
    await phone.type('Numéro du client', newPayer().replace(/0000$/, '0002'))
    await phone.tap('Demander à ce numéro')
    await page.getByRole('heading', { name: /Pas payé/ }).waitFor({ timeout: 30_000 })
    await looksWell(page.url(), 'pay-failed')
    await phone.tap('Montrer le code : autre opérateur')
    await page.locator('svg.qr').waitFor()
    assert.deepEqual(await violationsOn(page), [])
  })
})
