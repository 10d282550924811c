import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TillFacts } from '../../src/checkout/till/read-till.ts'
import { type Installation, newPayer, openInstallation } from '../harness/installation.ts'
import { waitFor } from '../harness/wait-for.ts'
import { checkRefusal } from './answers.ts'
import { json, newLink, payOn, untilAttempt, untilStatus } from './payer.ts'
import { PATIENCE } from './sender.ts'

// A telephone of a till answers "is it paid?" for somebody without an account, about its till and one day alone.

let installation: Installation
before(async () => {
  installation = await openInstallation()
})
after(() => installation[Symbol.asyncDispose]())

/** A permanent code, and the invitation of a telephone to it. */
async function newTill(merchant_id?: number) {
  const merchant = merchant_id ?? (await installation.newMerchant()).merchant_id
  const words = ['--min', '100', '--max', '50000', '--reusable', '--description', 'Caisse 1']
  const link = await newLink(installation, merchant, ...words)
  return { ...link, merchant_id: merchant, ...(await invite(link.link_id)) }
}

async function invite(link_id: string): Promise<{ phone_id: string; join: string }> {
  const made = await installation.bandama('till', 'invite', '--id', link_id, '--name', 'Awa')
  const { phone_id, url } = made as { phone_id: string; url: string }
  return { phone_id, join: new URL(url).pathname }
}

const press = (join: string, headers: Record<string, string> = {}) =>
  installation.ask({ method: 'POST', path: join, headers: { ...json, ...headers }, body: {} })

/** Pairs a telephone, and returns its cookie. */
async function pair(join: string): Promise<string> {
  const { status, headers } = await press(join)
  assert.equal(status, 303)
  const [cookie = ''] = [headers['set-cookie'] ?? []].flat()
  assert.match(cookie, /^till=[\w-]{43}; Path=\/till; HttpOnly; SameSite=Lax; Max-Age=\d+$/)
  return cookie.split(';')[0]!
}

const look = (cookie: string, query = '') =>
  installation.ask({ path: `/till${query}`, headers: cookie === '' ? json : { ...json, cookie } })

async function results(cookie: string, asked = '') {
  const answer = await look(cookie, asked === '' ? '' : `?q=${encodeURIComponent(asked)}`)
  assert.equal(answer.status, 200, answer.text)
  return (answer.json() as TillFacts).results
}

test('a paired telephone finds a payment of its till by its code, its amount and its reference, and no other payment', async () => {
  const till = await newTill()
  const other = await newLink(installation, till.merchant_id, '--min', '100', '--max', '50000', '--reusable')
  const cookie = await pair(till.join)
  assert.deepEqual(await results(cookie), [])
  // The script of the page looks for a change of this word every two seconds.
  const word = async () => ((await look(cookie)).json() as { status: string }).status
  const empty = await word()
  const shown = await installation.ask({ path: '/till', headers: { Accept: 'text/html', cookie } })
  assert.ok(shown.text.includes(`data-word="${empty}" data-poll="2" data-steady="450" data-address="/till?lang=fr"`))
  const { address } = await payOn(installation, `${till.path}?amount=12500&ref=CMD-417`, newPayer())
  const { receipt } = await untilStatus(installation, address, 'paid')
  const elsewhere = await payOn(installation, other.path, newPayer(), { amount: 12_500 })
  await untilStatus(installation, elsewhere.address, 'paid')
  const [found, ...more] = await results(cookie)
  assert.notEqual(await word(), empty)
  assert.deepEqual(more, [], 'the payment of another code is not shown')
  const { status, amount, amount_source, reference, code } = found!
  assert.deepEqual(
    [status, amount, amount_source, reference, code],
    ['paid', 12_500, 'address', 'CMD-417', receipt!.code],
  )
  assert.match(found!.msisdn_end!, /^\d\d$/)
  for (const asked of [receipt!.code.toLowerCase(), receipt!.short_reference, '12 500', 'cmd-417']) {
    assert.deepEqual(await results(cookie, asked), [found], asked)
  }
  for (const asked of ['ZZZZ', '12501', 'CMD-41', '%', '.*']) assert.deepEqual(await results(cookie, asked), [], asked)
  const { text } = await installation.ask({
    path: `/till?q=${receipt!.code}`,
    headers: { Accept: 'text/html', cookie },
  })
  assert.match(text, /PAYÉ/)
  const none = await installation.ask({ path: '/till?q=ZZZZ', headers: { Accept: 'text/html', cookie } })
  assert.match(none.text, /AUCUN PAIEMENT/)
})

test('a payment that is not concluded is never shown as paid', async () => {
  const till = await newTill()
  const cookie = await pair(till.join)
  // Such a payer declines.
  const payer = `${newPayer().slice(0, 6)}0002`
  const { address } = await payOn(installation, till.path, payer, { amount: 700 })
  assert.ok(['waiting', 'not_paid'].includes((await results(cookie))[0]!.status))
  await untilAttempt(installation, address, 'failed')
  assert.deepEqual(
    (await results(cookie)).map(({ status, paid_at }) => [status, paid_at]),
    [['not_paid', null]],
  )
})

