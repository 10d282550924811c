import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core'
import { newSender, type Sender } from '../contract/sender.ts'
import { openBrowser as openSignedIn } from '../harness/console.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { openBrowser, skipWithoutBrowser, widths, windowOf } from './browser.ts'

/** The most bytes on the wire, with headers and all requests: of the first page, of its scripts, and of each later page. */
const FIRST = 35_000
const FIRST_SCRIPT = 15_000
const LATER = 12_000

describe('the weight of the console', { skip: skipWithoutBrowser }, () => {
  let installation: Installation
  let browser: Browser
  let sender: Sender
  let address: string
  let base: string
  let token: string
  before(async () => {
    browser = await openBrowser()
    installation = await openInstallation()
    sender = await newSender(installation, { funds: 2_000_000 })
    address = installation.services[0]!.address
    const { merchant_id, livemode } = sender.tenant
    base = `${address}/console/${livemode ? 'live' : 'test'}/${merchant_id}`
    const person = await openSignedIn(installation.db.sql, address, { merchant_id, roles: ['owner'] })
    token = person.cookie.replace('session=', '')
    await fill()
  })
  after(async () => {
    await browser.close()
    await installation[Symbol.asyncDispose]()
  })

  /** Fills a page of each list: fifty payments, thirty waiting payouts, a dozen keys. */
  async function fill(): Promise<void> {
    const { merchant } = sender
    const mode = sender.tenant.livemode ? 'live' : 'test'
    for (let nth = 0; nth < 50; nth += 1) {
      const counterparty = { msisdn: `07584112${String(nth).padStart(2, '0')}` }
      const about = { merchant_reference: `CMD-${1_000 + nth}`, description: `Pagne wax, ${nth} yards` }
      const paid = await installation.pay(merchant.key, {
        amount: 5_000 + nth,
        counterparty,
        ...about,
        simulate: 'succeed',
      })
      assert.equal(paid.status, 201, paid.text)
    }
    for (let nth = 0; nth < 30; nth += 1) {
      const beneficiary = { msisdn: `074821${9_300 + nth}`, operator: 'orange_ci', name: `Koffi Yao ${nth}` }
      const held = await sender.send({ amount: 100_001 + nth, beneficiary, reference: `Facture ${300 + nth}` })
      assert.equal(held.status, 202, held.text)
    }
    for (let nth = 0; nth < 12; nth += 1) await merchant.newKey(mode, 'collect')
  }

  type Weighed = { address: string; type: string; bytes: number }

  async function open(): Promise<{ context: BrowserContext; page: Page; cdp: CDPSession }> {
    const context = await browser.newContext(windowOf(widths.phone))
    await context.addCookies([{ name: 'session', value: token, url: address }])
    const page = await context.newPage()
    const cdp = await context.newCDPSession(page)
    await cdp.send('Network.enable')
    return { context, page, cdp }
  }

  /** Returns the bytes on the wire for each request, as the browser's network log counts them. */
  async function weigh(cdp: CDPSession, work: () => Promise<unknown>): Promise<Weighed[]> {
    const asked = new Map<string, { address: string; type: string }>()
    const weighed: Weighed[] = []
    const onResponse = ({
      requestId,
      type,
      response,
    }: {
      requestId: string
      type: string
      response: { url: string }
    }) => void asked.set(requestId, { address: response.url, type })
    const onFinished = ({ requestId, encodedDataLength: bytes }: { requestId: string; encodedDataLength: number }) => {
      const what = asked.get(requestId)
      if (what?.address.startsWith('http')) weighed.push({ ...what, bytes })
    }
    cdp.on('Network.responseReceived', onResponse)
    cdp.on('Network.loadingFinished', onFinished)
    await work()
    cdp.off('Network.responseReceived', onResponse)
    cdp.off('Network.loadingFinished', onFinished)
    return weighed
  }

  const sum = (weighed: readonly Weighed[]) => weighed.reduce((total, { bytes }) => total + bytes, 0)
  const pages = { home: '', approvals: '/approvals', payments: '/payments', keys: '/keys' }

  /** The rows or panels that the page must have, so that the test weighs a full one. */
  const least = { home: 3, approvals: 30, payments: 50, keys: 12 }

  for (const [name, path] of Object.entries(pages)) {
    test(`${name} is within the budget of a first page`, async (t) => {
      const { context, page, cdp } = await open()
      const weighed = await weigh(cdp, () => page.goto(base + path, { waitUntil: 'networkidle' }))
      const scripts = weighed.filter(({ type }) => type === 'Script')
      const rows = await page.locator('main :is(tbody tr, .panel)').count()
      assert.ok(rows >= least[name as keyof typeof pages], `${rows} rows of ${name}`)
      for (const { type, bytes } of weighed) t.diagnostic(`${type} ${bytes} bytes`)
      t.diagnostic(`together ${sum(weighed)} of ${FIRST} bytes`)
      assert.ok(weighed.length >= 3 && scripts.length === 1, 'the page, its style and its script were weighed')
      assert.ok(sum(weighed) <= FIRST, `${sum(weighed)} bytes`)
      assert.ok(sum(scripts) <= FIRST_SCRIPT, `${sum(scripts)} bytes of script`)
      await context.close()
    })
  }

  test('a later page makes only one request, and is lighter', async (t) => {
    const { context, page, cdp } = await open()
    await page.goto(`${base}/links`, { waitUntil: 'networkidle' })
    for (const [name, path] of Object.entries(pages)) {
      const weighed = (await weigh(cdp, () => page.goto(base + path, { waitUntil: 'networkidle' }))).filter(
        ({ bytes }) => bytes > 0,
      )
      t.diagnostic(`${name}: ${sum(weighed)} of ${LATER} bytes`)
      assert.deepEqual(
        weighed.map(({ type }) => type),
        ['Document'],
        name,
      )
      assert.ok(sum(weighed) <= LATER, `${name}: ${sum(weighed)} bytes`)
    }
    await context.close()
  })
})
