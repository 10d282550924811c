import assert from 'node:assert/strict'
import { test } from 'node:test'
import { screens } from '../../src/app/screens.ts'
import type { Screen } from '../../src/console/screen.ts'
import { merchantRoles, type Right, rightsOf, staffRoles } from '../../src/values/rights.ts'
import { type Browser, openBrowser } from '../harness/console.ts'
import { openTestDatabase } from '../harness/database.ts'
import { newMerchant } from '../harness/merchant.ts'
import { logLines, startService } from '../harness/start-service.ts'

const all: readonly Screen[] = screens

/** Returns a screen's address in a place, with unknown ids. */
function addressOf({ door, path }: Screen, mode: string, merchant_id: number): string {
  const filled = path.replace(/:(\w+)/g, 'txn_01k5v0e9t8fq3a7mzd4n2xw6rb')
  return door === 'console' ? `/console/${mode}/${merchant_id}${filled}` : `/desk/${mode}${filled}`
}

/**
 * Returns how far a request came, by the answer for a program. A form without its nonce is refused after the checks of place and right, so
 * `stale_form` means that both passed and nothing was done.
 */
async function reach({ method }: Screen, browser: Browser, address: string, path: string): Promise<string> {
  const headers = { cookie: browser.cookie, accept: 'application/json' }
  const body = method === 'POST' ? { body: new URLSearchParams(), method } : {}
  const response = await fetch(new URL(path, address), { redirect: 'manual', headers, ...body })
  if (response.status === 303) return 'inside'
  const type = response.headers.get('content-type') ?? ''
  if (!type.includes('json')) return 'inside'
  const { error } = (await response.json()) as { error?: { code?: string } }
  const code = error?.code ?? 'inside'
  if (code === 'stale_form') return 'inside'
  return code
}

/** The screens whose handler checks a second right: an export needs the right to export and the right to read the list. */
const alsoNeeded: Readonly<Record<string, Right>> = {
  eventsExport: 'webhooks.read',
  deliveriesExport: 'webhooks.read',
  requestsExport: 'requests.read',
}

function rightsFor({ right, operation }: Screen): Right[] {
  return [right, alsoNeeded[operation] ?? null].filter((needed) => needed !== null)
}

test('exactly the roles with its right can open a screen, in their own place', async () => {
  assert.ok(all.length > 0, 'no screen is declared')
  await using db = await openTestDatabase()
  // The whole log: the service keeps only its end, and there are more refusals.
  let output = ''
  const onOutput = (text: string) => {
    output += text
  }
  await using service = await startService({ url: db.url, env: { RATE_PER_ADDRESS: '1000000' }, onOutput })
  const { merchant_id } = await newMerchant(db.sql)
  const other = await newMerchant(db.sql, { name: 'Autre boutique' })
  const wrong: string[] = []
  let refused = 0
  const expect = (screen: Screen, who: string, reached: string, may: boolean, refusal: string) => {
    // The handler of an allowed screen may itself answer that the id is unknown.
    if (reached === 'not_permitted') refused += 1
    const inside = reached !== 'not_permitted' && reached !== 'not_signed_in' && (may || reached !== refusal)
    if (inside !== may) wrong.push(`${screen.method} ${screen.door} ${screen.path || '/'} as ${who}: ${reached}`)
  }
  for (const role of merchantRoles) {
    const browser = await openBrowser(db.sql, service.address, { merchant_id, roles: [role] })
    const rights = rightsOf([role])
    for (const screen of all) {
      for (const mode of ['test', 'live']) {
        const reached = await reach(screen, browser, service.address, addressOf(screen, mode, merchant_id))
        const may = screen.door === 'console' && rightsFor(screen).every((right) => rights.has(right))
        expect(screen, role, reached, may, screen.door === 'desk' ? 'resource_not_found' : 'not_permitted')
      }
      if (screen.door === 'desk') continue
      const elsewhere = await reach(screen, browser, service.address, addressOf(screen, 'test', other.merchant_id))
      if (elsewhere !== 'resource_not_found') wrong.push(`${screen.path} of another merchant as ${role}: ${elsewhere}`)
      const nowhere = await reach(screen, browser, service.address, addressOf(screen, 'prod', merchant_id))
      if (nowhere !== 'resource_not_found') wrong.push(`${screen.path} in no mode as ${role}: ${nowhere}`)
    }
  }
  for (const role of staffRoles) {
    const browser = await openBrowser(db.sql, service.address, { staff: [role] })
    const rights = rightsOf([role])
    for (const screen of all) {
      const reached = await reach(screen, browser, service.address, addressOf(screen, 'live', merchant_id))
      const may = screen.door === 'desk' && (screen.right === null || rights.has(screen.right))
      expect(screen, role, reached, may, screen.door === 'console' ? 'resource_not_found' : 'not_permitted')
    }
  }
  const nobody = { cookie: 'session=none' } as Browser
  for (const screen of all) {
    const reached = await reach(screen, nobody, service.address, addressOf(screen, 'live', merchant_id))
    if (reached !== 'not_signed_in') wrong.push(`${screen.method} ${screen.path} without a session: ${reached}`)
  }
  assert.deepEqual(wrong, [])
  // The service's log has each refusal for a missing right, with the person's id and the right, without name or e-mail address.
  await service.stop()
  const said = logLines(output).filter((line) => line.includes('the person lacks its right'))
  assert.equal(said.length, refused)
  for (const line of said) assert.match(line, /"person_id":"per_\w+".*"right":"[\w.]+"/)
})

test('a form without the nonce of its session, or from another site, does nothing', async () => {
  await using db = await openTestDatabase()
  await using service = await startService({ url: db.url, env: { RATE_PER_ADDRESS: '1000000' } })
  const { merchant_id } = await newMerchant(db.sql)
  const owner = await openBrowser(db.sql, service.address, { merchant_id, roles: ['owner'] })
  const stranger = await openBrowser(db.sql, service.address, { merchant_id, roles: ['owner'] })
  const home = await stranger.get(`/console/test/${merchant_id}/account`)
  const foreign = /name="nonce" value="([^"]+)"/.exec(home.text)![1]!
  const own = /name="nonce" value="([^"]+)"/.exec((await owner.get(`/console/test/${merchant_id}/account`)).text)![1]!
  assert.notEqual(foreign, own)
  for (const screen of all.filter(({ method, door }) => method === 'POST' && door === 'console')) {
    const path = addressOf(screen, 'test', merchant_id)
    for (const [nonce, site] of [
      [foreign, 'same-origin'],
      ['', 'same-origin'],
      [own, 'cross-site'],
      [own, 'same-site'],
    ] as const) {
      const headers = { cookie: owner.cookie, accept: 'application/json', 'sec-fetch-site': site }
      const body = new URLSearchParams({ nonce })
      const response = await fetch(new URL(path, service.address), {
        method: 'POST',
        redirect: 'manual',
        headers,
        body,
      })
      assert.equal(response.status, 403, `${path} with ${nonce === own ? 'its' : 'no'} nonce, ${site}`)
      assert.equal(((await response.json()) as { error: { code: string } }).error.code, 'stale_form')
    }
  }
})
