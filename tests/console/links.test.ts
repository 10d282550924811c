import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBrowser } from '../harness/console.ts'
import { openTestDatabase } from '../harness/database.ts'
import { newMerchant } from '../harness/merchant.ts'
import { startService } from '../harness/start-service.ts'

/** The most pages that the crawl of one door opens. */
const PAGES_MAX = 200

test('every link of every page that an owner and the staff can reach leads to a page', async () => {
  await using db = await openTestDatabase()
  await using service = await startService({ url: db.url, env: { RATE_PER_ADDRESS: '1000000' } })
  const { merchant_id } = await newMerchant(db.sql)
  const owner = await openBrowser(db.sql, service.address, { merchant_id, roles: ['owner', 'developer'] })
  const staff = await openBrowser(db.sql, service.address, {
    staff: ['support', 'operations', 'finance', 'compliance', 'administrator'],
  })
  const wrong: string[] = []
  for (const [person, first] of [
    [owner, `/console/test/${merchant_id}`],
    [staff, '/desk/test'],
  ] as const) {
    const waiting: { path: string; from: string }[] = [{ path: first, from: 'the door' }]
    const seen = new Set<string>([first])
    for (const { path, from } of waiting) {
      const page = await person.get(path)
      if (page.status !== 200) wrong.push(`${path} (on ${from}): ${page.status}`)
      for (const [, link] of page.text.matchAll(/<a\b[^>]* href="([^"#]*)"/g)) {
        const to = link!.replaceAll('&amp;', '&')
        // Filters and languages link to the same page.
        const [plain = ''] = to.split('?')
        if (!plain.startsWith(first) || seen.has(plain) || seen.size >= PAGES_MAX) continue
        seen.add(plain)
        waiting.push({ path: to, from: path })
      }
    }
    assert.ok(seen.size > 5, `the crawl from ${first} found pages`)
  }
  assert.deepEqual(wrong, [])
})
