import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { newLink, newSession } from './payer.ts'

// A chat reads the address that somebody sends, and shows who is paid, how much and for what.

let installation: Installation
before(async () => {
  installation = await openInstallation()
})
after(() => installation[Symbol.asyncDispose]())

/** Reads a page as the crawler of a chat. */
async function preview(path: string, language = 'fr'): Promise<Record<string, string>> {
  const headers = { Accept: '*/*', 'Accept-Language': language, 'User-Agent': 'WhatsApp/2.23.20.0' }
  const { status, text } = await installation.ask({ path, headers: { ...headers, Accept: 'text/html' } })
  assert.equal(status, 200)
  const found = [...text.matchAll(/<meta property="og:(\w+)" content="([^"]*)">/g)]
  return Object.fromEntries(found.map(([, name, content]) => [name!, content!.replace(/[\u00a0\u202f]/g, ' ')]))
}

test('the preview of a page has its amount, its merchant and its purpose', async () => {
  const { merchant_id, key } = await installation.newMerchant()
  const fixed = await newLink(installation, merchant_id, '--amount', '12500', '--description', 'Pagne wax')
  const { title, description } = await preview(fixed.path)
  assert.deepEqual([title, description], ['Payer 12 500 F CFA à Boutique', 'Pagne wax'])
  assert.equal((await preview(fixed.path, 'en')).title, 'Pay 12 500 F CFA to Boutique')
  const free = await newLink(installation, merchant_id, '--min', '500', '--max', '50000', '--reusable')
  const shown = await preview(free.path)
  assert.equal(shown.title, 'Payer Boutique')
  assert.match(shown.description!, /^Avec .*Orange Money/)
  const session = await newSession(installation, key)
  assert.match((await preview(session.path)).title!, /^Payer [\d ]+ F CFA à Boutique$/)
})

test('the picture of a preview is small, kept for ever, and the same for all', async () => {
  const { merchant_id } = await installation.newMerchant()
  const links = [
    await newLink(installation, merchant_id, '--amount', '12500'),
    await newLink(installation, merchant_id, '--amount', '500'),
  ]
  const [image, other] = await Promise.all(links.map(async ({ path }) => (await preview(path)).image!))
  assert.equal(image, other)
  const { origin, pathname } = new URL(image!)
  assert.match(origin, /^http:\/\/127\.0\.0\.1:\d+$/)
  const { status, headers, text } = await installation.ask({ path: pathname })
  assert.deepEqual([status, headers['content-type']], [200, 'image/png'])
  assert.match(String(headers['cache-control']), /immutable/)
  assert.ok(text.length < 60_000)
})

test('the amount in the address of a link is in its preview; the reference, which anybody can write, is not', async () => {
  const { merchant_id } = await installation.newMerchant()
  const { path } = await newLink(installation, merchant_id, '--min', '500', '--max', '50000', '--reusable')
  const { title, description } = await preview(`${path}?amount=12500&ref=CMD-417`)
  assert.equal(title, 'Payer 12 500 F CFA à Boutique')
  assert.doesNotMatch(description ?? '', /CMD-417/)
  const named = await newLink(installation, merchant_id, '--amount', '12500', '--reference', 'CMD-418')
  assert.match((await preview(`${named.path}?ref=CMD-418`)).description!, /^CMD-418/)
})

test('a preview spends nothing and makes nothing, however often it is read', async () => {
  const { merchant_id, key } = await installation.newMerchant()
  const link = await newLink(installation, merchant_id, '--amount', '12500')
  const session = await newSession(installation, key)
  const { sql } = installation.db
  const state = async () => [
    await sql`select id, status, taken_by, to_jsonb(l) as whole from payment_links l where merchant_id = ${merchant_id}`,
    await sql`select id, status, to_jsonb(s) as whole from checkout_sessions s where merchant_id = ${merchant_id} order by id`,
    await sql`select id from payments where merchant_id = ${merchant_id}`,
  ]
  const before = await state()
  for (let nth = 0; nth < 20; nth += 1) await Promise.all([preview(link.path), preview(session.path)])
  assert.deepEqual(await state(), before)
})
