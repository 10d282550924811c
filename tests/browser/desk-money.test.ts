import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { createClock } from '../../src/platform/clock.ts'
import { validateSettlement } from '../../src/settlements/validate-settlement.ts'
import { openStaffMember, type StaffMember } from '../console/staff-member.ts'
import { IBAN } from '../contract/book.ts'
import { newSettler, type Settler } from '../contract/settler.ts'
import { actor } from '../harness/actor.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { mode } from '../harness/mode.ts'
import { keepPicture, openBrowser, overflowOf, skipWithoutBrowser, violationsOn, widths, windowOf } from './browser.ts'

// The bank's file in a browser: chosen, read, ticked, and asked about, on a telephone and at a desk.

describe('the bank’s file in a browser', { skip: skipWithoutBrowser }, () => {
  let installation: Installation
  let browser: Browser
  let settler: Settler
  let kofi: StaffMember

  before(async () => {
    installation = await openInstallation()
    settler = await newSettler(installation, { available: 400_000 })
    kofi = await openStaffMember(installation, 'Kofi Yao', ['finance'])
    browser = await openBrowser()
  })
  after(async () => {
    await browser?.close()
    await installation[Symbol.asyncDispose]()
  })

  async function validated(amount: number): Promise<string> {
    const { id } = (await settler.request(amount)).json() as { id: string }
    const settings = () => ({ active: true }) as never
    const done = await validateSettlement(
      { sql: installation.db.sql, clock: createClock(), settings },
      id,
      actor('ama@example.ci'),
    )
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
        const overflow = await overflowOf(page)
        if (overflow > 0) found.push(`${title} is ${overflow} px wider than its window`)
        found.push(...(await violationsOn(page)).map((violation) => `${title}: ${violation}`))
        await keepPicture(page, `desk-transfers-${title}-${window}`)
      }
      const sum = 50_000 + width
      const [first, second, third] = [await validated(sum), await validated(sum + 1), await validated(sum + 2)]
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
      await page.goto(`${address}/desk/${mode}/settlements/transfers`)
      await send(
        `Référence;Libellé;Débit;IBAN\nVIR-${width}-1;VIR ${first};${sum};\nVIR-${width}-2;;"${sum + 1},00";${IBAN}\nVIR-${width}-3;${third};${sum};\nVIR-8;Loyer;900 000;\nVIR-9;Frais;1,5;`,
      )
      await page.locator('input[name=pay]').first().waitFor()
      assert.equal(await page.locator('input[name=pay]:checked').count(), 2)
      await look('lines')
      await page.getByRole('button', { name: 'Inscrire ces virements' }).click()
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
