import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { batchIdIn, confirmed, csv, draftOf, makeBatch, newShop } from '../console/batch-shop.ts'
import { newNumber, payout } from '../contract/sender.ts'
import { openInstallation } from '../harness/installation.ts'
import {
  brokenWordsOn,
  keepPicture,
  openBrowser,
  overflowOf,
  skipWithoutBrowser,
  violationsOn,
  widths,
  windowOf,
} from './browser.ts'

test('a payroll that was sent before is shown on draft, batch and confirmation, in each width, and a tick lets it leave', {
  skip: skipWithoutBrowser,
}, async () => {
  await using installation = await openInstallation()
  const { address } = installation.services[0]!
  const shop = await newShop(installation)
  const lines = Array.from({ length: 6 }, (_, at) => `Awa Koné ${at};${newNumber()};;${16_000 + at};SAL-${at}`)
  const first = `${shop.base}/batches/${batchIdIn(await makeBatch(shop, await draftOf(shop, csv(...lines))))}`
  assert.equal((await confirmed(shop.mariam, `${first}/execute`, {}, first)).status, 303)
  await draftOf(shop, csv(...lines.slice(0, 2)))
  const single = payout(16_000)
  await shop.sender.send(single)
  const other = `Autre;${single.beneficiary.msisdn};;16000;`
  const again = csv(...lines, lines[0]!, other, `Neuf;${newNumber()};;500;`)
  const draft = await draftOf(shop, again)
  const batch = `${shop.base}/batches/${batchIdIn(await makeBatch(shop, draft))}`
  const drafted = await draftOf(shop, again)

  const browser = await openBrowser()
  try {
    for (const [width, colorScheme] of [
      [widths.phone, 'dark'],
      [widths.phone, 'light'],
      [widths.desk, 'light'],
    ] as const) {
      const context = await browser.newContext(windowOf(width, { colorScheme }))
      await context.addCookies([{ name: 'session', value: shop.mariam.cookie.replace('session=', ''), url: address }])
      const page = await context.newPage()
      const look = async (name: string) => {
        await page.locator('#repeated').waitFor()
        await keepPicture(page, `${name}-${width}-${colorScheme}`)
        assert.deepEqual(await violationsOn(page), [], name)
        assert.deepEqual(await brokenWordsOn(page), [], name)
        assert.equal(await overflowOf(page), 0, `${name} at ${width}`)
      }
      await page.goto(`${address}${drafted}`)
      await look('repeated-draft')
      await confirmIn(page, /Créer et envoyer/)
      await look('repeated-draft-confirmation')
      await page.goto(`${address}${batch}`)
      await look('repeated-batch')
      await page.getByRole('button', { name: 'Lancer l’envoi' }).click()
      await page.getByText('puis cochez la case').waitFor()
      await confirmIn(page, /Lancer l’envoi/)
      await page.getByText('Vous confirmez').waitFor()
      await look('repeated-batch-confirmation')
      await context.close()
    }
  } finally {
    await browser.close()
  }
})

/** Ticks the box and goes on to the confirmation. */
async function confirmIn(page: Page, button: RegExp): Promise<void> {
  await page.getByLabel('Oui, ces lignes sont à payer encore une fois').check()
  await page.getByRole('button', { name: button }).click()
  await page.getByText('Vous confirmez').waitFor()
}
