import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { createClock } from '../../src/platform/clock.ts'
import { openAnomalyDesk } from '../contract/anomaly-desk.ts'
import { IBAN } from '../contract/book.ts'
import { newCollector } from '../contract/collector.ts'
import { newSender } from '../contract/sender.ts'
import { newSettler } from '../contract/settler.ts'
import type { SeatOptions } from '../harness/console.ts'
import { type Installation, newPayer, openInstallation } from '../harness/installation.ts'
import { mode } from '../harness/mode.ts'
import { telephone } from '../harness/people.ts'
import { openMember } from '../harness/teams.ts'
import { waitFor } from '../harness/wait-for.ts'
import { openBrowser, overflowOf, skipWithoutBrowser, widths, windowOf } from './browser.ts'

// The walks of docs/walks that use a browser, click by click in English. The test looks for each walk's words in italics on the pages, so
// that it finds differences between a walk and the console.

describe('the walks in a browser', { skip: skipWithoutBrowser }, () => {
  let installation: Installation
  let browser: Browser
  let address: string
  let shown: string

  before(async () => {
    browser = await openBrowser()
    installation = await openInstallation({ own: 'reads all that waits on the desk' })
    address = installation.services[0]!.address
  })
  after(async () => {
    await browser?.close()
    await installation[Symbol.asyncDispose]()
  })

  /** Opens a person's window. */
  type Reader = { page: Page; code: () => Promise<string>; email: string }

  async function openWindow(width: number): Promise<{ context: BrowserContext; page: Page }> {
    const context = await browser.newContext(windowOf(width, { locale: 'en-GB' }))
    const page = await context.newPage()
    page.on('load', async () => {
      shown += await page.innerText('body').catch(() => '')
    })
    return { context, page }
  }

  async function openReader(seat: SeatOptions, width: number = widths.desk): Promise<Reader> {
    const { name = 'Aya Kouassi', ...roles } = seat
    const person = await openMember(installation, name, { ...roles, language: 'en' })
    const { context, page } = await openWindow(width)
    await context.addCookies([{ name: 'session', value: person.cookie.replace('session=', ''), url: address }])
    return { page, code: person.code, email: person.email }
  }

  async function look(page: Page): Promise<void> {
    shown += await page.innerText('body')
    assert.equal(await overflowOf(page), 0, page.url())
  }

  /** Presses a button or follows a link by its name, and checks the next page. */
  async function press({ page }: Pick<Reader, 'page'>, name: string | RegExp): Promise<void> {
    await look(page)
    const exact = typeof name === 'string'
    const named = page.getByRole('button', { name, exact }).or(page.getByRole('link', { name, exact }))
    await Promise.all([page.waitForEvent('load'), named.first().click()])
    await look(page)
  }

  const menu = async (reader: Reader, path: string) => {
    await reader.page.goto(new URL(path, address).href)
    await look(reader.page)
  }

  async function agree({ page, code }: Reader): Promise<void> {
    await page.locator('[name=secret_code]').fill(await code())
    await press({ page }, 'Confirm with the code')
  }

  async function checkWords(walk: string): Promise<void> {
    const text = await readFile(new URL(`../../docs/walks/${walk}`, import.meta.url), 'utf8')
    const plain = (some: string) => some.replace(/[\s\u202f\u00a0]+/g, ' ')
    const words = [...text.replace(/```.*?```/gs, '').matchAll(/\*([^*\n]+)\*/g)].map(([, said]) => plain(said!))
    assert.ok(words.length > 3)
    const unseen = words.filter((said) => !plain(shown).includes(said))
    assert.deepEqual(unseen, [], `${walk} names these, and no page shows them`)
  }

  /** Writes the file of a walk's block, as the reader's shell would. */
  async function fileOf(walk: string): Promise<Buffer> {
    const text = await readFile(new URL(`../../docs/walks/${walk}`, import.meta.url), 'utf8')
    const [, file] = /<<'END'\n(.*?)END\n/s.exec(text)!
    return Buffer.from(file!)
  }

  test('people invite a colleague, approve wages from a file on a telephone, find a payout, pay a settlement and export the month', {
    timeout: 300_000,
  }, async () => {
    shown = ''
    const walk = 'a-month-in-the-console.md'
    const settler = await newSettler(installation, { available: 20_000 })
    await newSender(installation, { funds: 80_000, of: settler.merchant })
    const { merchant_id } = settler.tenant
    const base = `/console/${mode}/${merchant_id}`
    const owner = await openReader({ merchant_id, roles: ['owner'], name: 'Aya Kouassi' })

    await menu(owner, base)
    await press(owner, 'Team')
    await press(owner, 'Invite')
    await owner.page.fill('#name', 'Mariam Traoré')
    await owner.page.fill('#email', 'mariam@example.com')
    await owner.page.getByLabel('Maker').check()
    await press(owner, 'Prepare the invitation')
    await agree(owner)
    const link = /https?:\/\/\S+\/console\/invitation\/\S+/.exec(await owner.page.innerText('main'))![0]

    const { page: invited } = await openWindow(widths.phone)
    await invited.goto(link.replace('localhost', '127.0.0.1'))
    await look(invited)
    await invited.locator('summary').click()
    const secret = /\b[A-Z2-7]{32}\b/.exec((await invited.innerText('details')).replace(/ /g, ''))![0]
    const mariam: Reader = { page: invited, email: 'mariam@example.com', code: async () => '' }
    await invited.fill('[name=secret_password]', 'vingt hérons bleus sur le lac')
    await invited.fill('[name=secret_code]', telephone(secret, createClock()).code())
    await press(mariam, 'Continue')
    await press(mariam, 'I have written them down')
    const { sql } = installation.db
    const [{ person_id }] = await sql<
      [{ person_id: string }]
    >`select person_id from persons where email = ${mariam.email}`
    mariam.code = async () => {
      await sql`update person_totp set last_step = null where person_id = ${person_id}`
      return telephone(secret, createClock()).code()
    }

    const approver = await openReader({ merchant_id, roles: ['approver'], name: 'Fatou Bamba' }, widths.phone)
    await menu(approver, `${base}/team`)
    await press(approver, 'Confirm Maker, Mariam Traoré')
    await agree(approver)

    await menu(owner, `${base}/caps`)
    await owner.page.getByLabel('Which cap').selectOption('Cap of 24 h')
    await owner.page.fill('#amount', '5 000')
    await owner.page.getByLabel('Why').fill('Wages are small')
    await press(owner, 'Continue')
    await agree(owner)

    await menu(mariam, base)
    await invited.setViewportSize({ width: widths.desk, height: 900 })
    await press(mariam, 'Payouts and batches')
    await press(mariam, 'See the batches')
    await press(mariam, 'New batch from a file')
    await invited.setInputFiles('#file', {
      name: 'wages-of-the-month.csv',
      mimeType: 'text/csv',
      buffer: await fileOf(walk),
    })
    await press(mariam, 'Read the file')
    await invited.locator('[name=msisdn3]').fill('07 84 33 20 51')
    await invited.locator('[name=amount4]').fill('1500')
    await invited.locator('[name=operator5]').selectOption('MTN MoMo')
    await press(mariam, 'Check these 3 lines')
    await press(mariam, /Make the batch of 6.500.F.CFA/)
    await agree(mariam)
    const batch = invited.url().split('?')[0]!

    await menu(approver, `${base}/approvals`)
    await approver.page.locator('main a[href*="/approvals/pob_"]').first().click()
    await approver.page.waitForURL(/approvals\/pob_/)
    await press(approver, 'Approve')
    await agree(approver)

    await menu(mariam, batch)
    await press(mariam, 'Send it')
    await agree(mariam)
    await invited.getByText('4 lines of 4 have arrived.').waitFor()
    await look(invited)
    await invited.keyboard.press('/')
    await invited.keyboard.type('2051')
    await Promise.all([invited.waitForEvent('load'), invited.keyboard.press('Enter')])
    await look(invited)
    await invited.getByRole('table').getByText('Yves Kouadio').waitFor()

    const accountant = await openReader({ merchant_id, roles: ['accountant'], name: 'Awa Diallo' })
    await menu(accountant, base)
    await press(accountant, 'Withdraw my money')
    await accountant.page.fill('#amount', '5 000')
    await press(accountant, 'Withdraw')
    await agree(accountant)

    const finance = await openReader({ staff: ['finance'], name: 'Adjoua Koné' })
    await menu(finance, `/desk/${mode}`)
    await press(finance, /^Settlements/)
    await finance.page.locator('main a[href*="/settlements/stl_"]').first().click()
    await finance.page.waitForURL(/settlements\/stl_/)
    const settlement = finance.page.url().split('/').at(-1)!.split('?')[0]!
    await press(finance, 'Validate')
    await agree(finance)
    const reference = ['--bank-reference', 'VIR-2026-0043']
    await installation.bandama('settlement', 'pay', '--id', settlement, '--as', 'issa@example.com', ...reference)

    await menu(accountant, base)
    await press(accountant, 'Statement')
    for (const format of ['CSV', 'PDF']) {
      const [file] = await Promise.all([
        accountant.page.waitForEvent('download'),
        accountant.page.getByRole('link', { name: format }).click(),
      ])
      assert.equal(await file.failure(), null)
    }
    await press(accountant, 'Payments')
    await press(accountant, 'Payouts and batches')
    await checkWords(walk)
  })

  test('two people close an anomaly from its evidence', async () => {
    shown = ''
    const collector = await newCollector(installation)
    const desk = openAnomalyDesk(installation, collector)
    const { anomaly } = await desk.amountMismatch()
    const operations = await openReader({ staff: ['operations'], name: 'Koffi Yao' })
    await menu(operations, `/desk/${mode}`)
    await press(operations, 'Take the oldest')
    assert.ok(operations.page.url().includes(anomaly.id), 'the oldest case is the one that opens')
    await operations.page.getByLabel('What to do').selectOption('It succeeded: the operator moved the money')
    await operations.page.getByLabel('Amount, F CFA').fill('1001')
    await operations.page.getByLabel('Why').fill('1 001 francs in the operator’s portal')
    await press(operations, /^Propose$/)
    assert.equal(await operations.page.getByRole('button', { name: 'Confirm' }).count(), 0, 'not by the same person')

    const finance = await openReader({ staff: ['finance'], name: 'Adjoua Koné' })
    await menu(finance, `/desk/${mode}`)
    await finance.page.locator(`main a[href*="/cases/${anomaly.id}"]`).first().click()
    await finance.page.waitForURL(/cases\//)
    await press(finance, 'Confirm')
    await agree(finance)
    const compliance = await openReader({ staff: ['compliance'], name: 'Yao Brou' })
    await menu(compliance, `/desk/${mode}`)
    await press(compliance, 'Audit log')
    const main = await compliance.page.innerText('main')
    assert.ok(main.includes('Koffi Yao') && main.includes('Adjoua Koné'), 'the audit log has both people')
    await checkWords('anomaly-by-two-people.md')
  })

  test('an owner who is alone proves her number, withdraws, changes where her money goes, and asks for a refund', {
    timeout: 300_000,
  }, async () => {
    shown = ''
    const { sql } = installation.db
    const settler = await newSettler(installation, { available: 60_000 })
    const { merchant_id, livemode } = settler.tenant
    await sql`delete from beneficiaries where merchant_id = ${merchant_id}`
    const aya = await openReader({ merchant_id, roles: ['owner'], name: 'Aya Kouassi' }, widths.phone)
    const [yao, awa] = [
      await openReader({ staff: ['compliance'], name: 'Yao Brou' }),
      await openReader({ staff: ['compliance'], name: 'Awa Traoré' }),
    ]
    const [adjoua, kofi] = [
      await openReader({ staff: ['finance'], name: 'Adjoua Koné' }),
      await openReader({ staff: ['finance'], name: 'Kofi Yao' }),
    ]
    const base = `/console/${mode}/${merchant_id}`
    const desk = `/desk/${mode}`

    await menu(yao, `${desk}/merchants`)
    await press(yao, 'New merchant')
    await yao.page.locator('#name').fill('Chez Aya')
    await press(yao, 'Continue')
    await agree(yao)
    const rose = await openReader({ staff: ['administrator'], name: 'Rose Adou' })
    await menu(rose, `${desk}/people`)
    await press(rose, 'Invite an owner')
    await menu(aya, base)
    await press(aya, 'Get paid')
    await aya.page.locator('#amount').fill('5000')
    await press(aya, 'Show the code')
    await menu(aya, `${base}/tills`)
    await menu(aya, `${base}/team`)
    await press(aya, 'Invite')

    await menu(aya, base)
    await press(aya, 'Withdraw')
    await press(aya, 'Choose the destination')
    await aya.page.getByLabel('Your number').fill(newPayer())
    await press(aya, /^Pay 100/)
    await aya.page.getByText('Proven').waitFor({ timeout: 30_000 })
    await press(aya, 'Choose my number')
    await agree(aya)
    await aya.page.getByText('Stop this change').waitFor()
    await look(aya.page)
    await sql`
      update beneficiaries set designated_at = designated_at - interval '25 hours'
       where merchant_id = ${merchant_id} and livemode = ${livemode} and designated_at is not null`

    await menu(aya, base)
    await press(aya, 'Withdraw')
    await press(aya, 'Withdraw')
    await agree(aya)
    await aya.page.getByRole('heading', { name: /^Withdrawal requested/ }).waitFor()
    const settlement = (await sql<{ id: string }[]>`select id from settlements where merchant_id = ${merchant_id}`)[0]!
      .id
    await menu(adjoua, `${desk}/settlements/${settlement}`)
    await press(adjoua, 'Validate')
    await agree(adjoua)
    const panel = aya.page.locator('section', { hasText: 'Automatic withdrawal' })
    await Promise.all([aya.page.waitForEvent('load'), panel.getByRole('link', { name: 'Change' }).click()])
    await aya.page.getByLabel('Every day').check()
    await press(aya, 'Save')
    await agree(aya)

    await menu(aya, `${base}/destination`)
    await aya.page.getByLabel('IBAN').fill(IBAN)
    await aya.page.getByLabel('Holder').fill('Aya Kouassi')
    await press(aya, 'Propose')
    await agree(aya)
    await aya.page.getByText('We call you back').first().waitFor()
    await menu(yao, `${desk}/destinations`)
    await Promise.all([yao.page.waitForEvent('load'), yao.page.locator('main a.row').first().click()])
    await yao.page.getByLabel('Number called').fill('07 08 63 51 40')
    await yao.page.getByLabel('The four digits heard').fill(IBAN.slice(-4))
    await yao.page.getByLabel('What was said').fill('She asked for it')
    await press(yao, 'Called: note it')
    await agree(yao)
    await menu(awa, yao.page.url())
    await press(awa, 'Confirm')
    await agree(awa)

    const [payment] = await sql<{ id: string }[]>`
      select id from payments where merchant_id = ${merchant_id} and status = 'succeeded' and amount = 100`
    await menu(aya, `${base}/payments/${payment!.id}`)
    await press(aya, 'Ask for a refund')
    await aya.page.getByLabel('Goods returned').check()
    // The money was withdrawn: some more comes in.
    const merchantKey = settler.merchant.key
    assert.equal((await installation.pay(merchantKey, { amount: 5_000, simulate: 'succeed' })).status, 201)
    await press(aya, 'Ask for the refund')
    await waitFor(async () => (await settler.balances()).available > 1_000, { what: 'money to come in' })
    await menu(kofi, `${desk}/refund-requests`)
    await Promise.all([kofi.page.waitForEvent('load'), kofi.page.locator('main a.row').first().click()])
    await press(kofi, 'Refund')
    await agree(kofi)
    await menu(aya, `${base}/payments/${payment!.id}`)
    await checkWords('a-shop-from-a-telephone.md')
  })
})
