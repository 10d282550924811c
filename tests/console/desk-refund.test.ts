import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createClock } from '../../src/platform/clock.ts'
import { type Collector, newCollector } from '../contract/collector.ts'
import type { Page } from '../harness/console.ts'
import { moveToTransfer } from '../harness/fill-transfer.ts'
import { type Installation, newPayer, openInstallation } from '../harness/installation.ts'
import { mode } from '../harness/mode.ts'
import { type Member, openMember } from '../harness/teams.ts'

// A payment that staff refund on the desk, from finding it to the refund's page.

let installation: Installation
let collector: Collector
let ama: Member
let kofi: Member
let support: Member
const base = `/desk/${mode}`

before(async () => {
  installation = await openInstallation()
  collector = await newCollector(installation)
  ama = await openMember(installation, 'Ama Koné', { staff: ['operations'] })
  kofi = await openMember(installation, 'Kofi Yao', { staff: ['finance'] })
  support = await openMember(installation, 'Issa Cissé', { staff: ['support'] })
})
after(() => installation[Symbol.asyncDispose]())

const hidden = (page: Page, name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(page.text)?.[1] ?? ''
const pageOf = (payment_id: string) => `${base}/payments/${payment_id}/refund`

/** Returns the form of the page. */
async function openForm(person: Member, payment_id: string, typed: Record<string, string>) {
  const page = await person.get(pageOf(payment_id))
  assert.equal(page.status, 200, page.text)
  return { form: hidden(page, 'form'), given: hidden(page, 'given'), reason: '', ...typed }
}

const refundsOf = (payment_id: string) => installation.db.sql<
  { id: string; amount: number; requested_by: string; by_hand: boolean; reason: string | null }[]
>`
  select id, amount, requested_by, by_hand, reason from refunds where payment_id = ${payment_id} order by id`

test('a person finds a payment, sees the cost of its refund for each party, and continues to the refund', async () => {
  const to = newPayer()
  const payment = await collector.collect(10_000, { to })
  const { available } = await collector.balances()
  const { merchant_id } = collector.tenant
  assert.match((await ama.get(`${base}/refunds`)).text, /href="[^"]*\/refunds\/find"/)
  assert.ok((await ama.get(`${base}/merchants/${merchant_id}`)).text.includes(`/refunds/find?merchant=${merchant_id}`))
  for (const q of [`q=${payment.id}`, `q=${to}&merchant=${merchant_id}`, `q=10 000&merchant=${merchant_id}`]) {
    const found = await ama.get(`${base}/refunds/find?${q}`)
    assert.ok(found.text.includes(`href="${pageOf(payment.id)}"`), q)
    assert.ok(!found.text.replace(/<input[^>]*>/g, '').includes(to), 'no whole number')
  }
  const page = await ama.get(pageOf(payment.id))
  assert.match(page.text, /le payeur reçoit 10\u202f000[^.]*9\u202f900[^.]*pris au marchand, 100/)
  const fields = await openForm(ama, payment.id, { amount: '4 000', reason: 'Un des deux est arrivé cassé' })
  const { ask, done } = await ama.confirm(pageOf(payment.id), fields, pageOf(payment.id))
  for (const words of [/4\u202f000/, /Pris au marchand[\s\S]*3\u202f960/, /arrivé cassé/]) assert.match(ask.text, words)
  const [refund, ...others] = await refundsOf(payment.id)
  assert.equal(done.location, `${base}/refunds/${refund!.id}?done=refund_asked`)
  assert.deepEqual(others, [])
  const { amount, requested_by, by_hand, reason } = refund!
  assert.deepEqual([amount, requested_by, by_hand, reason], [4_000, ama.email, false, 'Un des deux est arrivé cassé'])
  assert.equal((await collector.balances()).available, available - 3_960)
  assert.match((await ama.get(done.location!)).text, /Le remboursement est demandé/)
  const [line] = await installation.db.sql`
    select actor, act, step_up_id is not null as proven from audit_log where subject = ${refund!.id}`
  assert.deepEqual(line, { actor: ama.email, act: 'refund.create', proven: true })
})

test('one form makes one refund, also when it is submitted again, and another amount is refused', async () => {
  const payment = await collector.collect(10_000)
  const path = pageOf(payment.id)
  const fields = await openForm(ama, payment.id, { amount: '1000' })
  const question = await ama.post(path, fields, path)
  const { done } = await ama.confirm(path, fields, path)
  const again = await ama.post(path, fields, path)
  assert.equal(again.location, done.location)
  // A second tab had the step-up open.
  const late = { ...fields, step_up_id: hidden(question, 'step_up_id'), secret_code: await ama.code() }
  assert.equal((await ama.post(path, late, path)).location, done.location)
  const other = await ama.post(path, { ...fields, amount: '2000' }, path)
  assert.equal(other.status, 422)
  assert.match(other.text, /Ce formulaire a déjà servi/)
  assert.match(other.text, /value="2000"/)
  assert.equal((await refundsOf(payment.id)).length, 1)
  const { done: second } = await ama.confirm(path, await openForm(ama, payment.id, { amount: '1000' }), path)
  assert.notEqual(second.location, done.location)
  assert.equal((await refundsOf(payment.id)).length, 2, 'the page opened anew is another refund')
})

test('a person who has not seen another person’s refund reads about it, and nothing is refunded', async () => {
  const payment = await collector.collect(10_000)
  const path = pageOf(payment.id)
  const ofAma = await openForm(ama, payment.id, { amount: '3000' })
  const ofKofi = await openForm(kofi, payment.id, { amount: '3000' })
  const question = await kofi.post(path, ofKofi, path)
  await ama.confirm(path, ofAma, path)
  const answer = { ...ofKofi, step_up_id: hidden(question, 'step_up_id'), secret_code: await kofi.code() }
  const late = await kofi.post(path, answer, path)
  assert.equal(late.status, 422)
  assert.match(late.text, /a changé entre-temps/)
  assert.equal(hidden(late, 'given'), '3000', 'the form now says what it saw')
  assert.equal((await refundsOf(payment.id)).length, 1)
  // Of two step-ups that are answered at once, the database accepts one.
  const forms = await Promise.all([ama, kofi].map(async (who) => openForm(who, payment.id, { amount: '2000' })))
  const both = await Promise.all([ama, kofi].map((who, at) => who.confirm(path, forms[at]!, path)))
  assert.deepEqual(both.map(({ done }) => done.status).toSorted(), [303, 422])
  assert.equal((await refundsOf(payment.id)).length, 2)
})

test('a refund by hand waits for another person than its maker', async () => {
  const payment = await collector.collect(10_000)
  const path = pageOf(payment.id)
  const fields = await openForm(ama, payment.id, { amount: '10 000', by_hand: '1' })
  const { ask, done } = await ama.confirm(path, fields, path)
  assert.match(ask.text, /Une autre personne entre la preuve/)
  const page = done.location!.split('?')[0]!
  assert.match((await ama.get(page)).text, /Vous l’avez demandé/)
  const proof = { reference: `REÇU-${payment.id}` }
  assert.equal((await ama.confirm(`${page}/paid`, proof, base)).done.status, 409)
  const { done: closed } = await kofi.confirm(`${page}/paid`, proof, page)
  assert.equal(closed.location, `${page}?done=paid_back`)
  await collector.untilPayment(payment.id, 'refunded')
  assert.match((await ama.get(path)).text, /déjà rendu/)
})

test('each refusal has a sentence, comes before the step-up, and keeps the typed text', async () => {
  const payment = await collector.collect(10_000)
  const path = pageOf(payment.id)
  for (const [typed, words] of [
    [{ amount: 'tout' }, /Écrivez une somme en francs/],
    [{ amount: '10 001' }, /Il reste 10\u202f000/],
    [{ amount: '77', reason: 'deux\nlignes' }, /Écrivez la raison sur une ligne/],
  ] as const) {
    const page = await ama.post(path, await openForm(ama, payment.id, typed), path)
    assert.equal(page.status, 422, page.text)
    assert.match(page.text, words)
    assert.ok(page.text.includes(`value="${typed.amount}"`))
    assert.ok(!page.text.includes('step_up_id'))
  }
  const { available } = await collector.balances()
  const moved = await moveToTransfer(installation.db.sql, collector.tenant, available, createClock())
  assert.notEqual(moved.kind, 'refused')
  const poor = await ama.get(path)
  assert.match(poor.text, /ne couvre pas tout/)
  const short = await ama.post(path, await openForm(ama, payment.id, { amount: '10000' }), path)
  assert.equal(short.status, 422)
  assert.match(short.text, /ne couvre pas tout/)
  assert.deepEqual(await refundsOf(payment.id), [])
})

test('only people with the right to refund find payments here, and only of the address’s mode', async () => {
  const payment = await collector.collect(10_000)
  const other = `/desk/${mode === 'test' ? 'live' : 'test'}`
  for (const path of [`${base}/refunds/find?q=${payment.id}`, pageOf(payment.id)])
    assert.equal((await support.get(path)).status, 403, path)
  assert.equal((await support.post(pageOf(payment.id), {}, base)).status, 403)
  assert.ok(!(await support.get(`${base}/refunds`)).text.includes('/refunds/find'))
  assert.equal((await ama.get(`${other}/payments/${payment.id}/refund`)).status, 404)
  assert.match((await ama.get(`${other}/refunds/find?q=${payment.id}`)).text, /Rien trouvé/)
  assert.equal((await ama.get(`${base}/payments/txn_nothing/refund`)).status, 404)
})
