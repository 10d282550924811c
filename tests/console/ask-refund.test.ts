import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createClock } from '../../src/platform/clock.ts'
import { type Collector, newCollector } from '../contract/collector.ts'
import type { Page } from '../harness/console.ts'
import { moveToTransfer } from '../harness/fill-transfer.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { livemode, mode, otherMode } from '../harness/mode.ts'
import { type Member, openMember } from '../harness/teams.ts'

// A merchant asks for a refund and sees how it stands; the company decides by the act that makes every refund.

let installation: Installation
let ama: Member
let kofi: Member
before(async () => {
  installation = await openInstallation()
  ama = await openMember(installation, 'Ama Koné', { staff: ['operations'] })
  kofi = await openMember(installation, 'Kofi Yao', { staff: ['finance'] })
})
after(() => installation[Symbol.asyncDispose]())

type Shop = { collector: Collector; base: string; aya: Member }

async function newShop(): Promise<Shop> {
  const collector = await newCollector(installation)
  const { merchant_id } = collector.tenant
  const aya = await openMember(installation, 'Aya Kouassi', { merchant_id, roles: ['owner'] })
  return { collector, base: `/console/${mode}/${merchant_id}`, aya }
}

const desk = (path: string) => `/desk/${mode}${path}`
const hidden = (page: Page, name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(page.text)?.[1] ?? ''

const ask = ({ base, aya }: Shop, payment: string, typed: Record<string, string> = {}) => {
  const fields = { amount: '', reason: 'returned', note: '', ...typed }
  return aya.post(`${base}/payments/${payment}/refund`, fields, `${base}/payments/${payment}`)
}

const requestsOf = (payment_id: string) => installation.db.sql<
  { id: string; status: string; refund_id: string | null }[]
>`
  select id, status, refund_id from refund_requests where payment_id = ${payment_id} order by asked_at`
const refundsOf = (payment_id: string) => installation.db.sql<{ id: string; amount: number; requested_by: string }[]>`
  select id, amount, requested_by from refunds where payment_id = ${payment_id}`

/** The form of the desk's page of a request, which makes the refund. */
async function formOf(who: Member, id: string) {
  const page = await who.get(desk(`/refund-requests/${id}`))
  const main = { ...page, text: page.text.slice(page.text.indexOf('<main')) }
  const names = ['form', 'given', 'amount', 'reason', 'request']
  return { page, fields: Object.fromEntries(names.map((name) => [name, hidden(main, name)])) }
}

async function refund(who: Member, payment: string, fields: Record<string, string>): Promise<Page> {
  const path = desk(`/payments/${payment}/refund`)
  return (await who.confirm(path, fields, path)).done
}

test('a merchant asks, the desk refunds with a factor, and the page of the payment says how it stands', async () => {
  const shop = await newShop()
  const { base, aya, collector } = shop
  const { id: payment } = await collector.collect(10_000)
  const { available } = await collector.balances()
  assert.match((await aya.get(`${base}/payments/${payment}`)).text, /Demander un remboursement/)
  assert.match((await aya.get(`${base}/payments/${payment}/refund`)).text, /9\u202f900\u00a0F\u00a0CFA sont pris/)
  const asked = await ask(shop, payment, { amount: '4 000', reason: 'twice', note: 'Elle a payé deux fois' })
  assert.equal(asked.location, `${base}/payments/${payment}?done=refund_wanted`, asked.text)
  assert.equal((await collector.balances()).available, available, 'nothing is set aside')
  assert.match((await aya.get(`${base}/payments/${payment}`)).text, /Remboursement demandé[\s\S]*En attente/)

  const [request] = await requestsOf(payment)
  assert.match((await ama.get(desk(''))).text, /Remboursement demandé/)
  const { page, fields } = await formOf(ama, request!.id)
  assert.match(page.text, /Payé deux fois[\s\S]*Elle a payé deux fois/)
  assert.deepEqual([fields.amount, fields.request], ['4 000', request!.id])
  const done = await refund(ama, payment, fields)
  const [made, ...others] = await refundsOf(payment)
  assert.equal(done.location, desk(`/refunds/${made!.id}?done=refund_asked`), done.text)
  assert.deepEqual([made!.amount, made!.requested_by, others.length], [4_000, ama.email, 0])
  assert.deepEqual(await requestsOf(payment), [{ id: request!.id, status: 'accepted', refund_id: made!.id }])
  const stands = await aya.get(`${base}/payments/${payment}`)
  assert.match(stands.text, /Accepté[\s\S]*Voir le remboursement/)
  assert.ok(!stands.text.includes('Ama Koné'), 'the people of the desk stay unnamed')
})

test('asked twice it is one request; another sum waits for the first to be withdrawn', async () => {
  const shop = await newShop()
  const { base, aya, collector } = shop
  const { id: payment } = await collector.collect(10_000)
  const [one, two] = await Promise.all([ask(shop, payment), ask(shop, payment)])
  assert.deepEqual([one.status, two.status].toSorted(), [303, 303])
  assert.equal((await requestsOf(payment)).length, 1)
  const other = await ask(shop, payment, { amount: '500' })
  assert.equal(other.status, 422)
  assert.match(other.text, /déjà demandé/)
  const [request] = await requestsOf(payment)
  const withdraw = () => aya.post(`${base}/refund-requests/${request!.id}/withdraw`, {}, `${base}/payments/${payment}`)
  assert.equal((await withdraw()).location, `${base}/payments/${payment}?done=withdrawn`)
  assert.equal((await withdraw()).location, `${base}/payments/${payment}?done=withdrawn`)
  assert.equal((await ask(shop, payment, { amount: '500' })).status, 303)
  for (const [typed, words] of [
    [{ reason: '' }, /Choisissez une raison/],
    [{ amount: '10 001' }, /rendez cette somme au plus/],
  ] as const) {
    const { id } = await collector.collect(10_000)
    const refused = await ask(shop, id, typed)
    assert.equal(refused.status, 422)
    assert.match(refused.text, words)
  }
})

test('asked and decided at once: a request that is withdrawn while the desk decides refunds nothing, or it is refunded once', async () => {
  const shop = await newShop()
  const { base, aya, collector } = shop
  const { id: payment } = await collector.collect(10_000)
  await ask(shop, payment)
  const [request] = await requestsOf(payment)
  const { fields } = await formOf(ama, request!.id)
  const path = desk(`/payments/${payment}/refund`)
  const { answer } = await ama.ask(path, fields, path)
  const second = await kofi.ask(path, { ...fields, form: crypto.randomUUID() }, path)
  const [withdrawn, refunded, again] = await Promise.all([
    aya.post(`${base}/refund-requests/${request!.id}/withdraw`, {}, `${base}/payments/${payment}`),
    answer(),
    second.answer(),
  ])
  const [after] = await requestsOf(payment)
  const refunds = await refundsOf(payment)
  assert.equal(withdrawn.status, 303)
  assert.ok([303, 422].includes(refunded.status) && [303, 422].includes(again.status))
  assert.equal(refunds.length, after!.status === 'accepted' ? 1 : 0)
  assert.equal(after!.refund_id, refunds[0]?.id ?? null)
})

test('the desk refuses with an answer that the merchant reads, and not twice', async () => {
  const shop = await newShop()
  const { base, aya, collector } = shop
  const { id: payment } = await collector.collect(5_000)
  await ask(shop, payment)
  const [request] = await requestsOf(payment)
  const { fields } = await formOf(ama, request!.id)
  const refuse = (typed: string) =>
    kofi.post(desk(`/refund-requests/${request!.id}/refuse`), { answer: typed }, desk('/refund-requests'))
  assert.equal((await refuse(' ')).status, 409)
  assert.equal((await refuse('Déjà livré hier')).location, desk(`/refund-requests/${request!.id}?done=declined`))
  assert.match(
    (await aya.get(`${base}/payments/${payment}`)).text,
    /Refusé[\s\S]*Déjà livré hier[\s\S]*Demander un remboursement/,
  )
  const late = await refund(ama, payment, fields)
  assert.equal(late.status, 422)
  assert.match(late.text, /déjà décidée/)
  assert.deepEqual(await refundsOf(payment), [])
})

test('a refund by the search of a payment, or by a command, is refused while the merchant’s request waits', async () => {
  const shop = await newShop()
  const { collector } = shop
  const { id: payment } = await collector.collect(10_000)
  await ask(shop, payment, { amount: '4000' })
  const [request] = await requestsOf(payment)
  const path = desk(`/payments/${payment}/refund`)
  const page = await ama.get(path)
  const typed = { form: hidden(page, 'form'), given: '0', amount: '1 000', reason: 'Un geste' }
  const refused = await ama.post(path, typed, path)
  assert.equal(refused.status, 422)
  assert.match(refused.text, /décidez d’abord sur sa demande/)
  const command = (...more: string[]) =>
    installation.bandama('refund', 'create', '--payment', payment, '--as', ama.email, ...more)
  await assert.rejects(command('--amount', '1000'), new RegExp(`--request ${request!.id}`))
  assert.deepEqual([(await refundsOf(payment)).length, (await requestsOf(payment))[0]!.status], [0, 'asked'])
  const { refund_id } = await command('--amount', '4000', '--request', request!.id)
  assert.deepEqual(await requestsOf(payment), [{ id: request!.id, status: 'accepted', refund_id }])
  const more = await ama.confirm(path, { ...typed, form: crypto.randomUUID(), given: '4000' }, path)
  assert.match(more.done.location!, /done=refund_asked/, 'decided, the rest is free')
})

test('a person of both sides does not approve, as the second of the company, the refund that they asked for', {
  skip: !livemode,
}, async () => {
  const shop = await newShop()
  const { merchant_id } = shop.collector.tenant
  const both = await openMember(installation, 'Binta Sow', { merchant_id, roles: ['owner'], staff: ['operations'] })
  const { id: payment } = await shop.collector.collect(150_000)
  await ask({ ...shop, aya: both }, payment)
  const [request] = await requestsOf(payment)
  const { fields } = await formOf(ama, request!.id)
  const proposed = await refund(ama, payment, fields)
  const [, path] = /^(.*\/proposals\/refunds\/prp_\w+)\?done=proposed$/.exec(proposed.location ?? '') ?? []
  assert.ok(path !== undefined, proposed.location ?? proposed.text)
  const own = (await both.confirm(`${path}/approve`, {}, path)).done
  assert.equal(own.status, 409)
  assert.match(own.text, /Vous avez demandé ce remboursement comme marchand/)
  assert.deepEqual(await refundsOf(payment), [])
  assert.match((await kofi.confirm(`${path}/approve`, {}, path)).done.location!, /done=confirmed/)
  assert.equal((await requestsOf(payment))[0]!.status, 'accepted')
})

test('after the money was withdrawn the page says that it is short, and the desk cannot refund', async () => {
  const shop = await newShop()
  const { base, aya, collector } = shop
  const { id: payment } = await collector.collect(10_000)
  const { available } = await collector.balances()
  await moveToTransfer(installation.db.sql, collector.tenant, available, createClock())
  assert.match((await aya.get(`${base}/payments/${payment}/refund`)).text, /Aujourd’hui 0[\s\S]*refusée pour cela/)
  assert.equal((await ask(shop, payment)).status, 303)
  const [request] = await requestsOf(payment)
  const { page, fields } = await formOf(ama, request!.id)
  assert.match(page.text, /ne couvre pas tout/)
  assert.equal(fields.request, '', 'there is no button')
})

test('another merchant, the other mode and a role without the right neither ask nor withdraw', async () => {
  const [shop, other] = [await newShop(), await newShop()]
  const { id: payment } = await shop.collector.collect(5_000)
  const theirs = await other.aya.post(`${other.base}/payments/${payment}/refund`, { reason: 'twice' }, other.base)
  assert.equal(theirs.status, 404)
  const { merchant_id } = shop.collector.tenant
  assert.equal((await shop.aya.get(`/console/${otherMode}/${merchant_id}/payments/${payment}/refund`)).status, 404)
  const viewer = await openMember(installation, 'Jean Ehui', { merchant_id, roles: ['viewer'] })
  const page = await viewer.get(`${shop.base}/payments/${payment}`)
  assert.match(page.text, /Pour le rembourser/)
  assert.equal(
    (await viewer.post(`${shop.base}/payments/${payment}/refund`, { reason: 'twice' }, shop.base)).status,
    403,
  )
  await ask(shop, payment)
  const [request] = await requestsOf(payment)
  const away = await other.aya.post(`${other.base}/refund-requests/${request!.id}/withdraw`, {}, other.base)
  assert.equal(away.status, 404)
})
