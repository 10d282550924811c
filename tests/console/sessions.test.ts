import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { firstIdAt } from '../../src/values/ids.ts'
import { newLink, newSession, openLink, payOn, submit, untilAttempt, untilStatus } from '../contract/payer.ts'
import { openBrowser } from '../harness/console.ts'
import { type Installation, newPayer, openInstallation } from '../harness/installation.ts'
import { mode, otherMode } from '../harness/mode.ts'

let installation: Installation
before(async () => {
  installation = await openInstallation({ own: 'writes rows past the service' })
})
after(() => installation[Symbol.asyncDispose]())

type Shown = { id: string; status: string; attempts: number; payment_id: string | null }

async function newShop() {
  const { key, merchant_id } = await installation.newMerchant()
  const viewer = await openBrowser(installation.db.sql, installation.services[0]!.address, {
    merchant_id,
    roles: ['viewer'],
  })
  const at = (path: string, of: string = mode) => `/console/${of}/${merchant_id}${path}`
  const sessions = async (query = '') => (await viewer.facts(at(`/sessions${query}`))).body.sessions as Shown[]
  return { key, merchant_id, viewer, at, sessions }
}

test('a session has a page with each attempt of its payer, and its payment links to it', async () => {
  const { key, merchant_id, viewer, at, sessions } = await newShop()
  const { path, id } = await newSession(installation, key)
  assert.match((await viewer.get(at(`/sessions/${id}`))).text, /n’a pas encore essayé/)
  await payOn(installation, path, `${newPayer().slice(0, 6)}0002`)
  const declined = await untilAttempt(installation, path, 'failed')
  await payOn(installation, path, newPayer())
  await untilStatus(installation, path, 'paid')
  const [row] = await sessions()
  assert.deepEqual([row!.id, row!.status, row!.attempts], [id, 'paid', 2])

  const page = await viewer.get(at(`/sessions/${id}`))
  assert.equal(page.status, 200)
  assert.match(page.text, /Le client a payé le/)
  for (const payment_id of [declined.attempt!.payment_id, row!.payment_id])
    assert.ok(page.text.includes(`href="${at(`/payments/${payment_id}`)}"`), payment_id!)
  assert.match(page.text, /Le client a refusé/)
  const payment = await viewer.get(at(`/payments/${row!.payment_id}`))
  assert.ok(payment.text.includes(`href="${at(`/sessions/${id}`)}"`))

  assert.equal((await viewer.get(at(`/sessions/${id}`, otherMode))).status, 404)
  const other = await newShop()
  assert.notEqual(other.merchant_id, merchant_id)
  assert.equal((await other.viewer.get(other.at(`/sessions/${id}`))).status, 404)
  assert.deepEqual(await other.sessions(), [])
})

test('sessions are listed newest first, by day and by link, in pages', async () => {
  const { key, merchant_id, viewer, at, sessions } = await newShop()
  const own = await newSession(installation, key)
  const link = await newLink(installation, merchant_id, '--amount', '1500', '--reusable', '--description', 'Attiéké')
  const { nonce } = await openLink(installation, link.path)
  const started = await submit(installation, link.path, { nonce, msisdn: newPayer() })
  assert.ok(started.status < 400, started.text)
  const all = await sessions()
  assert.equal(all.length, 2)
  assert.equal(all[1]!.id, own.id)
  const ofLink = await sessions(`?link=${link.link_id}`)
  assert.deepEqual(
    ofLink.map(({ id }) => id),
    [all[0]!.id],
  )
  const page = await viewer.get(at(`/sessions/${ofLink[0]!.id}`))
  assert.ok(page.text.includes(`href="${at(`/links/${link.link_id}`)}"`))
  assert.ok(
    (await viewer.get(at(`/links/${link.link_id}`))).text.includes(`href="${at(`/sessions?link=${link.link_id}`)}"`),
  )
  assert.deepEqual(await sessions('?to=2020-01-01'), [])
  await installation.db.sql`
    insert into checkout_sessions (merchant_id, livemode, id, amount, currency, expires_at)
    select ${merchant_id}, ${mode === 'live'}, 'cs_0' || lpad(n::text, 25, '0'), 5, 'XOF', clock_now() + interval '1 hour'
      from generate_series(1, 60) as n`
  const first = await sessions()
  assert.equal(first.length, 50)
  const second = await sessions(`?starting_after=${first.at(-1)!.id}`)
  assert.equal(second.length, 12)
  const past = (await viewer.get(at(`/sessions?starting_after=${second.at(-1)!.id}`))).text
  assert.ok(past.includes(`href="${at('/sessions')}" rel="prev"`), 'an empty page after the last row leads back')
  assert.match((await viewer.get(at('/sessions?from=demain'))).text, /ne se lit pas[^<]*demain/)
})

