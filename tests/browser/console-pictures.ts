import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, BrowserContext } from 'playwright-core'
import { type Browser as Person, openBrowser as signIn } from '../harness/console.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { keepPicture, openBrowser, overflowOf, widths, windowOf } from './browser.ts'
import { everything, openFullShop, screensFrom } from './every-screen.ts'

// `npm run pictures` draws every screen of the console and of the desk into tests/artefacts/pages, for people to look at: of an empty
// merchant, and of one with all kinds of resources. Each screen is drawn four times, in combinations of both languages, widths and colour
// schemes. It follows links, so that a new screen needs no entry in a list.

const looks = [
  { width: widths.phone, lang: 'fr', colorScheme: 'light' },
  { width: widths.phone, lang: 'en', colorScheme: 'dark' },
  { width: widths.desk, lang: 'fr', colorScheme: 'dark' },
  { width: widths.desk, lang: 'en', colorScheme: 'light' },
] as const

const settings = { RATE_PER_ADDRESS: '1000000' }
let installation: Installation
let browser: Browser
before(async () => {
  browser = await openBrowser()
  installation = await openInstallation({ env: settings })
})
after(async () => {
  await browser.close()
  await installation[Symbol.asyncDispose]()
})

/** Draws screens. Returns those that are wider than their window. */
async function draw(person: Person | null, name: string, addresses: ReadonlyMap<string, string>): Promise<string[]> {
  const tooWide: string[] = []
  const { address } = installation.services[0]!
  for (const { width, lang, colorScheme } of looks) {
    const context: BrowserContext = await browser.newContext(windowOf(width, { colorScheme }))
    if (person !== null) {
      await context.addCookies([{ name: 'session', value: person.cookie.replace('session=', ''), url: address }])
    }
    const page = await context.newPage()
    for (const [screen, path] of addresses) {
      const answer = await page.goto(`${address}${path}?lang=${lang}`).catch(() => null)
      // A download is no page.
      if (answer !== null && (await overflowOf(page)) > 0) tooWide.push(`${name}/${screen} at ${width} in ${lang}`)
      if (answer !== null) await keepPicture(page, `${name}/${screen}-${width}-${lang}-${colorScheme}`)
    }
    await context.close()
  }
  return tooWide
}

let shop: ReturnType<typeof openFullShop> | undefined
/** The merchant with all kinds of resources, made once. */
function fullShop() {
  shop ??= openFullShop(installation)
  return shop
}

test('the pages before a sign-in', async () => {
  const link = await installation.bandama('person', 'invite', '--email', 'awa@example.ci', '--role', 'support')
  const invitation = new URL(String(link.link)).pathname
  const pages = new Map([
    ['sign-in', '/console/sign-in'],
    ['invitation', invitation],
    ['invitation-closed', `${invitation.slice(0, -3)}xyz`],
  ])
  assert.deepEqual(await draw(null, 'door', pages), [])
})

test('an empty merchant', { timeout: 900_000 }, async () => {
  const { merchant_id } = await installation.newMerchant()
  const { address } = installation.services[0]!
  const owner = await signIn(installation.db.sql, address, { merchant_id, ...everything })
  const tooWide = await draw(owner, 'console-empty', await screensFrom(owner, `/console/test/${merchant_id}`))
  assert.deepEqual([...tooWide, ...(await draw(owner, 'desk-empty', await screensFrom(owner, '/desk/test')))], [])
})

test('a merchant with all kinds of resources', { timeout: 900_000 }, async () => {
  const { merchant_id, owner } = await fullShop()
  const screens = await screensFrom(owner, `/console/test/${merchant_id}`)
  const tooWide = await draw(owner, 'console', new Map([...screens, ['offers', '/console/offers']]))
  assert.deepEqual([...tooWide, ...(await draw(owner, 'desk', await screensFrom(owner, '/desk/test')))], [])
})

test('the waiting time of a cheap telephone at 400 kbit/s and 400 ms with a quarter of this processor', async (t) => {
  const { merchant_id, owner, held } = await fullShop()
  const { address } = installation.services[0]!
  const context = await browser.newContext(windowOf(widths.phone))
  await context.addCookies([{ name: 'session', value: owner.cookie.replace('session=', ''), url: address }])
  const page = await context.newPage()
  const cdp = await context.newCDPSession(page)
  const throughput = 400_000 / 8
  const line = { offline: false, latency: 400, downloadThroughput: throughput, uploadThroughput: throughput }
  await cdp.send('Network.emulateNetworkConditions', line)
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: 4 })
  const base = `${address}/console/test/${merchant_id}`
  const first = page.getByText('Koffi Yao').first()
  const agree = page.getByRole('button', { name: 'Approuver' })
  /** Measures until the main control can be tapped. */
  const measure = async (what: string, act: () => Promise<unknown>, ready: typeof first) => {
    const began = performance.now()
    await Promise.all([act(), ready.waitFor()])
    t.diagnostic(`${what}: ${Math.round(performance.now() - began)} ms`)
  }
  const commit = { waitUntil: 'commit' } as const
  await measure('approvals, nothing kept yet', () => page.goto(`${base}/approvals`, commit), first)
  await measure('approvals, again', () => page.goto(`${base}/approvals`, commit), first)
  await measure('one approval', () => page.goto(`${base}/approvals/${held}`, commit), agree)
  await measure('the question of a factor', () => agree.click({ noWaitAfter: true }), page.getByText('Vous confirmez'))
  await context.close()
})
