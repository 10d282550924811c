import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import type { Language } from '../../src/values/language.ts'
import { failureSituations, type PageSituation, pageSituations } from '../harness/page-situations.ts'
import {
  keepPicture,
  openBrowser,
  overflowOf,
  schemes,
  skipWithoutBrowser,
  smallTargetsOn,
  violationsOn,
  widths,
  windowOf,
} from './browser.ts'
import { openScreenshots, type Screenshots } from './screenshots.ts'

// Every situation as people see it: in both languages, by day and by night, on a small telephone and on a desk.

/** A telephone of 320 px whose owner has everything drawn twice as large. */
const doubled = windowOf(160, { deviceScaleFactor: 2 })

describe('the hosted page', { skip: skipWithoutBrowser }, () => {
  let browser: Browser
  let screenshots: Screenshots
  before(async () => {
    browser = await openBrowser()
    screenshots = await openScreenshots()
  })
  after(async () => {
    await browser.close()
    screenshots.close()
  })

  /** One page for each kind of window, which a browser takes longer to open than to fill. */
  const pages = new Map<string, Promise<Page>>()
  function pageIn(window: BrowserContextOptions): Promise<Page> {
    const kind = JSON.stringify(window)
    const page = pages.get(kind) ?? browser.newContext(window).then((context) => context.newPage())
    pages.set(kind, page)
    return page
  }

  /** Shows a situation in a window, and fails for any complaint of the browser: a policy broken, a script that threw. */
  async function look(
    situation: PageSituation,
    language: Language,
    window: BrowserContextOptions,
    at: (page: Page) => Promise<void>,
  ): Promise<void> {
    const page = await pageIn(window)
    const complaints: string[] = []
    const note = (message: { type(): string; text(): string }) => {
      if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
    }
    const noteError = (error: Error) => void complaints.push(String(error))
    page.on('console', note).on('pageerror', noteError)
    try {
      await page.goto(screenshots.address(situation, language))
      await at(page)
    } finally {
      page.off('console', note).off('pageerror', noteError)
    }
    assert.deepEqual(complaints, [])
  }

  for (const situation of pageSituations) {
    test(`${situation.name}: reads well by day on a telephone, in French`, async () => {
      await look(situation, 'fr', windowOf(widths.phone, { colorScheme: 'light' }), async (page) => {
        await keepPicture(page, `${situation.name}-320`)
        assert.deepEqual(await violationsOn(page), [])
        assert.equal(await overflowOf(page), 0)
        assert.deepEqual(await smallTargetsOn(page), [])
      })
    })

    const night = { skip: !schemes.includes('dark') && 'one colour scheme at a landing' }
    test(`${situation.name}: reads well by night on a desk, in English`, night, async () => {
      await look(situation, 'en', windowOf(widths.desk, { colorScheme: 'dark' }), async (page) => {
        await keepPicture(page, `${situation.name}-1280`)
        assert.deepEqual(await violationsOn(page), [])
        assert.equal(await overflowOf(page), 0)
      })
    })

    test(`${situation.name}: needs no scrolling sideways when drawn twice as large`, async () => {
      for (const language of ['fr', 'en'] as const) {
        await look(situation, language, doubled, async (page) => assert.equal(await overflowOf(page), 0))
      }
    })
  }

  test('each reason for a failure fits its place', async () => {
    for (const situation of failureSituations) {
      await look(situation, 'fr', windowOf(widths.phone), async (page) => {
        assert.equal(await overflowOf(page), 0, situation.name)
        assert.equal(await page.locator('.note.bad p').count(), 2, situation.name)
      })
    }
  })

  const named = (name: string) => pageSituations.find((situation) => situation.name === name)!
  const style = (page: Page, selector: string, property: string) =>
    page.evaluate(`getComputedStyle(document.querySelector('${selector}')).${property}`)

  test('a field that is wrong has a red border, in both colour schemes', async () => {
    for (const [colorScheme, red] of [
      ['light', 'rgb(156, 36, 18)'],
      ['dark', 'rgb(255, 171, 153)'],
    ] as const) {
      for (const [name, field] of [
        ['ask-wrong-number', '#msisdn'],
        ['link-amount-too-small', '#amount'],
        ['enter-code-wrong', '#code'],
        ['ask-wrong-operator', 'label:nth-child(2) span'],
      ] as const) {
        await look(named(name), 'fr', windowOf(widths.phone, { colorScheme }), async (page) => {
          assert.equal(await style(page, field, 'borderTopColor'), red, `${name} ${colorScheme}`)
        })
      }
    }
  })

  test('a merchant’s colour is that of its button and its logo is drawn, by day and by night', async () => {
    for (const colorScheme of schemes) {
      for (const [name, behind, text] of [
        ['branded-ask', 'rgb(138, 21, 56)', 'rgb(255, 255, 255)'],
        ['branded-ask-bright', 'rgb(255, 247, 214)', 'rgb(22, 33, 28)'],
        ['branded-receipt', 'rgb(138, 21, 56)', 'rgb(255, 255, 255)'],
      ] as const) {
        await look(named(name), 'fr', windowOf(widths.phone, { colorScheme }), async (page) => {
          const button = name.endsWith('receipt') ? 'a.button' : 'form button'
          assert.equal(await style(page, button, 'backgroundColor'), behind)
          assert.equal(await style(page, button, 'color'), text)
          assert.ok(Number(await page.evaluate('document.querySelector(".logo").naturalWidth')) > 0)
          assert.deepEqual(await violationsOn(page), [])
        })
      }
    }
  })

  test('the page warns of a failing operator only when the payer chooses it', async () => {
    await look(named('ask-failing-operator'), 'fr', windowOf(widths.phone), async (page) => {
      const told = () => page.locator('.failing:visible').allTextContents()
      assert.match((await told()).join(), /^Beaucoup de paiements avec Orange Money n’aboutissent pas en ce moment/)
      await page.locator('input[value="mtn_ci"]').check()
      assert.deepEqual(await told(), [])
      await page.locator('input[value="wave_ci"]').check()
      assert.match((await told()).join(), /^Beaucoup de paiements avec Wave n’aboutissent/)
      assert.deepEqual(await violationsOn(page), [])
    })
  })

  test('the words of a link that looks like a button stand in its middle', async () => {
    await look(named('redirect'), 'fr', windowOf(widths.phone), async (page) => {
      assert.equal(await style(page, 'a.button', 'textAlign'), 'center')
      const { over, under } = await page.locator('a.button').evaluate((link: unknown) => {
        const { document } = globalThis as unknown as { document: { createRange(): Words } }
        type Box = { top: number; bottom: number }
        type Words = { selectNodeContents(of: unknown): void; getBoundingClientRect(): Box }
        const words = document.createRange()
        words.selectNodeContents(link)
        const [inner, outer] = [words.getBoundingClientRect(), (link as Words).getBoundingClientRect()]
        return { over: inner.top - outer.top, under: outer.bottom - inner.bottom }
      })
      assert.ok(Math.abs(over - under) <= 1, `${over} px above, ${under} px below`)
    })
  })

  test('on the smallest telephone the first operator is seen without scrolling', async () => {
    const small = windowOf(widths.phone, { viewport: { width: 320, height: 568 } })
    for (const name of [
      'ask',
      'ask-test-mode',
      'ask-with-fee',
      'ask-long-description',
      'branded-ask',
      'link-ask',
      'link-free-amount',
    ]) {
      for (const language of ['fr', 'en'] as const) {
        await look(named(name), language, small, async (page) => {
          const { y, height } = (await page.locator('.choices label').first().boundingBox())!
          assert.ok(y + height <= 568, `${name} in ${language}: down to ${y + height} of 568 px`)
        })
      }
    }
  })

  test('a long description is cut to two lines, and a tap shows the rest', async () => {
    await look(named('approve-long-description'), 'fr', windowOf(widths.phone), async (page) => {
      const height = async () => (await page.locator('.for').boundingBox())!.height
      const cut = await height()
      await page.click('.more')
      assert.ok(cut < 90 && (await height()) > cut + 40)
      assert.equal(await page.locator('.more').isVisible(), false)
      assert.deepEqual(await violationsOn(page), [])
    })
  })

  test('a desk shows a code to go on by telephone while there is something to do, and a telephone does not', async () => {
    const wide = { viewport: { width: 1280, height: 800 } }
    for (const name of ['ask', 'link-ask', 'failed', 'approve-on-phone', 'dial', 'enter-code', 'redirect']) {
      await look(named(name), 'fr', windowOf(widths.desk, wide), async (page) => {
        const code = (await page.locator('.go-on .qr').boundingBox())!
        assert.ok(code.x + code.width <= 1280 && code.y + code.height <= 800, name)
        const slip = (await page.locator('.slip').boundingBox())!
        assert.ok(code.x >= slip.x + slip.width, `${name}: beside the slip`)
      })
      for (const held of [windowOf(widths.phone), windowOf(widths.desk, { ...wide, isMobile: true, hasTouch: true })]) {
        await look(named(name), 'fr', held, async (page) =>
          assert.equal(await page.locator('.go-on').isVisible(), false),
        )
      }
    }
    for (const name of [
      'receipt',
      'expired',
      'closed',
      'unsure',
      'busy',
      'ask-inactive-merchant',
      'failed-out-of-time',
    ]) {
      await look(named(name), 'fr', windowOf(widths.desk), async (page) => {
        assert.equal(await page.locator('.go-on').count(), 0, name)
      })
    }
  })

  test('a receipt shows its whole reference on one line', async () => {
    await look(named('receipt'), 'fr', windowOf(widths.phone), async (page) => {
      const { height } = (await page.locator('.rows .id dd').first().boundingBox())!
      assert.ok(height < 30, `${height} px`)
    })
  })

  test('nothing moves for a visitor who asks for less motion', async () => {
    const waiting = pageSituations.find(({ name }) => name === 'approve-on-phone')!
    await look(waiting, 'fr', windowOf(widths.phone, { reducedMotion: 'reduce' }), async (page) => {
      const motion = await page.evaluate('getComputedStyle(document.querySelector(".wait"), "::before").animationName')
      assert.equal(motion, 'none')
    })
  })

  test('a receipt prints without the parts for screens, and a poster on one sheet of A6', async () => {
    await look(named('receipt'), 'fr', windowOf(widths.desk), async (page) => {
      await page.emulateMedia({ media: 'print' })
      await keepPicture(page, 'receipt-printed')
      assert.equal(await page.locator('.qr').isVisible(), true)
      for (const screenOnly of ['.foot', '.top nav', '[data-print]', '.button']) {
        assert.equal(await page.locator(screenOnly).first().isVisible(), false, screenOnly)
      }
    })
    for (const name of ['poster', 'poster-free-amount', 'poster-long-names', 'poster-branded', 'poster-test-mode']) {
      await look(named(name), 'fr', windowOf(widths.desk), async (page) => {
        const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1')
        assert.equal(pdf.match(/\/Type \/Page\b/g)?.length, 1, `${name} is one page`)
        const [, width, height] = /\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/.exec(pdf) ?? []
        // Points of 1/72 inch: 105 mm × 148 mm.
        assert.deepEqual([Math.round(Number(width)), Math.round(Number(height))], [298, 420], name)
        await page.setViewportSize({ width: 397, height: 559 })
        await page.emulateMedia({ media: 'print' })
        const code = await page.locator('.qr').boundingBox()
        assert.ok(code!.width >= 220 && code!.y + code!.height < 559, `${name}: a code that a camera reads from afar`)
        await keepPicture(page, `${name}-printed`)
      })
    }
  })
})
