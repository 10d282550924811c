import assert from 'node:assert/strict'
import { merchantRoles, staffRoles } from '../../src/values/rights.ts'
import { openAnomalyDesk } from '../contract/anomaly-desk.ts'
import { newCollector } from '../contract/collector.ts'
import { payout } from '../contract/sender.ts'
import { newSettler } from '../contract/settler.ts'
import { type Browser as Person, openBrowser as signIn } from '../harness/console.ts'
import type { Installation } from '../harness/installation.ts'

/** Every role at a merchant, and in the staff. */
export const everything = { roles: merchantRoles, staff: staffRoles } as const

/** The most pages that the crawl of one door opens. */
const PAGES_MAX = 150

/** Returns the name of a screen: its address with one word for every identifier. */
function nameOf(path: string, first: string): string {
  const below = path.slice(first.length).split('?')[0]!.split('/').filter(Boolean)
  return below.map((part) => (/\d/.test(part) ? 'one' : part)).join('-') || 'home'
}

/** Finds one address of each screen that a person reaches from a page by links. */
export async function screensFrom(person: Person, first: string): Promise<Map<string, string>> {
  const found = new Map([['home', first]])
  const waiting = [first]
  for (const path of waiting) {
    const { status, text, headers } = await person.get(path)
    assert.equal(status, 200, path)
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

/** Makes payments and payouts that succeeded, failed, and are in doubt; requests that wait for people; keys, links, endpoints, a team. */
export async function openFullShop(installation: Installation) {
  const { db, services, bandama } = installation
  const shop = await newCollector(installation)
  const { merchant, tenant, words } = shop
  const { merchant_id } = tenant
  // The last digits of a number choose an outcome in the simulator: 0002 declines, and 0009 waits for five minutes.
  for (const [amount, msisdn, more] of [
    [25_000, '0758411234', { simulate: 'succeed' }],
    [1_500_000, '0758411234', { simulate: 'succeed' }],
    [7_500, '0758410002', {}],
    [40_000, '0758410009', {}],
  ] as const) {
    const { status } = await installation.pay(merchant.key, {
      amount,
      counterparty: { msisdn },
      merchant_reference: `CMD-${amount}`,
      description: 'Trois pagnes wax, commande du matin',
      ...more,
    })
    assert.equal(status, 201)
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
  const elsewhere = await installation.newMerchant()
  await db.sql`
    insert into person_roles (person_id, merchant_id, role, granted_by, needs_confirmation, to_accept)
    values (${owner.person_id}, ${elsewhere.merchant_id}, 'maker', 'owner@example.ci', true, true)`
  assert.equal((await owner.get(`/console/test/${merchant_id}`)).status, 200)
  return { merchant_id, owner, held: (asked.json() as { id: string }).id }
}
