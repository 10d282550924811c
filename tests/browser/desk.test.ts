import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { createClock } from '../../src/platform/clock.ts'
import { writeBankFile } from '../../src/settlements/bank/write-transfers.ts'
import { openAnomalyDesk } from '../contract/anomaly-desk.ts'
import { newCollector } from '../contract/collector.ts'
import { newSettler } from '../contract/settler.ts'
import { actor } from '../harness/actor.ts'
import { proposeAdjustment } from '../harness/adjustments.ts'
import { askHigherCap } from '../harness/caps.ts'
import { openBrowser as openPerson } from '../harness/console.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { mode } from '../harness/mode.ts'
import { stopPayouts } from '../harness/payout-stops.ts'
import {
  faultsOf,
  keepPicture,
  openBrowser,
  overflowOf,
  schemes,
  skipWithoutBrowser,
  widths,
  windowOf,
} from './browser.ts'

// Every page of the desk with content, in French: axe, both colour schemes, and no page wider than its window.

describe('the desk in a browser', { skip: skipWithoutBrowser }, () => {
  let installation: Installation
  let browser: Browser
  let cookie: string
  const pages: Record<string, string> = {}

  before(async () => {
    installation = await openInstallation()
    const { sql } = installation.db
    const { address } = installation.services[0]!
    const merchant = await newCollector(installation)
    const desk = openAnomalyDesk(installation, merchant)
    const collected = await merchant.collect(10_000)
    const settler = await newSettler(installation)
    const staff = ['operations', 'finance', 'compliance']
    const person = await openPerson(sql, address, { staff, name: 'Adjoua Koné' })
    cookie = person.cookie
    const { anomaly } = await desk.amountMismatch()
    const { anomaly: proposed } = await desk.amountMismatch()
    await desk.propose(proposed.id, { resolution: 'as_proven', amount: 1_001 })
    const settlement = ((await settler.request(5_000)).json() as { id: string }).id
    const validated = ((await settler.request(12_000)).json() as { id: string }).id
    await installation.bandama('settlement', 'validate', '--id', validated, '--as', 'kofi@example.com')
    await writeBankFile({ sql, clock: createClock() }, mode === 'live', null, actor('kofi@example.com'))
    const { merchant_id } = merchant.tenant
    await stopPayouts(sql, { scope: 'merchant', merchant_id }, actor('kofi@example.com'))
    const wish = { direction: 'debit', amount: 700, counterpart: 'fees', reason: 'Frais oubliés en octobre' } as const
    const tenant = settler.tenant
    const adjustment = await proposeAdjustment(
      { sql, clock: createClock() },
      { ...tenant, ...wish, proposed_by: actor('kofi@example.com') },
    )
    assert.ok(adjustment.kind === 'proposed')
    Object.assign(pages, {
      switch: '/switch',
      adjustments: '/adjustments',
      adjustment: `/adjustments/${adjustment.adjustment.id}`,
      refunds: '/refunds',
      'find-payment': `/refunds/find?q=${collected.id}`,
      refund: `/payments/${collected.id}/refund`,
      audit: '/audit',
      merchants: '/merchants',
      'merchant-caps': `/merchants/${tenant.merchant_id}/caps`,
      caps: '/caps',
      cap: `/caps/${await askHigherCap(sql, tenant, 900_000)}`,
      fees: `/merchants/${tenant.merchant_id}/fees`,
      merchant: `/merchants/${tenant.merchant_id}`,
      queue: '',
      'queue-mine': '?tab=mine',
      anomaly: `/cases/${anomaly.id}`,
      proposed: `/cases/${proposed.id}`,
      settlements: '/settlements',
      settlement: `/settlements/${settlement}`,
      'settlement-to-pay': `/settlements/${validated}`,
    })
    browser = await openBrowser()
  })
  after(async () => {
    await browser?.close()
    await installation[Symbol.asyncDispose]()
  })

  test('a card of the queue has room for its longest state, its time and its amount', async () => {
    const { address } = installation.services[0]!
    const context = await browser.newContext(windowOf(widths.phone))
    const [name, value] = cookie.split('=')
    await context.addCookies([{ name: name!, value: value!, url: address }])
    const page = await context.newPage()
    await page.goto(`${address}/desk/${mode}`)
    const card = page.locator('.cards tbody tr', { hasText: 'Proposé, à confirmer' }).first()
    const state = card.locator('.s')
    for (const [age, sum] of [
      ['2\u00a0j 3\u00a0h', '1\u202f001'],
      ['112\u00a0j 23\u00a0h', '1\u202f500\u202f000\u202f000'],
    ] as const) {
      await card.locator('.t').evaluate((cell, text) => Object.assign(cell, { textContent: text }), age)
      await card.locator('.m').evaluate((cell, text) => Object.assign(cell.firstChild!, { textContent: text }), sum)
      const inside = (await card.boundingBox())!
      const boxes: { x: number; y: number; width: number; height: number }[] = []
      for (const kind of ['.k', '.m', '.s', '.t']) boxes.push((await card.locator(kind).boundingBox())!)
      for (const box of boxes) {
        assert.ok(box.x >= inside.x && box.x + box.width <= inside.x + inside.width, `${sum}: within the card`)
        for (const other of boxes) {
          if (other === box) continue
          const beside = box.x + box.width <= other.x + 0.5 || other.x + other.width <= box.x + 0.5
          const below = box.y + box.height <= other.y + 0.5 || other.y + other.height <= box.y + 0.5
          assert.ok(beside || below, `${sum}: no part lies on another`)
        }
      }
      assert.ok((await state.boundingBox())!.height < 32, `${sum}: the state stands in one line`)
      assert.equal(await overflowOf(page), 0)
    }
    await context.close()
  })

  for (const [window, width] of Object.entries(widths)) {
    for (const colorScheme of schemes) {
      test(`each page reads well, ${window}, ${colorScheme}`, async () => {
        const { address } = installation.services[0]!
        const context = await browser.newContext(windowOf(width, { colorScheme }))
        const [name, value] = cookie.split('=')
        await context.addCookies([{ name: name!, value: value!, url: address }])
        const found: string[] = []
        for (const [title, path] of Object.entries(pages)) {
          const page = await context.newPage()
          const answer = await page.goto(`${address}/desk/${mode}${path}`)
          assert.equal(answer!.status(), 200, title)
          found.push(...(await faultsOf(page, title)))
          if (colorScheme === 'light' || window === 'phone')
            await keepPicture(page, `desk-${title}-${window}-${colorScheme}`)
          await page.close()
        }
        await context.close()
        assert.deepEqual(found, [])
      })
    }
  }
})
