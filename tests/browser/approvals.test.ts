import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { newSender, type Sender } from '../contract/sender.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { type Member, openMember } from '../harness/teams.ts'
import {
  keepPicture,
  looks,
  openBrowser,
  overflowOf,
  skipWithoutBrowser,
  violationsOn,
  widths,
  windowOf,
} from './browser.ts'

/** A small telephone: its first view has all that a decision needs. */
const PHONE = { width: 320, height: 568 }

describe('approvals in a browser', { skip: skipWithoutBrowser }, () => {
  let installation: Installation
  let browser: Browser
  let sender: Sender
  let base: string
  let address: string
  let cookie: { name: string; value: string; url: string }
  let person: Member
  before(async () => {
    browser = await openBrowser()
    installation = await openInstallation()
    sender = await newSender(installation, { funds: 2_000_000 })
    const { merchant_id, livemode } = sender.tenant
    address = installation.services[0]!.address
    base = `/console/${livemode ? 'live' : 'test'}/${merchant_id}`
    person = await openMember(installation, 'Aya Kouassi', { merchant_id, roles: ['owner'] })
    cookie = { name: 'session', value: person.cookie.replace('session=', ''), url: address }
  })
  after(async () => {
    await browser.close()
    await installation[Symbol.asyncDispose]()
  })

  async function openPage(path: string, more: BrowserContextOptions): Promise<Page> {
    const context = await browser.newContext(more)
    await context.addCookies([cookie])
    const page = await context.newPage()
    await page.goto(new URL(path.startsWith('/console') ? path : `${base}${path}`, address).href)
    return page
  }

  const koffi = { msisdn: '0748219306', operator: 'orange_ci', name: 'Koffi Yao' }

  async function ask(amount = 250_000, beneficiary: object = koffi): Promise<string> {
    const answer = await sender.send({ amount, beneficiary, reference: 'Acompte tissu, facture 318' })
    assert.equal(answer.status, 202, answer.text)
    return (answer.json() as { id: string }).id
  }

  async function askBatch(): Promise<string> {
    const lines = Array.from({ length: 26 }, (_, nth) => ({
      amount: 20_000 + nth * 500,
      beneficiary: { msisdn: `05761109${10 + nth}`, operator: 'mtn_ci', name: `Brou Kévin ${nth}` },
    }))
    const answer = await sender.prepare({ lines, reference: 'Salaires novembre' })
    assert.equal(answer.status, 201, answer.text)
    return (answer.json() as { id: string }).id
  }

  async function looksWell(path: string, name: string): Promise<void> {
    for (const [width, colorScheme, lang] of looks) {
      const viewport = width === widths.phone ? PHONE : { width, height: 900 }
      const page = await openPage(`${path}?lang=${lang}`, windowOf(width, { colorScheme, viewport }))
      await keepPicture(page, `${name}-${width}-${lang}`)
      assert.deepEqual(await violationsOn(page), [], name)
      assert.equal(await overflowOf(page), 0, `${name} at ${width}`)
      await page.context().close()
    }
  }

  test('every page of an approval reads well in both widths, languages and colour schemes', async () => {
    const [request, batch] = [await ask(), await askBatch()]
    await looksWell('/approvals', 'approvals')
    await looksWell(`/approvals/${request}`, 'approval')
    await looksWell(`/approvals/${batch}`, 'approval-batch')
  })

  test('on a small telephone the first view has all that a decision needs, and two buttons of 44 px', async () => {
    const page = await openPage(`/approvals/${await ask()}`, { ...windowOf(PHONE.width), viewport: PHONE })
    const decide = (await page.locator('.decide').boundingBox())!
    assert.ok(decide.y + decide.height <= PHONE.height + 1, JSON.stringify(decide))
    for (const words of ['250\u202f000', 'Koffi Yao', 'Demandé par', 'Pourquoi', 'Expire']) {
      const box = (await page.getByText(words).first().boundingBox())!
      assert.ok(box.y >= 0 && box.y + box.height <= decide.y, `${words} at ${JSON.stringify(box)}`)
    }
    for (const button of await page.locator('.decide button').all()) {
      assert.ok((await button.boundingBox())!.height >= 44)
    }
    await page.context().close()
  })

  test('a decision needs no script: two taps and a code', async () => {
    const id = await ask(300_000)
    const page = await openPage(`/approvals/${id}`, {
      ...windowOf(PHONE.width),
      viewport: PHONE,
      javaScriptEnabled: false,
    })
    await page.getByRole('button', { name: 'Approuver' }).click()
    await keepPicture(page, 'approval-step-up-320')
    await page.getByRole('textbox', { name: /code à six chiffres/ }).fill(await person.code())
    await page.getByRole('button', { name: 'Confirmer avec le code' }).click()
    await page.getByRole('heading', { name: /^Approuvé/ }).waitFor()
    await keepPicture(page, 'approval-done-320')
    assert.equal(new URL(page.url()).pathname, `${base}/approvals/${id}`)
    assert.equal(((await sender.read(id)).json() as { status: string }).status, 'approved')
    await page.context().close()
    await looksWell(`/approvals/${id}`, 'approval-done')
  })
})
