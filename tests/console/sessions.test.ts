import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newLink, newSession, openLink, payOn, submit, untilAttempt, untilStatus } from '../contract/payer.ts'
import { openBrowser } from '../harness/console.ts'
import { type Installation, newPayer, openInstallation } from '../harness/installation.ts'
import { mode, otherMode } from '../harness/mode.ts'

let installation: Installation
before(async () => {
  installation = await openInstallation()
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

test('a session has a page with each try of its payer, and its payment leads there', async () => {
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
})
