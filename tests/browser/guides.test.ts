import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { faultsOf, looks, openBrowser, skipWithoutBrowser, widths, windowOf } from './browser.ts'

let installation: Installation
before(async () => {
  installation = await openInstallation({ processes: [['--only', 'api']] })
})
after(() => installation[Symbol.asyncDispose]())

/** One page of each kind: a guide with samples, wide tables, an error, the search, a page in English alone. */
const pages = [
  'payer',
  'venir-de-cinetpay',
  'reference/createPayment',
  'erreurs/no_answer',
  'recherche?q=deux+fois',
  'acts',
]

test('the documentation fits every window and is accessible, in both colour schemes', {
  skip: skipWithoutBrowser,
}, async () => {
  await using browser = await openBrowser()
  const faults: string[] = []
  for (const [width, colorScheme, language] of looks) {
    const context = await browser.newContext(windowOf(width, { colorScheme }))
    const page = await context.newPage()
    page.on('console', (message) => message.type() === 'error' && faults.push(message.text()))
    for (const path of language === 'fr' ? pages : ['', '/retries', '/limits'].map((path) => `../en${path}`)) {
      await page.goto(`${installation.services[0]!.address}/docs/fr/${path}`)
      faults.push(...(await faultsOf(page, `/docs/fr/${path} at ${width} px, ${colorScheme}`)))
    }
    await context.close()
  }
  assert.deepEqual(faults, [])
})

test('a reader without script and mouse changes the language of a sample, and searches', {
  skip: skipWithoutBrowser,
}, async () => {
  await using browser = await openBrowser()
  const context = await browser.newContext({ ...windowOf(widths.desk), javaScriptEnabled: false })
  const page = await context.newPage()
  await page.goto(`${installation.services[0]!.address}/docs/fr/encaisser`)
  const [typescript, php] = [page.getByText('outcomeOf(end)').first(), page.getByText('Outcome::of').first()]
  assert.deepEqual([await typescript.isVisible(), await php.isVisible()], [true, false])
  await page.getByRole('radio', { name: 'TypeScript' }).first().focus()
  await page.keyboard.press('ArrowRight')
  assert.deepEqual([await typescript.isVisible(), await php.isVisible()], [false, true])
  await page.getByRole('searchbox').focus()
  await page.keyboard.type('webhook')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Résultats pour « webhook »' }).waitFor()
  await page.getByRole('link', { name: 'Webhooks', exact: true }).first().waitFor()
})