test('an invitation is used up by the button and not by reading it, and by one telephone only', async () => {
  const { join } = await newTill()
  for (let nth = 0; nth < 3; nth += 1) {
    const { status, text } = await installation.ask({ path: join, headers: { Accept: 'text/html' } })
    assert.equal(status, 200)
    assert.match(text, /Relier ce téléphone/)
  }
  checkRefusal(await press(join, { 'sec-fetch-site': 'cross-site' }), 400, 'invalid_request')
  const pressed = await Promise.all([1, 2, 3, 4].map(() => press(join)))
  assert.deepEqual(pressed.map(({ status }) => status).toSorted(), [303, 404, 404, 404])
  const { status, text } = await installation.ask({ path: join, headers: { Accept: 'text/html' } })
  assert.equal(status, 404)
  assert.doesNotMatch(text, /<form/)
})

test('a telephone that its owner ends sees nothing from then on, and the same invitation pairs none', async () => {
  const till = await newTill()
  const cookie = await pair(till.join)
  assert.deepEqual(await results(cookie), [])
  await installation.bandama('till', 'end', '--id', till.phone_id)
  checkRefusal(await look(cookie), 404, 'resource_not_found')
  const waiting = await invite(till.link_id)
  await installation.bandama('till', 'end', '--id', waiting.phone_id)
  assert.equal((await press(waiting.join)).status, 404)
  const { phones } = (await installation.bandama('till', 'list', '--id', till.link_id)) as { phones: unknown[] }
  assert.deepEqual(phones, [])
})

test('an invitation lapses after 72 hours, and a telephone after 90 days without a use', async () => {
  const { sql } = installation.db
  const { join, phone_id } = await newTill()
  await sql`update till_phones set expires_at = clock_now() where id = ${phone_id}`
  assert.equal((await press(join)).status, 404)
  const used = await newTill()
  const cookie = await pair(used.join)
  await sql`update till_phones set seen_at = clock_now() - interval '89 days' where id = ${used.phone_id}`
  assert.equal((await look(cookie)).status, 200)
  const [row] = await sql<{ is_new: boolean }[]>`
    select seen_at > clock_now() - interval '1 minute' as is_new from till_phones where id = ${used.phone_id}`
  assert.equal(row!.is_new, true, 'a use begins the 90 days again')
  await sql`update till_phones set seen_at = clock_now() - interval '91 days' where id = ${used.phone_id}`
  assert.equal((await look(cookie)).status, 404)
})

test('no other secret opens a till: not an invitation, not a link, and nothing invented', async () => {
  const till = await newTill()
  const tokens = [till.join, till.path].map((path) => path.split('/').at(-1)!)
  for (const cookie of ['', 'till=', `till=${'a'.repeat(43)}`, ...tokens.map((token) => `till=${token}`)]) {
    checkRefusal(await look(cookie), 404, 'resource_not_found')
  }
  for (const path of ['/till/join/invented', `/till/join/${tokens[1]}`, `/link/${tokens[0]}`]) {
    checkRefusal(await installation.ask({ path, headers: json }), 404, 'resource_not_found')
  }
})

test('a link for one payment has no telephones, and a till has sixteen at most', async () => {
  const { merchant_id } = await installation.newMerchant()
  const once = await newLink(installation, merchant_id, '--amount', '500')
  await assert.rejects(invite(once.link_id), /no open, reusable link/)
  const till = await newTill(merchant_id)
  for (let nth = 1; nth < 16; nth += 1) await invite(till.link_id)
  await assert.rejects(invite(till.link_id), /16 phones at most/)
})

test('a telephone in force is found and can be ended, however many invitations have lapsed since', async () => {
  const { sql } = installation.db
  const till = await newTill()
  await pair(till.join)
  await sql`
    insert into till_phones (merchant_id, livemode, id, link_id, name, invited_by, expires_at)
    select merchant_id, livemode, 'tph_z' || n, link_id, 'Passé', invited_by, clock_now() - interval '1 hour'
      from till_phones
     cross join generate_series(1, 120) n
     where id = ${till.phone_id}`
  const { phones } = (await installation.bandama('till', 'list', '--id', till.link_id)) as { phones: { id: string }[] }
  assert.ok(JSON.stringify(phones).includes(till.phone_id))
})

test('a payment that was refunded in part is neither paid nor refunded to the till', async () => {
  const till = await newTill()
  const cookie = await pair(till.join)
  const { address } = await payOn(installation, till.path, newPayer(), { amount: 10_000 })
  const { receipt } = await untilStatus(installation, address, 'paid')
  const part = ['--payment', receipt!.payment_id, '--amount', '4000', '--as', 'ama@example.com']
  await installation.bandama('refund', 'create', ...part)
  await waitFor(async () => (await results(cookie))[0]!.status !== 'paid', { ...PATIENCE, what: 'the refund' })
  assert.deepEqual(
    (await results(cookie)).map(({ status, amount }) => [status, amount]),
    [['part_refunded', 10_000]],
  )
  const { text } = await installation.ask({ path: '/till', headers: { Accept: 'text/html', cookie } })
  assert.match(text, /PAYÉ, EN PARTIE REMBOURSÉ/)
})
