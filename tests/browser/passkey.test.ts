import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { newSender, type Sender } from '../contract/sender.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { openBrowser, skipWithoutBrowser } from './browser.ts'
import { addPasskey as addTo, openTelephone as openAt, type Telephone } from './telephone.ts'

describe('a passkey in a browser', { skip: skipWithoutBrowser }, () => {
  let installation: Installation
  let browser: Browser
  let sender: Sender
  let address: string
  let base: string
  before(async () => {
    browser = await openBrowser()
    installation = await openInstallation()
    sender = await newSender(installation, { funds: 2_000_000 })
    // Browsers create no passkey for a numeric address.
    address = installation.services[0]!.address.replace('127.0.0.1', 'localhost')
    base = `${address}/console/${sender.tenant.livemode ? 'live' : 'test'}/${sender.tenant.merchant_id}`
  })
  after(async () => {
    await browser.close()
    await installation[Symbol.asyncDispose]()
  })

  const openTelephone = () => openAt(browser, installation, sender.tenant.merchant_id)
  const addPasskey = (telephone: Telephone) => addTo(installation, telephone, base)

  async function signOut(page: Page): Promise<void> {
    await page.getByRole('link', { name: 'Menu', exact: true }).click()
    await page.getByRole('button', { name: 'Se déconnecter' }).click()
    await page.getByRole('heading', { name: 'Entrer dans votre console' }).waitFor()
  }

  /** Checks that the sign-in page is shown again, with its sentence. */
  async function refusedHere(page: Page, words = /Cette clé d’accès n’a pas été reconnue/): Promise<void> {
    await page.waitForURL(/\/sign-in\/passkey$/)
    assert.match(await page.locator('main').innerText(), words)
  }

  const enter = (page: Page) => page.getByRole('button', { name: 'Entrer avec ma clé d’accès' }).click()

  async function ask(amount: number): Promise<string> {
    const koffi = { msisdn: '0748219306', operator: 'orange_ci', name: 'Koffi Yao' }
    const answer = await sender.send({ amount, beneficiary: koffi, reference: 'Facture 318' })
    assert.equal(answer.status, 202, answer.text)
    return (answer.json() as { id: string }).id
  }

  const statusOf = async (id: string) => ((await sender.read(id)).json() as { status: string }).status

  test('is created, signs in alone, and confirms exactly the approval on the page', async () => {
    const telephone = await openTelephone()
    const { page, person, cdp, authenticatorId } = telephone
    await addPasskey(telephone)
    const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId })
    assert.deepEqual(
      credentials.map(({ rpId, isResidentCredential }) => [rpId, isResidentCredential]),
      [['localhost', true]],
    )
    await signOut(page)
    await enter(page)
    await page.waitForURL(/\/console\/live\/\d+$/)
    const [session] = await installation.db.sql`
      select factor
        from person_sessions
       where person_id = ${person.person_id} and ended_at is null`
    assert.equal(session!.factor, 'passkey')

    const [shown, other] = [await ask(250_000), await ask(900_000)]
    await page.goto(`${base}/approvals/${shown}`)
    await page.getByRole('button', { name: 'Approuver' }).click()
    await page.getByRole('button', { name: 'Confirmer avec ma clé d’accès' }).click()
    await page.getByRole('heading', { name: /^Approuvé/ }).waitFor()
    assert.equal(await statusOf(shown), 'approved')
    const [kept] = await installation.db.sql`
      select factor, content, proof is not null as signed
        from step_ups
       where person_id = ${person.person_id} and subject = ${shown}`
    assert.deepEqual([kept!.factor, kept!.signed], ['passkey', true])
    assert.match(kept!.content, /250000/)

    // The page shows one approval and submits the signature for another, so the signed content differs from the act.
    const third = await ask(120_000)
    await page.goto(`${base}/approvals/${third}`)
    await page.getByRole('button', { name: 'Approuver' }).click()
    await page
      .locator('form')
      .filter({ hasText: 'Confirmer avec ma clé' })
      .evaluate(
        (form, [from, to]) => {
          const of = form as unknown as { action: string }
          of.action = of.action.replace(from!, to!)
        },
        [third, other],
      )
    await page.getByRole('button', { name: 'Confirmer avec ma clé d’accès' }).click()
    await page
      .getByText(/900.000/)
      .first()
      .waitFor()
    assert.deepEqual([await statusOf(third), await statusOf(other)], ['pending_approval', 'pending_approval'])
    await page.context().close()
  })

  test('is refused if its answer comes from another origin, whoever submits it', async () => {
    const telephone = await openTelephone()
    const { page, cdp } = telephone
    await addPasskey(telephone)
    await signOut(page)
    const question = (await page.locator('[data-passkey]').getAttribute('data-passkey'))!
    // The passkey is bound to the host. This origin differs only by its port, so the passkey answers.
    const elsewhere = createServer((_, response) => response.setHeader('content-type', 'text/html').end('<p>Gagnez'))
    await new Promise<void>((listening) => elsewhere.listen(0, '127.0.0.1', listening))
    try {
      const lure = await page.context().newPage()
      await lure.goto(`http://localhost:${(elsewhere.address() as AddressInfo).port}/`)
      const other = await page.context().newCDPSession(lure)
      await other.send('WebAuthn.enable')
      const { authenticatorId } = await other.send('WebAuthn.addVirtualAuthenticator', {
        options: {
          ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true },
          ...{ hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
        },
      })
      const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId: telephone.authenticatorId })
      await other.send('WebAuthn.addCredential', { authenticatorId, credential: credentials[0]! })
      const answer = await lure.evaluate(answerAs, question)
      assert.match(
        Buffer.from(JSON.parse(answer).response.clientDataJSON, 'base64url').toString(),
        /"http:\/\/localhost:/,
      )
      await page.locator('[name=secret_assertion]').evaluate((field, value) => {
        const input = field as unknown as { value: string; form: { submit(): void } }
        input.value = value
        input.form.submit()
      }, answer)
      await refusedHere(page)
      assert.equal((await page.goto(base))!.url(), `${address}/console/sign-in?${next(base)}`)
    } finally {
      elsewhere.close()
      elsewhere.closeAllConnections()
    }
    await page.context().close()
  })

  test('is taken for a copy and refused if its counter went back', async () => {
    const telephone = await openTelephone()
    const { page, cdp, authenticatorId } = telephone
    await addPasskey(telephone)
    const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId })
    const copy = credentials[0]!
    for (let times = 0; times < 2; times += 1) {
      await signOut(page)
      await enter(page)
      await page.waitForURL(/\/console\/live\/\d+$/)
    }
    await signOut(page)
    await cdp.send('WebAuthn.clearCredentials', { authenticatorId })
    await cdp.send('WebAuthn.addCredential', { authenticatorId, credential: copy })
    await enter(page)
    await refusedHere(page, /Le compteur de cette clé d’accès est revenu en arrière/)
    const [line] = await installation.db.sql`
      select act, after
        from audit_log
       where actor = ${telephone.person.email}
       order by at desc, id desc
       limit 1`
    assert.deepEqual(line, { act: 'session.refuse', after: { factor: 'passkey', reason: 'counted_back' } })
    await page.context().close()
  })

  const next = (url: string) => new URLSearchParams({ next: new URL(url).pathname })
})

/** Answers our question as a page of another origin would. Runs in the browser. */
async function answerAs(question: string): Promise<string> {
  const bytes = (text: string) =>
    Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (letter) => letter.charCodeAt(0))
  const text = (buffer: ArrayBuffer) =>
    btoa(String.fromCharCode(...new Uint8Array(buffer)))
      .replace(/\+/g, '-')
      .replace(/\//g, '_')
      .replace(/=+$/, '')
  type Signed = Record<'clientDataJSON' | 'authenticatorData' | 'signature' | 'userHandle', ArrayBuffer>
  const { navigator } = globalThis as unknown as {
    navigator: { credentials: { get(wanted: object): Promise<{ id: string; type: string; response: Signed }> } }
  }
  const options = JSON.parse(question)
  const publicKey = { ...options, challenge: bytes(options.challenge), allowCredentials: [] }
  const { id, type, response } = await navigator.credentials.get({ publicKey })
  const signed = {
    clientDataJSON: text(response.clientDataJSON),
    authenticatorData: text(response.authenticatorData),
    signature: text(response.signature),
    userHandle: text(response.userHandle),
  }
  return JSON.stringify({ id, rawId: id, type, response: signed, clientExtensionResults: {} })
}
