import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, BrowserContext } from 'playwright-core'
import { merchantRoles, staffRoles } from '../../src/people/rights.ts'
import { openAnomalyDesk } from '../contract/anomaly-desk.ts'
import { newCollector } from '../contract/collector.ts'
import { payout } from '../contract/sender.ts'
import { newSettler } from '../contract/settler.ts'
import { type Browser as Person, openBrowser as signIn } from '../harness/console.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { keepPicture, openBrowser, overflowOf, widths, windowOf } from './browser.ts'

// `npm run pictures` draws every screen of the console and of the desk for people to look at, into tests/artefacts/pages: of a merchant
// that has nothing yet and of one with something of everything. A screen is drawn four times, in which both languages, widths and colour
// schemes occur with one another. It finds screens by following links, so that a new one is drawn without being listed.

const looks = [
  { width: widths.phone, lang: 'fr', colorScheme: 'light' },
  { width: widths.phone, lang: 'en', colorScheme: 'dark' },
  { width: widths.desk, lang: 'fr', colorScheme: 'dark' },
  { width: widths.desk, lang: 'en', colorScheme: 'light' },
] as const

/** Pages that one door's crawl opens at most. */
const PAGES_MAX = 150

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

/** The name of a screen: its address with one word for every identifier. */
function nameOf(path: string, first: string): string {
  const below = path.slice(first.length).split('?')[0]!.split('/').filter(Boolean)
  return below.map((part) => (/\d/.test(part) ? 'one' : part)).join('-') || 'home'
}

/** One address of each screen that a person reaches from a page by links. */
async function screensFrom(person: Person, first: string): Promise<Map<string, string>> {
  const found = new Map([['home', first]])
  const waiting = [first]
  for (const path of waiting) {
    const { text, headers } = await person.get(path)
    if (!headers.get('content-type')!.includes('html')) continue
    for (const [, link] of text.matchAll(/<a\b[^>]* href="([^"#]*)"/g)) {
      const [plain = ''] = link!.split('?')
      const name = nameOf(plain, first)
      if (!plain.startsWith(first) || found.has(name) || found.size >= PAGES_MAX) continue
      found.set(name, plain)
      waiting.push(plain)
    }
  }
  return found
}

/** Draws screens; those that are wider than their window. */
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
      // A file is no page.
      if (answer !== null && (await overflowOf(page)) > 0) tooWide.push(`${name}/${screen} at ${width} in ${lang}`)
      if (answer !== null) await keepPicture(page, `${name}/${screen}-${width}-${lang}-${colorScheme}`)
    }
    await context.close()
  }
  return tooWide
}

const everything = { roles: merchantRoles, staff: staffRoles } as const

let shop: ReturnType<typeof openFullShop> | undefined
/** The merchant with something of everything, made once. */
function fullShop() {
  shop ??= openFullShop()
  return shop
}

test('in front of the doors', async () => {
  const link = await installation.bandama('person', 'invite', '--email', 'awa@example.ci', '--role', 'support')
  const invitation = new URL(String(link.link)).pathname
  const pages = new Map([
    ['sign-in', '/console/sign-in'],
    ['invitation', invitation],
    ['invitation-closed', `${invitation.slice(0, -3)}xyz`],
  ])
  assert.deepEqual(await draw(null, 'door', pages), [])
})

test('a merchant that has nothing yet', { timeout: 900_000 }, async () => {
  const { merchant_id } = await installation.newMerchant()
  const { address } = installation.services[0]!
  const owner = await signIn(installation.db.sql, address, { merchant_id, ...everything })
  const tooWide = await draw(owner, 'console-empty', await screensFrom(owner, `/console/test/${merchant_id}`))
  assert.deepEqual([...tooWide, ...(await draw(owner, 'desk-empty', await screensFrom(owner, '/desk/test')))], [])
})

