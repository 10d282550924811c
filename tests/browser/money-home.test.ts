import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { confirmDestination, withdrawDestination } from '../../src/beneficiaries/decide-destination.ts'
import { createClock } from '../../src/platform/clock.ts'
import { newNumber } from '../contract/sender.ts'
import { newSettler, type Settler } from '../contract/settler.ts'
import { actor } from '../harness/actor.ts'
import { openBrowser as openSignedIn } from '../harness/console.ts'
import { proposeDestination } from '../harness/destinations.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { perform } from '../harness/perform.ts'
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

/** A small telephone. */
const PHONE = { width: 320, height: 568 }

describe('settlements and their destination, in a browser', { skip: skipWithoutBrowser }, () => {
  let installation: Installation
  let browser: Browser
  let settler: Settler
  let base: string
  let owner: Member
  let address: string
  let cookie: { name: string; value: string; url: string }
  before(async () => {
    browser = await openBrowser()
    installation = await openInstallation()
    settler = await newSettler(installation, { available: 300_000 })
    const { merchant_id, livemode } = settler.tenant
    address = installation.services[0]!.address
    base = `/console/${livemode ? 'live' : 'test'}/${merchant_id}`
    owner = await openMember(installation, 'Aya Kouassi', { merchant_id, roles: ['owner'] })
    cookie = { name: 'session', value: owner.cookie.replace('session=', ''), url: address }
  })
  after(async () => {
    await browser.close()
    await installation[Symbol.asyncDispose]()
  })

  async function looksWell(path: string, name: string): Promise<void> {
    for (const [width, colorScheme, lang] of looks) {
      const viewport = width === widths.phone ? PHONE : { width, height: 900 }
      const context = await browser.newContext(windowOf(width, { colorScheme, viewport }))
      await context.addCookies([cookie])
      const page = await context.newPage()
      await page.goto(new URL(`${base}${path}?lang=${lang}`, address).href)
      await keepPicture(page, `${name}-${width}-${lang}`)
      assert.deepEqual(await violationsOn(page), [], name)
      assert.equal(await overflowOf(page), 0, `${name} at ${width}`)
      await context.close()
    }
  }

  test('the book, an entry of it and the form of a new one read well', async () => {
    const { merchant_id, livemode } = settler.tenant
    const rows = await installation.db.sql<{ id: string }[]>`
      insert into beneficiaries (merchant_id, livemode, kind, name, label, operator, msisdn, last4, added_by)
      values (${merchant_id}, ${livemode}, 'payout', 'Koffi Yao', 'Fournisseur tissu', 'orange_ci', '+2250748219306', '9306', 'aya@example.ci'),
             (${merchant_id}, ${livemode}, 'payout', 'Tissus Adjamé SARL et fils', null, 'mtn_ci', '+2250500004022', '4022', null),
             (${merchant_id}, ${livemode}, 'payout', 'Yves Kouadio', 'Vendeur', 'wave_ci', '+2250700002051', '2051', 'key:k1')
      returning id`
    await looksWell('/beneficiaries', 'book')
    await looksWell(`/beneficiaries/${rows[0]!.id}`, 'book-entry')
    await looksWell('/beneficiaries/new', 'book-new')
  })

  test('the request of a settlement reads well, also during a cooling-off', async () => {
    await settler.request(120_000)
    await looksWell('/settlements', 'settlements')
    await settler.designate(await settler.newWallet(newNumber()))
    await looksWell('/settlements', 'settlements-cooling')
  })

  test('a settlement is requested without a script: an amount, one tap and a code', async () => {
    const context = await browser.newContext({ ...windowOf(PHONE.width), viewport: PHONE, javaScriptEnabled: false })
    await context.addCookies([cookie])
    const page = await context.newPage()
    await settler.designate(settler.destination, '2026-01-01T00:00:00Z')
    await page.goto(new URL(`${base}/settlements`, address).href)
    // Another request waits already, so the form is folded.
    await page.getByText('Retirer encore').click()
    await page.getByRole('textbox', { name: 'Montant, F CFA' }).fill('25 000')
    await page.getByRole('button', { name: 'Retirer', exact: true }).click()
    await keepPicture(page, 'settlement-step-up-320')
    assert.equal(await overflowOf(page), 0)
    await page.getByRole('textbox', { name: /code à six chiffres/ }).fill(await owner.code())
    await page.getByRole('button', { name: 'Confirmer avec le code' }).click()
    await page.getByText('Demandé. Notre équipe valide, puis verse.').waitFor()
    await keepPicture(page, 'settlement-asked-320')
    await context.close()
  })

  test('the destination reads well for both people while a proposal waits, and during the cooling-off', async () => {
    const { merchant_id } = settler.tenant
    const { sql } = installation.db
    const awa = await openSignedIn(sql, address, { merchant_id, roles: ['accountant'], name: 'Awa Diallo' })
    const propose = (id: string, person: string) => proposeDestination(sql, settler.tenant, id, actor(person))
    const wallet = await settler.newWallet(newNumber())
    const proposed = await propose(wallet, awa.email)
    assert.ok(proposed.kind === 'done')
    await looksWell('/destination', 'destination-to-decide')
    const deps = { sql, clock: createClock(), settlementRules: { destination_cooling_hours: 24 } }
    const onProposal = (id: string) => ({ id, within: settler.tenant })
    const confirmed = await perform(
      confirmDestination,
      deps,
      onProposal(proposed.result.proposal_id),
      actor(owner.email),
    )
    assert.equal(confirmed.kind, 'done')
    await openSignedIn(sql, address, { merchant_id, roles: ['approver'], name: 'Fatou Bamba' })
    const withdraw = async () => {
      const { waiting } = (await owner.facts(`${base}/destination`)).body as { waiting: { id: string } }
      await perform(withdrawDestination, deps, onProposal(waiting.id), actor(owner.email))
    }
    await propose(settler.destination, owner.email)
    await looksWell('/destination', 'destination-cooling')
    await withdraw()
    await propose(settler.destination, awa.email)
    await looksWell('/destination', 'destination-account-to-decide')
    await withdraw()
    await sql`update beneficiaries set designated_at = '2026-01-01T00:00:00Z' where id = ${wallet}`
    await looksWell('/destination', 'destination')
  })
})
