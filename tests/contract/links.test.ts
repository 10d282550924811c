import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { PaymentLink } from '../../src/checkout/payment-link.ts'
import { type Installation, newPayer, openInstallation } from '../harness/installation.ts'
import { livemode, mode } from '../harness/mode.ts'
import { checkRefusal } from './answers.ts'
import { create, LINKS } from './link-refusal-cases.ts'
import { newLink, openLink, payOn, untilStatus } from './payer.ts'

// Links for a program with a key: the same links as those of people at the console and the command line.

let installation: Installation
before(async () => {
  installation = await openInstallation({ processes: [[]] })
})
after(() => installation[Symbol.asyncDispose]())

async function answerOf(asked: Parameters<Installation['ask']>[0], status = 200): Promise<PaymentLink> {
  const answer = await installation.ask(asked)
  assert.equal(answer.status, status, answer.text)
  return answer.json() as PaymentLink
}

const made = (key: string, body?: unknown) => answerOf(create(key, body), 201)
const read = (key: string, id: string) => answerOf({ path: `${LINKS}/${id}`, key })
const close = (key: string, id: string) => installation.ask({ method: 'POST', path: `${LINKS}/${id}/close`, key })

test('a link of a fixed amount is made, read, paid once by a payer, and then paid', async () => {
  const { key } = await installation.newMerchant()
  const link = await made(key, { amount: 12_500, description: 'Robe' })
  const { id, url, created_at, ...rest } = link
  assert.match(id, /^lnk_[0-9a-z]+$/)
  assert.match(url, /^https?:\/\/[^/]+\/link\/\w{40}$/)
  assert.ok(Math.abs(Date.parse(created_at) - Date.now()) < 60_000)
  assert.deepEqual(rest, {
    object: 'payment_link',
    status: 'open',
    amount: 12_500,
    min_amount: null,
    max_amount: null,
    currency: 'XOF',
    description: 'Robe',
    reference: null,
    whatsapp: null,
    reusable: false,
    livemode,
    expires_at: null,
  })
  assert.deepEqual(await read(key, id), link)
  const { path } = { path: new URL(url).pathname }
  assert.equal((await openLink(installation, path)).price?.amount, 12_500)
  const { address } = await payOn(installation, path, newPayer())
  await untilStatus(installation, address, 'paid')
  assert.equal((await read(key, id)).status, 'paid')
  checkRefusal(await close(key, id), 409, 'link_not_closable')
})

test('without an amount the payer chooses, from 100 francs to the limit for one payment unless the bounds are given', async () => {
  const { key } = await installation.newMerchant()
  const bounds = async (body: object) => {
    const { amount, min_amount, max_amount } = await made(key, body)
    return [amount, min_amount, max_amount]
  }
  assert.deepEqual(await bounds({}), [null, 100, 2_000_000])
  assert.deepEqual(await bounds({ min_amount: 5 }), [null, 5, 2_000_000])
  assert.deepEqual(await bounds({ max_amount: 100 }), [null, 100, 100])
  assert.deepEqual(await bounds({ amount: null, min_amount: 500, max_amount: 9_000 }), [null, 500, 9_000])
})

test('a moment of expiry is kept to the millisecond, in UTC', async () => {
  const { key } = await installation.newMerchant()
  const { expires_at } = await made(key, { amount: 1, expires_at: '2099-12-31T23:59:59.5+01:00', reusable: true })
  assert.equal(expires_at, '2099-12-31T22:59:59.500Z')
})

test('a repeated request gets the same link, byte for byte, and the database holds no address of it', async () => {
  const { key, merchant_id } = await installation.newMerchant()
  const asked = create(key, { amount: 100 }, { idempotency_key: randomUUID() })
  const first = await installation.ask(asked)
  const again = await installation.ask(asked)
  assert.deepEqual([again.text, again.status], [first.text, 201])
  const [row] = await installation.db.sql<{ links: number; kept: string }[]>`
    select (select count(*)::integer from payment_links where merchant_id = ${merchant_id}) as links,
           (select string_agg(to_jsonb(k)::text, '') from idempotency_keys k where merchant_id = ${merchant_id}) as kept`
  assert.equal(row!.links, 1)
  assert.ok(row!.kept.includes((first.json() as PaymentLink).id))
  assert.ok(!row!.kept.includes('/link/'), 'a copy of the database gives nobody the pages')
})

test('closing ends the link and the pages that payers opened from it', async () => {
  const { key } = await installation.newMerchant()
  const { id, url } = await made(key, { amount: 500, reusable: true })
  const closed = await close(key, id)
  assert.equal(closed.status, 200)
  assert.deepEqual(closed.json(), await read(key, id))
  assert.deepEqual([(closed.json() as PaymentLink).status, (closed.json() as PaymentLink).url], ['closed', url])
  const facts = await openLink(installation, new URL(url).pathname)
  assert.equal(facts.payable, false)
  checkRefusal(await close(key, id), 409, 'link_not_closable')
})

test('links are listed page by page, newest first, by state and day, with those of the command line', async () => {
  const merchant = await installation.newMerchant()
  const { key, merchant_id } = merchant
  const page = async (query: string) => {
    const answer = await installation.ask({ path: `${LINKS}?${query}`, key })
    assert.equal(answer.status, 200, answer.text)
    const { data, ...told } = answer.json() as { data: PaymentLink[]; limit: number; has_more: boolean }
    return { ...told, ids: data.map(({ id }) => id), data }
  }
  const first = await made(key)
  const { link_id } = await newLink(installation, merchant_id, '--amount', '700')
  const last = await made(key, {})
  assert.equal((await close(key, first.id)).status, 200)

  // Two processes made them, each with its own sequence of identifiers within a second.
  const ids = [first.id, String(link_id), last.id].toSorted().toReversed()
  const newest = await page('limit=2')
  assert.deepEqual([newest.ids, newest.limit, newest.has_more], [ids.slice(0, 2), 2, true])
  assert.deepEqual(
    (await page('')).data.find(({ id }) => id === last.id),
    last,
  )
  const rest = await page(`limit=2&starting_after=${ids[1]}`)
  assert.deepEqual([rest.ids, rest.has_more], [ids.slice(2), false])
  assert.deepEqual((await page('status=closed')).ids, [first.id])
  assert.deepEqual(
    (await page('status=open')).ids,
    ids.filter((id) => id !== first.id),
  )
  assert.deepEqual((await page(`day=${last.created_at.slice(0, 10)}`)).ids, ids)
  assert.deepEqual((await page('day=2020-01-01')).ids, [])
  assert.equal((await page('limit=1000')).limit, 100)

  const shown = (await installation.bandama('link', 'show', '--id', last.id)) as { url: string; status: string }
  assert.deepEqual([new URL(shown.url).pathname, shown.status], [new URL(last.url).pathname, 'open'])
  const words = ['--merchant', String(merchant_id), '--mode', mode]
  const { links } = (await installation.bandama('link', 'list', ...words)) as { links: { link_id: string }[] }
  assert.deepEqual(
    links.map((link) => link.link_id),
    ids,
  )
})
