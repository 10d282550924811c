import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { newNumber, newSender, type Sender } from '../contract/sender.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { keepPicture, looks, openBrowser, overflowOf, skipWithoutBrowser, violationsOn, windowOf } from './browser.ts'
import { addPasskey, openTelephone, type Telephone } from './telephone.ts'

// The commonest job of a payer, counted as a thumb counts: a typed field is one, and touching the sensor is none.

describe('sending money from a telephone', { skip: skipWithoutBrowser }, () => {
  let installation: Installation
  let browser: Browser
  let sender: Sender
  let telephone: Telephone
  let base: string
  before(async () => {
    browser = await openBrowser()
    installation = await openInstallation()
    sender = await newSender(installation, { funds: 206_400 })
    const { merchant_id, livemode } = sender.tenant
    telephone = await openTelephone(browser, installation, merchant_id, 'Aya Kouassi')
    base = `${telephone.address}/console/${livemode ? 'live' : 'test'}/${merchant_id}`
    await telephone.page.setViewportSize({ width: 320, height: 568 })
    await addPasskey(installation, telephone, base)
  })
  after(async () => {
    await browser.close()
    await installation[Symbol.asyncDispose]()
  })

  /** Counts taps and typed fields. */
  function thumbOn(page: Page) {
    let taps = 0
    return {
      count: () => taps,
      async tap(role: 'link' | 'button', name: string | RegExp) {
        taps += 1
        await page.getByRole(role, { name }).first().click()
      },
      async type(field: string, text: string) {
        taps += 1
        await page.getByLabel(field).fill(text)
      },
    }
  }

  const looksWell = async (page: Page, name: string) => {
    await keepPicture(page, name)
    assert.deepEqual(await violationsOn(page), [], name)
    assert.equal(await overflowOf(page), 0, name)
  }

  test('5 000 francs to one person take five taps, and four to a person whom the shop knows', async () => {
    const { page } = telephone
    await page.goto(`${base}/payouts`)
    const first = thumbOn(page)
    await first.tap('link', 'Envoyer de l’argent')
    await looksWell(page, 'send-320-fr')
    await first.type('Numéro qui reçoit', newNumber())
    await first.type('Montant, F CFA', '5000')
    await first.tap('button', 'Continuer')
    await page.getByText('Premier envoi à ce numéro').waitFor()
    await looksWell(page, 'send-confirm-320-fr')
    await first.tap('button', 'Confirmer avec ma clé d’accès')
    await page.waitForURL(/\/payouts\/txn_/)
    await page.getByText(/a reçu 5.000/).waitFor()
    await looksWell(page, 'send-sent-320-fr')
    assert.equal(first.count(), 5)

    await page.goto(`${base}/payouts`)
    const known = thumbOn(page)
    await known.tap('link', 'Envoyer de l’argent')
    await known.tap('link', /dernier 5.000/)
    await page.getByText('Comme la dernière fois').waitFor()
    await looksWell(page, 'send-again-320-fr')
    await known.tap('button', 'Continuer')
    await page.getByText('Peut-être en double').waitFor()
    await known.tap('button', 'Confirmer avec ma clé d’accès')
    await page.waitForURL(/\/payouts\/txn_/)
    assert.equal(known.count(), 4)
  })

  test('above a cap and above the balance the page says what happens next', async () => {
    const { page } = telephone
    await page.goto(`${base}/send`)
    const thumb = thumbOn(page)
    await thumb.type('Numéro qui reçoit', newNumber())
    await thumb.type('Montant, F CFA', '150 000')
    await thumb.tap('button', 'Continuer')
    await page.getByText('Une autre personne valide d’abord').waitFor()
    await thumb.tap('button', 'Confirmer avec ma clé d’accès')
    await page.getByText('Une autre personne décide').waitFor()
    await looksWell(page, 'send-waiting-320-fr')
    await page.goto(`${base}/beneficiaries`)
    await looksWell(page, 'book-320-fr')
  })

  test('the forms look well in both widths, languages and colour schemes', async () => {
    const cookies = await telephone.page.context().cookies()
    for (const [width, colorScheme, lang] of looks) {
      const context = await browser.newContext(windowOf(width, { colorScheme }))
      await context.addCookies(cookies)
      const page = await context.newPage()
      for (const path of ['send', 'fill', 'payouts', 'beneficiaries']) {
        await page.goto(`${base}/${path}?lang=${lang}`)
        await looksWell(page, `${path}-${width}-${colorScheme}-${lang}`)
      }
      await context.close()
    }
  })
})
