import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { createClock } from '../../src/platform/clock.ts'
import { IBAN } from '../contract/book.ts'
import { newSettler, type Settler } from '../contract/settler.ts'
import { actor } from '../harness/actor.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { mode } from '../harness/mode.ts'
import { validateSettlement } from '../harness/settlements.ts'
import { type Member, openMember } from '../harness/teams.ts'
import { faultsOf, keepPicture, openBrowser, skipWithoutBrowser, widths, windowOf } from './browser.ts'

// The bank's file in a browser, from upload to step-up, on a telephone and on a desktop.

describe('the bank’s file in a browser', { skip: skipWithoutBrowser }, () => {
  let installation: Installation
  let browser: Browser
  let settler: Settler
  let kofi: Member

  before(async () => {
    installation = await openInstallation()
    settler = await newSettler(installation, { available: 600_000 })
    kofi = await openMember(installation, 'Kofi Yao', { staff: ['finance'] })
    browser = await openBrowser()
  })
  after(async () => {
    await browser?.close()
    await installation[Symbol.asyncDispose]()
  })

  async function validated(amount: number): Promise<string> {
    const { id } = (await settler.request(amount)).json() as { id: string }
    const deps = { sql: installation.db.sql, clock: createClock() }
    const done = await validateSettlement(deps, id, actor('ama@example.ci'))
    assert.equal(done.kind, 'moved')
    return id
  }

  for (const [window, width] of Object.entries(widths)) {
    test(`each step reads well, ${window}`, async () => {
      const { address } = installation.services[0]!
      const context = await browser.newContext(windowOf(width))
      const [name, value] = kofi.cookie.split('=')
      await context.addCookies([{ name: name!, value: value!, url: address }])
      const page = await context.newPage()
      const found: string[] = []
      const look = async (title: string) => {
        found.push(...(await faultsOf(page, title)))
        await keepPicture(page, `desk-transfers-${title}-${window}`)
      }
      const sum = 50_000 + width
      const [first, second] = [await validated(sum), await validated(sum + 1)]
      const [third, fourth] = [await validated(sum + 2), await validated(sum + 3)]
      const today = new Date().toISOString().slice(0, 10)
      await page.goto(`${address}/desk/${mode}/settlements/transfers`)
      await look('empty')
      const send = async (text: string) => {
        await page.setInputFiles('#file', {
          name: 'releve.csv',
          mimeType: 'text/csv',
          buffer: Buffer.from(text, 'latin1'),
        })
        await page.getByRole('button', { name: 'Lire le fichier' }).click()
      }
      await send('Op;Txt;Valeur\nA;B;1')
      await page.locator('#column_amount').waitFor()
      await look('columns')
      await send(`Référence;Libellé;Montant\nVIR-1;${first};50 000`)
      await page.locator('#minus .error').waitFor()
      await look('direction')
      await page.goto(`${address}/desk/${mode}/settlements/transfers`)
      await send(
        `Date;Date de valeur;Référence;Libellé;Débit;Crédit;IBAN bénéficiaire\n${today};${today};VIR-${width}-1;VIR ${first};${sum};;\n${today};31/12/2099;VIR-${width}-2;;"${sum + 1},00";;${IBAN}\n${today};;VIR-${width}-3;${third};${sum};;\n;;VIR-8;Loyer;900 000;;\n;;VIR-9;Frais;1,5;;\n;;VIR-${width}-4;VIR ${fourth};${sum + 3};;\n;;OP-5;RETOUR ${fourth};;${sum + 3};`,
      )
      await page.locator('input[name=pay]').first().waitFor()
      assert.equal(await page.locator('input[name=pay]:checked').count(), 1)
      await look('lines')
      await page.locator('input[name=pay]:not(:checked)').check()
      await page.getByRole('button', { name: 'Inscrire les virements cochés' }).click()
      await page.locator('#secret_code').fill(await kofi.code())
      await look('question')
      await page.getByRole('button', { name: 'Confirmer avec le code' }).click()
      await page.getByRole('heading', { name: /2 sur 2/ }).waitFor()
      await look('outcome')
      assert.ok([first, second].every(Boolean))
      await context.close()
      assert.deepEqual(found, [])
    })
  }
})
