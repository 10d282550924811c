import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contractRoutes } from '../../src/platform/http/docs.ts'
import { openApiDocument } from '../../src/platform/http/openapi.ts'
import { openTestServer, sampleRoutes } from '../harness/http-server.ts'
import { openBrowser, skipWithoutBrowser, widths, windowOf } from './browser.ts'

const brand = { name: 'Bandama', header_prefix: 'Service', legacy_header_prefix: 'Legacy', key_prefix: 'bdm' }

test('the documentation shows every route, and its policy blocks nothing that it needs', {
  skip: skipWithoutBrowser,
}, async () => {
  const about = { brand, version: '2026-08-25', introduction: 'What this is.', webhooks: [], answers: {} }
  const docs = await contractRoutes(openApiDocument(sampleRoutes, about), brand)
  await using server = await openTestServer({ routes: [...sampleRoutes, ...docs] })
  await using browser = await openBrowser()
  const page = await browser.newPage(windowOf(widths.desk))
  const faults: string[] = []
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()))
  page.on('pageerror', (error) => faults.push(String(error)))
  await page.goto(`${server.url}/docs/try`)
  for (const { summary } of sampleRoutes) await page.getByText(summary, { exact: true }).first().waitFor()
  assert.deepEqual(faults, [])
})
