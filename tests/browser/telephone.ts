import type { Browser, CDPSession, Page } from 'playwright-core'
import { giveFactors, openBrowser as openSignedIn, type Browser as Person } from '../harness/console.ts'
import type { Installation } from '../harness/installation.ts'
import { widths, windowOf } from './browser.ts'

// Chromium's virtual authenticator works like a telephone's: it stores passkeys, verifies its person, and answers by itself.

/** @property address of the service, by name: browsers create no passkey for a numeric address */
export type Telephone = { person: Person; page: Page; cdp: CDPSession; authenticatorId: string; address: string }

/** Opens a signed-in telephone of an owner that can create passkeys. */
export async function openTelephone(
  browser: Browser,
  { db: { sql }, services }: Installation,
  merchant_id: number,
  name?: string,
): Promise<Telephone> {
  const address = services[0]!.address.replace('127.0.0.1', 'localhost')
  const person = await openSignedIn(sql, address, {
    merchant_id,
    roles: ['owner'],
    ...(name !== undefined && { name }),
  })
  const context = await browser.newContext(windowOf(widths.phone))
  await context.addCookies([{ name: 'session', value: person.cookie.replace('session=', ''), url: address }])
  const page = await context.newPage()
  const cdp = await context.newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true },
      ...{ hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
    },
  })
  return { person, page, cdp, authenticatorId, address }
}

/** Adds a passkey on the account page, with the person's factor. @param base of the merchant's console */
export async function addPasskey(
  { db, secret_key }: Installation,
  { person, page }: Telephone,
  base: string,
): Promise<void> {
  const code = await giveFactors(db.sql, secret_key, person)
  await page.goto(`${base}/account`)
  await page.getByRole('button', { name: 'Ajouter une clé d’accès' }).click()
  await page.getByRole('textbox', { name: /code à six chiffres/ }).fill(await code())
  await page.getByRole('button', { name: 'Confirmer avec le code' }).click()
  await page.getByRole('textbox', { name: 'Son nom' }).fill('Mon téléphone')
  await page.getByRole('button', { name: 'Créer ma clé d’accès' }).click()
  await page.getByText('C’est enregistré.').waitFor()
  await page.getByText('Mon téléphone').waitFor()
}