test('a merchant with something of everything', { timeout: 900_000 }, async () => {
  const { merchant_id, owner } = await fullShop()
  const tooWide = await draw(owner, 'console', await screensFrom(owner, `/console/test/${merchant_id}`))
  assert.deepEqual([...tooWide, ...(await draw(owner, 'desk', await screensFrom(owner, '/desk/test')))], [])
})

test('how long a cheap telephone waits at 400 kbit/s and 400 ms with a quarter of this processor', async (t) => {
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
  /** Until what one acts on is there to be tapped. */
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

/** Payments and payouts that went well, failed, and are in doubt; what waits for people; keys, links, addresses, a team. */
async function openFullShop() {
  const { db, services, bandama } = installation
  const shop = await newCollector(installation)
  const { merchant, tenant, words } = shop
  const { merchant_id } = tenant
  const pay = (amount: number, simulate: string) =>
    installation.pay(merchant.key, {
      amount,
      counterparty: { msisdn: '0758411234' },
      merchant_reference: `CMD-${amount}`,
      description: 'Trois pagnes wax, commande du matin',
      simulate,
    })
  for (const [amount, outcome] of [
    [25_000, 'succeed'],
    [1_500_000, 'succeed'],
    [7_500, 'fail'],
    [40_000, 'pending'],
  ] as const) {
    await pay(amount, outcome)
  }
  await shop.collect(600_000)
  await shop.deposit(2_000_000)
  const koffi = { msisdn: '0748219306', operator: 'orange_ci', name: 'Koffi Yao' }
  for (const amount of [12_500, 48_000]) await shop.send({ amount, beneficiary: koffi, reference: 'Acompte tissu' })
  const asked = await shop.send({ amount: 250_000, beneficiary: koffi, reference: 'Acompte tissu, facture 318' })
  const lines = Array.from({ length: 26 }, (_, nth) => ({
    amount: 20_000 + nth * 500,
    beneficiary: { msisdn: `05761109${10 + nth}`, operator: 'mtn_ci', name: `Brou Kévin ${nth}` },
  }))
  await shop.prepare({ lines, reference: 'Salaires novembre' })
  await shop.prepare({ lines: [payout(5_000), payout(6_000)] })
  await bandama('link', 'create', ...words, '--amount', '15000', '--description', 'Abonnement du mois')
  await bandama('link', 'create', ...words, '--min', '500', '--max', '50000', '--reusable')
  await bandama('endpoint', 'create', ...words, '--url', 'http://127.0.0.1:9/webhooks/bandama')
  const settler = await newSettler(installation, { of: merchant, available: 0 })
  for (const amount of [10_000, 25_000]) await settler.request(amount)
  await openAnomalyDesk(installation, shop).amountMismatch()
  const refundable = await shop.collect(3_000, { simulate: true })
  await bandama('refund', 'create', '--payment', refundable.id, '--manual', '--as', 'ama@example.ci')
  const of = ['--merchant', String(merchant_id)]
  for (const [name, role] of [
    ['Awa Koné', 'maker'],
    ['Issa Ouattara', 'approver'],
    ['Marie-Laure Kouadio', 'accountant'],
  ] as const) {
    const email = `${name.toLowerCase().replace(/\W+/g, '.')}@boutique.example.ci`
    await bandama('person', 'invite', '--email', email, '--name', name, ...of, '--role', role)
  }
  await db.sql`
    update person_roles
       set needs_confirmation = true, break_glass = false, granted_by = 'owner@example.ci'
     where merchant_id = ${merchant_id} and role = 'maker'`
  await bandama('payouts', 'stop', '--operator', 'moov_ci', '--as', 'ama@example.ci')
  const owner = await signIn(db.sql, services[0]!.address, { merchant_id, ...everything, name: 'Aya Kouassi' })
  assert.equal((await owner.get(`/console/test/${merchant_id}`)).status, 200)
  return { merchant_id, owner, held: (asked.json() as { id: string }).id }
}