test('sessions are filtered by state and day, and exported exactly as listed, in both formats', async () => {
  const { merchant_id, viewer, at, sessions } = await newShop()
  const { sql } = installation.db
  const states = ['open', 'paid', 'closed', 'expired']
  // 1 200 sessions of two days, with every state on both: several pages of the list and of the file.
  const days = ['2025-11-08T10:00:00Z', '2025-11-09T23:59:59Z'].map((at) => ({
    at,
    ids: firstIdAt('cs', Date.parse(at)).slice(0, 13),
  }))
  for (const [nth, { at: day, ids }] of days.entries()) {
    await sql`
      insert into checkout_sessions (merchant_id, livemode, id, amount, currency, status, payment_id, created_at, expires_at, description)
      select ${merchant_id}, ${mode === 'live'}, ${ids} || lpad(n::text, 16, '0'), 100 + n, 'XOF', state,
             case when state = 'paid' then 'txn_' || n end, ${day}::timestamptz, clock_now() + interval '1 hour', '=1+1'
        from generate_series(1, 600) as n,
             lateral (select (${states}::text[])[1 + (n + ${nth}) % 4] as state) as of`
  }
  const { address } = installation.services[0]!
  const accountant = await openBrowser(sql, address, { merchant_id, roles: ['accountant'] })
  const expected = async (status: string, day: string) => {
    const rows = await sql<{ id: string }[]>`
      select id from checkout_sessions
       where merchant_id = ${merchant_id} and status = ${status} and created_at::date = ${day}::date
       order by id desc`
    return rows.map(({ id }) => id)
  }
  for (const status of states) {
    const query = `status=${status}&from=2025-11-09&to=2025-11-09`
    const all = await expected(status, '2025-11-09')
    assert.equal(all.length, 150)
    assert.deepEqual(
      (await sessions(`?${query}`)).map(({ id }) => id),
      all.slice(0, 50),
      status,
    )
    const csv = await accountant.get(at(`/sessions/export?format=csv&${query}`))
    assert.equal(csv.status, 200)
    const lines = csv.text.trimEnd().split('\r\n').slice(1)
    assert.deepEqual(
      lines.map((line) => /cs_\w+/.exec(line)?.[0]),
      all,
      status,
    )
    assert.ok(
      lines.every((line) => !/[,;]=/.test(line)),
      'no text is a formula',
    )
  }
  const page = await accountant.get(at('/sessions?status=paid&from=2025-11-09'))
  for (const format of ['csv', 'xlsx'])
    assert.ok(page.text.includes(at(`/sessions/export?status=paid&amp;from=2025-11-09&amp;format=${format}`)), format)
  const sheet = await accountant.get(at('/sessions/export?format=xlsx'))
  assert.match(sheet.headers.get('content-disposition')!, /sessions-\d+-[\d-]{10}\.xlsx"$/)
  assert.ok(sheet.text.startsWith('PK'))
  assert.equal((await accountant.get(at('/sessions/export?from=2025-11-31'))).status, 400)
  assert.equal((await viewer.get(at('/sessions/export'))).status, 403)
  assert.ok(!(await viewer.get(at('/sessions'))).text.includes('/sessions/export'))
})

test('a paid session and its payment link staff to the refund, and tell a merchant’s people whom to ask', async () => {
  const { key, merchant_id, viewer, at } = await newShop()
  const { path, id } = await newSession(installation, key)
  const refund = (page: { text: string }) => /href="(\/desk\/\w+\/payments\/\w+\/refund)"/.exec(page.text)?.[1] ?? null
  assert.doesNotMatch((await viewer.get(at(`/sessions/${id}`))).text, /Pour le rembourser/)
  await payOn(installation, path, newPayer())
  await untilStatus(installation, path, 'paid')
  const { db, services } = installation
  const [{ payment_id }] = (await db.sql`select payment_id from checkout_sessions where id = ${id}`) as [
    { payment_id: string },
  ]
  const visitor = await openBrowser(db.sql, services[0]!.address, { staff: ['operations'] })
  const merchant = `/desk/${mode}/merchants/${merchant_id}`
  await visitor.post(`${merchant}/look`, { reason: 'Un client demande son argent' }, merchant)
  for (const page of [`/sessions/${id}`, `/payments/${payment_id}`]) {
    const told = await viewer.get(at(page))
    assert.match(told.text, /Pour le rembourser, écrivez à l’équipe/)
    assert.equal(refund(told), null)
    const led = refund(await visitor.get(at(page)))
    assert.equal(led, `/desk/${mode}/payments/${payment_id}/refund`)
    assert.equal((await visitor.get(led)).status, 200)
  }
})
