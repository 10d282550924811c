import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { newSettler, type Settler } from '../contract/settler.ts'
import { type Installation, newPayer, openInstallation } from '../harness/installation.ts'
import { mode } from '../harness/mode.ts'
import { type Member, openMember } from '../harness/teams.ts'
import { waitFor } from '../harness/wait-for.ts'
import { faultsOf, keepPicture, looks, openBrowser, skipWithoutBrowser, widths, windowOf } from './browser.ts'

// Getting the money and giving it back, on a small telephone and at the desk. Taps and typed fields are counted; the passkey or code is not.

const PHONE = { width: 320, height: 568 }

describe('getting the money, on a telephone', { skip: skipWithoutBrowser }, () => {
  let installation: Installation
  let browser: Browser
  let settler: Settler
  let base: string
  let aya: Member
  let yao: Member
  before(async () => {
    browser = await openBrowser()
    installation = await openInstallation({ own: 'writes rows past the service' })
    settler = await newSettler(installation, { available: 300_000 })
    const { merchant_id } = settler.tenant
    base = `${installation.services[0]!.address}/console/${mode}/${merchant_id}`
    aya = await openMember(installation, 'Aya Kouassi', { merchant_id, roles: ['owner'] })
    yao = await openMember(installation, 'Yao Brou', { staff: ['compliance', 'operations'] })
  })
  after(async () => {
    await browser.close()
    await installation[Symbol.asyncDispose]()
  })

  const cookieOf = ({ cookie }: Member) => ({
    ...{ name: 'session', value: cookie.replace('session=', '') },
    url: installation.services[0]!.address,
  })

  /** A telephone at a page of Aya's shop, with the count of its taps. */
  async function pickUp() {
    const context = await browser.newContext({ ...windowOf(PHONE.width), viewport: PHONE })
    await context.addCookies([cookieOf(aya)])
    const page = await context.newPage()
    await page.goto(base)
    let taps = 0
    const main = page.locator('main')
    return {
      page,
      taps: () => taps,
      async tap(name: string | RegExp) {
        taps += 1
        const exact = typeof name === 'string'
        await main.getByRole('link', { name, exact }).or(main.getByRole('button', { name, exact })).first().click()
      },
      async choose(label: string) {
        taps += 1
        await page.getByLabel(label).check()
      },
      async type(label: string, text: string) {
        taps += 1
        await page.getByLabel(label).fill(text)
      },
      /** The sensor: the code stands for it, and the tap is counted. */
      async confirm() {
        await page.getByRole('textbox', { name: /code à six chiffres/ }).fill(await aya.code())
        await this.tap('Confirmer avec le code')
      },
      [Symbol.asyncDispose]: () => context.close(),
    }
  }

  async function looksWell(path: string, name: string, who = aya): Promise<void> {
    for (const [width, colorScheme, lang] of looks) {
      const viewport = width === widths.phone ? PHONE : { width, height: 900 }
      const context = await browser.newContext(windowOf(width, { colorScheme, viewport }))
      await context.addCookies([cookieOf(who)])
      const page = await context.newPage()
      await page.goto(`${new URL(path, `${base}/`).href}?lang=${lang}`)
      await keepPicture(page, `${name}-${width}-${lang}`)
      assert.deepEqual(await faultsOf(page, name), [])
      await context.close()
    }
  }

  test('all that is available is withdrawn with three taps, and the request stands on top', async () => {
    await using phone = await pickUp()
    await phone.tap('Retirer')
    await phone.tap('Retirer')
    await phone.confirm()
    await phone.page.getByRole('heading', { name: /^Retrait demandé/ }).waitFor()
    assert.equal(phone.taps(), 3)
    assert.equal((await settler.balances()).available, 0)
    await looksWell(`${base}/settlements`, 'withdraw-done')
    await looksWell(`${base}/settlements/schedule`, 'withdraw-auto')
  })

  test('another destination is proposed with at most seven taps, and what came in since is withdrawn first', async () => {
    const { merchant_id } = settler.tenant
    assert.equal((await installation.pay(settler.merchant.key, { amount: 50_000, simulate: 'succeed' })).status, 201)
    await waitFor(async () => (await settler.balances()).available > 40_000, { what: 'the money to come in' })
    await looksWell(`${base}/destination`, 'withdraw-change')
    await using phone = await pickUp()
    await phone.tap('Retirer')
    await phone.tap('Changer')
    await phone.type('IBAN', 'CI66 CI00 8011 1301 1342 9120 0590')
    await phone.type('Au nom de', 'Aya Kouassi')
    await phone.choose('Retirer d’abord')
    await phone.tap('Proposer')
    await phone.confirm()
    await phone.page.getByText('Nous vous rappelons').first().waitFor()
    assert.ok(phone.taps() <= 7, `${phone.taps()} taps`)
    const rows = await installation.db.sql`select amount from settlements where merchant_id = ${merchant_id}`
    assert.equal(rows.length, 2, 'the present destination gets the rest')
    await looksWell(`${base}/destination`, 'withdraw-callback')
    const { waiting } = (await aya.facts(`${new URL(base).pathname}/destination`)).body as { waiting: { id: string } }
    const desk = `${installation.services[0]!.address}/desk/${mode}`
    await looksWell(`${desk}/destinations`, 'desk-destinations', yao)
    await looksWell(`${desk}/destinations/${waiting.id}`, 'desk-callback', yao)
    await installation.db.sql`
      update destination_proposals
         set called_by = 'awa@example.ci', called_at = clock_now(), called_number = '07 08 63 51 40', call_report = 'Compte ouvert en novembre'
       where id = ${waiting.id}`
    await looksWell(`${desk}/destinations/${waiting.id}`, 'desk-destination', yao)
  })

  test('a refund is asked for with four taps, and the page of the payment says how it stands', async () => {
    const counterparty = { msisdn: newPayer() }
    const paid = await installation.pay(settler.merchant.key, { amount: 12_500, counterparty, simulate: 'succeed' })
    const { id } = paid.json() as { id: string }
    await using phone = await pickUp()
    const row = phone.page.locator(`main a[href$="/payments/${id}"]`).first()
    await row.waitFor({ timeout: 30_000 })
    await phone.page.locator('.latest').filter({ hasText: '12' }).waitFor({ timeout: 30_000 })
    await phone.tap(/12.500/)
    await phone.tap('Demander un remboursement')
    await looksWell(`${base}/payments/${id}/refund`, 'refund-ask')
    await phone.choose('Article rendu')
    await phone.tap('Demander le remboursement')
    await phone.page.getByText('Vérifié par le service').waitFor()
    assert.equal(phone.taps(), 4)
    await looksWell(`${base}/payments/${id}`, 'refund-state')
    const [request] = await installation.db.sql<
      { id: string }[]
    >`select id from refund_requests where payment_id = ${id}`
    const desk = `${installation.services[0]!.address}/desk/${mode}`
    await looksWell(`${desk}/refund-requests`, 'desk-refunds', yao)
    await looksWell(`${desk}/refund-requests/${request!.id}`, 'desk-refund', yao)
  })

  test('an owner who is alone proves a number and chooses it, and each page reads well', async () => {
    const other = await newSettler(installation, { available: 20_000 })
    const { merchant_id } = other.tenant
    await installation.db.sql`delete from beneficiaries where merchant_id = ${merchant_id}`
    const former = { base, aya }
    base = `${installation.services[0]!.address}/console/${mode}/${merchant_id}`
    aya = await openMember(installation, 'Aya Kouassi', { merchant_id, roles: ['owner'] })
    await looksWell(`${base}/destination`, 'withdraw-first')
    await using phone = await pickUp()
    await phone.tap('Retirer')
    await phone.tap('Choisir la destination')
    await phone.type('Votre numéro', newPayer())
    await phone.tap(/^Payer 100/)
    await phone.page.getByText('Prouvé', { exact: true }).waitFor({ timeout: 30_000 })
    await looksWell(phone.page.url(), 'withdraw-proven')
    await phone.tap('Choisir mon numéro')
    await phone.confirm()
    await phone.page.getByText('Arrêter ce changement').waitFor()
    await looksWell(`${base}/destination`, 'withdraw-cooling')
    ;({ base, aya } = former)
  })
})
