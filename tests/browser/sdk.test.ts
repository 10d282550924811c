import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { faultsOf, looks, openBrowser, skipWithoutBrowser, windowOf } from './browser.ts'

let installation: Installation
before(async () => {
  installation = await openInstallation({ processes: [['--only', 'api']] })
})
after(() => installation[Symbol.asyncDispose]())

test('the page of the packages fits every window, is accessible, and works without script', {
  skip: skipWithoutBrowser,
}, async () => {
  await using browser = await openBrowser()
  const faults: string[] = []
  for (const [width, colorScheme, language] of looks) {
    const context = await browser.newContext(windowOf(width, { colorScheme }))
    const page = await context.newPage()
    page.on('console', (message) => message.type() === 'error' && faults.push(message.text()))
    await page.goto(`${installation.services[0]!.address}/sdk?lang=${language}`)
    // One to install each package, and a sample.
    assert.equal(await page.locator('pre').count(), 8)
    faults.push(...(await faultsOf(page, `/sdk at ${width} px, ${colorScheme}`)))
    await context.close()
  }
  assert.deepEqual(faults, [])
})
