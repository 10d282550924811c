import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { newNumber, newSender, type Sender } from '../contract/sender.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { openMember } from '../harness/teams.ts'
import { waitFor } from '../harness/wait-for.ts'
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

describe('a batch from a file in a browser', { skip: skipWithoutBrowser }, () => {
  let installation: Installation
  let browser: Browser
  let sender: Sender
  before(async () => {
    browser = await openBrowser()
    installation = await openInstallation()
    sender = await newSender(installation, { funds: 400_000 })
  })
  after(async () => {
    await browser.close()
    await installation[Symbol.asyncDispose]()
  })

  // Some thirty pages, each in three windows.
  test('without a script a person uploads a file, corrects its lines, makes the batch, executes it and follows it', {
    timeout: 420_000,
  }, async () => {
    const { merchant_id, livemode } = sender.tenant
    const { address } = installation.services[0]!
    const base = `${address}/console/${livemode ? 'live' : 'test'}/${merchant_id}`
    const person = await openMember(installation, 'Mariam Traoré', { merchant_id, roles: ['maker'] })
    const cookie = { name: 'session', value: person.cookie.replace('session=', ''), url: address }
    const open = async (width: number, colorScheme: 'light' | 'dark') => {
      const context = await browser.newContext({ ...windowOf(width, { colorScheme }), javaScriptEnabled: false })
      await context.addCookies([cookie])
      return context
    }
    /** Checks the current page in each window. */
    const look = async (name: string, at: string) => {
      for (const [width, scheme, lang] of looks) {
        const context = await browser.newContext(windowOf(width, { colorScheme: scheme }))
        await context.addCookies([cookie])
        const page = await context.newPage()
        await page.goto(`${at}${at.includes('?') ? '&' : '?'}lang=${lang}`)
        await keepPicture(page, `${name}-${width}-${lang}`)
        assert.deepEqual(await violationsOn(page), [], name)
        assert.equal(await overflowOf(page), 0, `${name} at ${width}`)
        await context.close()
      }
    }
    const context = await open(widths.phone, 'light')
    const page = await context.newPage()
    const send = async (text: Buffer, name = 'salaires-novembre.csv') => {
      await page.goto(`${base}/batches`)
      await page.getByRole('link', { name: 'Nouveau lot depuis un fichier' }).click()
      await page.setInputFiles('#file', { name, mimeType: 'text/csv', buffer: text })
      await page.getByRole('button', { name: 'Lire le fichier' }).click()
    }

    await send(Buffer.alloc(20 * 1024 * 1024, 'a'))
    await page.getByText('Ce fichier est trop lourd').first().waitFor()
    await keepPicture(page, 'batch-upload-refused-phone')

    const lines = [
      `Awa Koné;${newNumber()};orange;16000;SAL-11-01`,
      'Yves Kouadio;07 84 33 20;wave;16000;SAL-11-02',
      `Salimata Koné;${newNumber()};;17 500,50;`,
      `Brou Kévin;05${newNumber('0001').slice(2)};MTM;15000;SAL-11-04`,
      `Fanta Cissé;${newNumber().slice(1)};;15500;`,
    ]
    const wages = Buffer.from(`Nom;Numéro;Opérateur;Montant;Référence;Service\n${lines.join('\n')}\n`, 'latin1')
    await send(wages)
    await page.getByRole('heading', { name: '3 lignes à corriger' }).waitFor()
    const draft = page.url()
    await look('batch-mend', draft)
    const cut = await page
      .locator('.fault input[inputmode=tel]')
      .evaluateAll(
        (fields: readonly { scrollWidth: number; clientWidth: number }[]) =>
          fields.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).length,
      )
    assert.equal(cut, 0, 'a whole number is visible in its field')
    await look('batch-upload', `${base}/batches/new`)
    await page.getByRole('link', { name: 'Envoyer le fichier corrigé' }).click()
    await page.getByText('Les corrections faites à l’écran n’y sont pas').waitFor()
    await look('batch-replace', page.url())
    await page.goto(draft)
    const late = await context.newPage()
    await late.goto(draft)
    await page.locator('[name=msisdn3]').fill(newNumber())
    await page.locator('[name=amount4]').fill('17 500')
    await page.locator('[name=operator5]').selectOption('MTN MoMo')
    await page.getByRole('button', { name: 'Vérifier ces 3 lignes' }).click()
    await page.getByRole('heading', { name: '1 ligne à confirmer' }).waitFor()
    await look('batch-questions', draft)
    await page.getByRole('checkbox', { name: 'J’ai regardé : cette ligne est juste' }).check()
    await page.getByRole('button', { name: 'Continuer avec ce qui est coché' }).click()
    await page.getByRole('heading', { name: '5 lignes prêtes' }).waitFor()
    await late.locator('[name=amount4]').fill('17 600')
    await late.getByRole('button', { name: 'Vérifier ces 3 lignes' }).click()
    await late.getByText('Rien n’est encore changé').waitFor()
    await keepPicture(late, 'batch-mend-late-phone')
    assert.equal(await overflowOf(late), 0)
    assert.equal(await late.locator('[name=amount4]').inputValue(), '17 600')
    await late.close()
    await look('batch-ready', `${draft}?line=2`)
    await page.getByRole('button', { name: 'Créer sans envoyer' }).click()
    await agree(page, person.code, 'batch-confirm')
    await page.getByText('Le lot est créé').waitFor()
    await look('batch-made', page.url().split('?')[0]!)
    await page.getByRole('button', { name: 'Lancer l’envoi' }).click()
    await agree(page, person.code, 'batch-launch')
    await page.getByText('L’envoi est lancé').first().waitFor()
    const batch = page.url().split('?')[0]!
    await sender.untilBatch(batch.split('/').at(-1)!, 'termine_avec_erreurs')
    await look('batch-ended', batch)
    await page.goto(batch)
    const again = page.getByRole('button', { name: 'Nouveau brouillon avec la ligne échouée' })
    await again.click()
    await page.getByRole('heading', { name: 'Ce que disent les opérateurs' }).waitFor()
    const asked = page.url().replace('#asked', '')
    const isAnswered = async () => {
      await page.goto(asked)
      return await page.getByText('Aucune ligne échouée n’est partie').isVisible()
    }
    await waitFor(isAnswered, { what: 'the operator to say that nothing left' })
    await look('batch-asked', asked)
    await again.click()
    await page.getByRole('heading', { name: '1 ligne prête' }).waitFor()
    await look('batch-again', page.url())
    await send(wages)
    await page.getByRole('heading', { name: 'Ce fichier est déjà venu' }).waitFor()
    await look('batch-file-again', page.url())

    await send(Buffer.from(`Matricule;Agent;Wallet;Net à payer\nM-01;Awa Koné;${newNumber()};16000\n`), 'primes.csv')
    await page.getByRole('heading', { name: 'Que contient chaque colonne ?' }).waitFor()
    await look('batch-columns', page.url())
    await page.getByLabel('Colonne 1').selectOption('Votre référence')
    await page.getByRole('button', { name: 'Lire le fichier ainsi' }).click()
    await page.getByRole('heading', { name: '1 ligne prête' }).waitFor()
    await look('batch-columns-read', page.url())
    await context.close()
  })
})

async function agree(page: Page, code: () => Promise<string>, name: string): Promise<void> {
  await page.locator('[name=secret_code]').fill(await code())
  await keepPicture(page, name)
  await page.getByRole('button', { name: 'Confirmer avec le code' }).click()
}
