import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { idFrom } from '../../src/values/ids.ts'
import { newSender, payout, type Sender } from '../contract/sender.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { mode, otherMode } from '../harness/mode.ts'
import { type Member, openMember } from '../harness/teams.ts'
import { waitFor } from '../harness/wait-for.ts'

// Caps: lowered at once, raised by a second person, in the console and on the desk.

let installation: Installation
let sender: Sender
let owner: Member
let ama: Member
let kofi: Member
let support: Member
let console_: string
const desk = `/desk/${mode}`

before(async () => {
  installation = await openInstallation({ own: 'writes rows past the service' })
  sender = await newSender(installation)
  const { merchant_id } = sender.tenant
  owner = await openMember(installation, 'Aya Kouassi', { merchant_id, roles: ['owner'] })
  // A staff member who is an owner of this merchant too.
  ama = await openMember(installation, 'Ama Koné', { staff: ['compliance'], merchant_id, roles: ['owner'] })
  kofi = await openMember(installation, 'Kofi Yao', { staff: ['compliance'] })
  support = await openMember(installation, 'Issa Cissé', { staff: ['support'] })
  console_ = `/console/${mode}/${merchant_id}/caps`
})
after(() => installation[Symbol.asyncDispose]())

type Shown = {
  caps: { operation: number; day: number }
  proposals: { id: string; status: string; refusal_reason: string | null }[]
}
const shown = async () => (await owner.facts(console_)).body as Shown
const wish = (cap: string, amount: string, reason = 'Salaires de décembre') => ({ cap, amount, reason })
/** Requests a higher cap as this person. Returns the proposal's id. */
async function asked(person: Member, cap: string, amount: string): Promise<string> {
  const { done } = await person.confirm(console_, wish(cap, amount), console_)
  assert.equal(done.location, `${console_}?done=asked_team`)
  return (await shown()).proposals[0]!.id
}

test('a lower cap applies from the next payout on', async () => {
  assert.deepEqual((await shown()).caps.operation, 100_000)
  assert.equal((await sender.send(payout(60_000))).status, 201)
  const { ask, done } = await owner.confirm(console_, wish('operation', '50 000'), console_)
  assert.match(ask.text, /Il vaut dès le prochain envoi/)
  assert.equal(done.location, `${console_}?done=saved`)
  assert.equal((await shown()).caps.operation, 50_000)
  assert.equal((await sender.send(payout(60_000))).status, 202)
  // A repeated submission is the same decision.
  const { done: again } = await owner.confirm(console_, wish('operation', '50 000'), console_)
  assert.equal(again.location, `${console_}?done=saved`)
})

test('a higher cap waits on the desk, and another staff member confirms it', async () => {
  const id = await asked(ama, 'operation', '80000')
  assert.equal((await shown()).caps.operation, 50_000)
  const { done: second } = await owner.confirm(console_, wish('operation', '90000'), console_)
  assert.equal(second.status, 422)
  assert.match(second.text, /Une demande attend déjà/)
  assert.match(second.text, /value="90000"/)

  const path = `${desk}/caps/${id}`
  assert.match((await support.get(`${desk}/caps`)).text, /Plafond par envoi/)
  assert.match((await support.get(desk)).text, new RegExp(`/caps/${id}`))
  assert.match((await support.get(path)).text, /La conformité décide/)
  assert.equal((await support.post(`${path}/approve`, {}, path)).status, 403)
  assert.equal((await kofi.get(`/desk/${otherMode}/caps/${id}`)).status, 404)
  assert.match((await ama.get(path)).text, /une autre personne décide/)
  const { done: own } = await ama.confirm(`${path}/approve`, {}, `${desk}/switch`)
  assert.equal(own.status, 409)
  assert.equal((await shown()).caps.operation, 50_000)

  const { ask, done } = await kofi.confirm(`${path}/approve`, {}, path)
  assert.match(ask.text, /80\u202f000/)
  assert.equal(done.location, `${path}?done=confirmed`)
  assert.equal((await shown()).caps.operation, 80_000)
  assert.equal((await kofi.post(`${path}/approve`, {}, `${desk}/switch`)).status, 409)
  const acts = await installation.db.sql<{ act: string; actor: string }[]>`
    select act, actor from audit_log where subject = ${id} order by at, act`
  assert.deepEqual(
    acts.map(({ act, actor }) => [act, actor]),
    [
      ['caps.propose', ama.email],
      ['caps.approve', kofi.email],
    ],
  )
})

test('a refusal has a reason, and the merchant reads it', async () => {
  const id = await asked(owner, 'day', '900000')
  const path = `${desk}/caps/${id}`
  assert.equal((await kofi.post(`${path}/refuse`, { refusal: '' }, path)).status, 409)
  const refused = await kofi.post(`${path}/refuse`, { refusal: 'Envoyez d’abord votre bilan' }, path)
  assert.equal(refused.location, `${path}?done=declined`)
  assert.match((await owner.get(console_)).text, /Refusé\s: Envoyez d’abord votre bilan/)
  const { caps, proposals } = await shown()
  assert.deepEqual([caps.day, proposals[0]!.status], [500_000, 'refused'])
  assert.ok(!JSON.stringify(proposals).includes(kofi.email), 'the address of a staff member')
})

test('the database refuses the proposer, and never overwrites a decision', async () => {
  const id = await asked(owner, 'day', '700000')
  const { sql } = installation.db
  const decide = (person: string, status: string) =>
    sql`update cap_proposals set status = ${status}, decided_by = ${person}, decided_at = clock_now() where id = ${id}`
  await assert.rejects(decide(` ${owner.email.toUpperCase()}`, 'approved'), /cap_proposals_two_people/)
  await decide(kofi.email, 'approved')
  await assert.rejects(decide('somebody@example.ci', 'approved'), /was decided already/)
  await assert.rejects(sql`delete from cap_proposals where id = ${id}`)
})

test('a form without an amount or a reason is shown again with the typed text', async () => {
  for (const [fields, words] of [
    [wish('day', 'beaucoup'), /Écrivez une somme/],
    [wish('day', '0'), /Écrivez une somme/],
    [wish('day', '10', ''), /Dites pourquoi/],
  ] as const) {
    const refused = await owner.post(console_, fields, console_)
    assert.equal(refused.status, 422)
    assert.match(refused.text, words)
    assert.match(refused.text, new RegExp(`value="${fields.amount}"`))
  }
  const viewer = await openMember(installation, 'Ali', {
    merchant_id: sender.tenant.merchant_id,
    roles: ['viewer'],
  })
  assert.equal((await viewer.get(console_)).status, 200)
  assert.equal(
    (await viewer.post(console_, wish('day', '10'), `/console/${mode}/${sender.tenant.merchant_id}`)).status,
    403,
  )
})

test('the desk lowers a cap at once, proposes a higher one, and sets the smallest settlement', async () => {
  const { merchant_id } = sender.tenant
  const path = `${desk}/merchants/${merchant_id}/caps`
  const { done } = await kofi.confirm(path, wish('operation', '20000', 'Fraude signalée'), path)
  assert.equal(done.location, `${path}?done=saved`)
  assert.equal((await shown()).caps.operation, 20_000)
  const { done: higher } = await kofi.confirm(path, wish('operation', '30000', 'Fraude écartée'), path)
  assert.equal(higher.location, `${path}?done=proposed`)
  const { id } = (await shown()).proposals[0]!
  const { done: own } = await kofi.confirm(`${desk}/caps/${id}/approve`, {}, path)
  assert.equal(own.status, 409)
  const { done: other } = await ama.confirm(`${desk}/caps/${id}/approve`, {}, `${desk}/caps/${id}`)
  assert.equal(other.location, `${desk}/caps/${id}?done=confirmed`)
  assert.equal((await shown()).caps.operation, 30_000)

  const floor = `${desk}/merchants/${merchant_id}/floor`
  assert.equal((await kofi.post(floor, { minimum: '-1' }, path)).status, 422)
  assert.equal((await support.post(floor, { minimum: '9000' }, path)).status, 403)
  const { done: set } = await kofi.confirm(floor, { minimum: '9 000' }, path)
  assert.equal(set.location, `${path}?done=saved`)
  assert.equal((await kofi.facts(path)).body.floor, 9_000)
  assert.equal((await kofi.get(`${desk}/merchants/999999/caps`)).status, 404)
})

/** Makes a payment of this merchant in the mode of the tests. Payments read settings that are at most a second old. */
async function untilPaid(amount: number, status: number): Promise<void> {
  const { merchant } = sender
  const body = { amount, currency: 'XOF', counterparty: { msisdn: '0700001234' }, operator: 'orange_ci' }
  await waitFor(async () => (await installation.pay(merchant.key, body)).status === status, {
    what: `a payment of ${amount} to answer ${status}`,
  })
}

test('in live mode the cap of a payment is lowered at once and raised by two people, and payments above it are refused', async () => {
  const { merchant_id } = sender.tenant
  const path = `/desk/live/merchants/${merchant_id}/caps`
  const paymentCap = async () => ((await kofi.facts(path)).body.caps as { payment: number }).payment
  assert.equal(await paymentCap(), 2_000_000)
  const { ask, done } = await kofi.confirm(path, wish('payment', '6 000', 'Fraude signalée'), path)
  assert.match(ask.text, /en réel et en test/)
  assert.equal(done.location, `${path}?done=saved`)
  assert.equal(await paymentCap(), 6_000)
  await untilPaid(6_001, 422)
  await untilPaid(6_000, 201)

  const { done: higher } = await kofi.confirm(path, wish('payment', '7000', 'Fraude écartée'), path)
  assert.equal(higher.location, `${path}?done=proposed`)
  assert.equal(await paymentCap(), 6_000)
  const { proposals } = (await kofi.facts(path)).body as Shown
  const proposal = `/desk/live/caps/${proposals[0]!.id}`
  assert.match((await support.get(proposal)).text, /Plafond par paiement/)
  assert.match((await support.get('/desk/live')).text, /Plafond par paiement à relever/)
  assert.equal((await kofi.confirm(`${proposal}/approve`, {}, path)).done.status, 409)
  assert.equal((await ama.confirm(`${proposal}/approve`, {}, proposal)).done.location, `${proposal}?done=confirmed`)
  assert.equal(await paymentCap(), 7_000)
  await untilPaid(7_000, 201)
  const acts = await installation.db.sql<{ act: string; before: object; after: object }[]>`
    select act, before, after from audit_log
     where merchant_id = ${merchant_id} and livemode and act in ('caps.set', 'caps.propose', 'caps.approve') order by at`
  assert.deepEqual(
    acts.map(({ act, after }) => [act, (after as { payment: number }).payment]),
    [
      ['caps.set', 6_000],
      ['caps.propose', 7_000],
      ['caps.approve', 7_000],
    ],
  )
})

test('only an owner of the merchant lowers the cap of a payment, after a warning, and can undo a mistake alone', async () => {
  const { sql } = installation.db
  const shop = await newSender(installation)
  const { merchant_id } = shop.tenant
  const of = (name: string, ...roles: string[]) => openMember(installation, name, { merchant_id, roles })
  const [aya, maker, approver] = [
    await of('Aya', 'owner'),
    await of('Marc', 'maker'),
    await of('Paul', 'approver', 'developer'),
  ]
  const path = `/console/live/${merchant_id}/caps`
  type Facts = { caps: { payment: number }; undo: { amount: number } | null }
  const facts = async (person: Member) => (await person.facts(path)).body as Facts
  const paymentCap = async () => (await facts(aya)).caps.payment
  const set = async (amount: string) => (await aya.confirm(path, wish('payment', amount), path)).done.location
  for (const person of [maker, approver]) {
    const refused = await person.post(path, wish('payment', '5 000'), path)
    assert.equal(refused.status, 422)
    assert.match(refused.text, /seul un propriétaire peut baisser le plafond par paiement/)
  }
  assert.equal(await paymentCap(), 2_000_000)

  const now = Date.now()
  const payments = [
    [now - 86_400_000, 5_000],
    [now - 2 * 86_400_000, 5_001],
    [now - 3 * 86_400_000, 900_000],
    [now - 31 * 86_400_000, 900_000],
  ] as const
  for (const [at, amount] of payments) {
    await sql`
      insert into listed_operations (merchant_id, livemode, kind, id, version, status, amount)
      values (${merchant_id}, true, 'payment', ${idFrom('txn', at, randomBytes(10))}, 2, 'succeeded', ${amount})`
  }
  const { ask, done } = await aya.confirm(path, wish('payment', '5 000'), path)
  assert.match(ask.text, /refusés tout de suite\..*paiements réussis au-dessus\s: 2\./)
  assert.equal(done.location, `${path}?done=saved`)
  assert.equal(await paymentCap(), 5_000)
  const page = await aya.get(path)
  assert.match(page.text, /Remettre 2\s000\s000\sF\sCFA/)
  assert.doesNotMatch((await maker.get(path)).text, /Remettre/)

  // Another mistake keeps the way back. A cap above the earlier one waits for the staff.
  assert.equal(await set('500'), `${path}?done=saved`)
  assert.equal(await set('2000001'), `${path}?done=asked_team`)
  assert.equal(await set('6000'), `${path}?done=saved`)
  assert.equal(await paymentCap(), 6_000)
  const { done: asked } = await maker.confirm(path, wish('payment', '7000'), path)
  assert.equal(asked.location, `${path}?done=asked_team`, 'a maker waits for the staff')
  assert.equal(await set('2000000'), `${path}?done=saved`)
  assert.equal(await paymentCap(), 2_000_000)
  assert.equal((await facts(aya)).undo, null)
  const acts = await sql<{ actor: string; from: number | null; to: number }[]>`
    select actor, (before ->> 'payment')::integer as from, (after ->> 'payment')::integer as to
      from audit_log
     where merchant_id = ${merchant_id} and act = 'caps.set'
     order by at`
  assert.deepEqual(
    acts.map(({ actor, from, to }) => [actor, from, to]),
    [
      [aya.email, null, 5_000],
      [aya.email, 5_000, 500],
      [aya.email, 500, 6_000],
      [aya.email, 6_000, 2_000_000],
    ],
  )
})

test('an owner can undo neither a cap that the staff lowered, nor their own after a day', async () => {
  const { sql } = installation.db
  const shop = await newSender(installation)
  const { merchant_id } = shop.tenant
  const aya = await openMember(installation, 'Aya', { merchant_id, roles: ['owner'] })
  const path = `/console/live/${merchant_id}/caps`
  const onDesk = `/desk/live/merchants/${merchant_id}/caps`
  const set = async (amount: string) => (await aya.confirm(path, wish('payment', amount), path)).done.location
  assert.equal(await set('900000'), `${path}?done=saved`)
  const { done } = await kofi.confirm(onDesk, wish('payment', '6000', 'Fraude signalée'), onDesk)
  assert.equal(done.location, `${onDesk}?done=saved`)
  assert.equal((await aya.facts(path)).body.undo, null)
  assert.equal(await set('900000'), `${path}?done=asked_team`)

  assert.equal(await set('5000'), `${path}?done=saved`)
  await sql`
    update merchants set collection_amount_undo_until = clock_now() - interval '1 second'
     where merchant_id = ${merchant_id}`
  assert.equal(await set('6000'), `${path}?done=asked_team`)
})

test('the cap of a payment cannot be changed in test mode: in the console, on the desk, by a command or in the database', async () => {
  const { merchant_id } = sender.tenant
  for (const [person, path] of [
    [owner, `/console/test/${merchant_id}/caps`],
    [kofi, `/desk/test/merchants/${merchant_id}/caps`],
  ] as const) {
    assert.ok(!(await person.get(path)).text.includes('value="payment"'))
    const refused = await person.post(path, wish('payment', '5000'), path)
    assert.equal(refused.status, 422)
    assert.match(refused.text, /Choisissez un plafond de ce mode/)
  }
  const words = ['caps', 'set', '--merchant', String(merchant_id), '--payment', '5000', '--as', kofi.email]
  await assert.rejects(installation.bandama(...words, '--mode', 'test'))
  assert.equal((await installation.bandama(...words, '--mode', 'live')).payment, 5_000)
  await untilPaid(5_001, 422)
  await assert.rejects(
    installation.db.sql`
      insert into cap_proposals (merchant_id, livemode, id, cap, amount, reason, proposed_by)
      values (${merchant_id}, false, 'cap_x', 'payment', 1, 'r', 'a@example.ci')`,
    /cap_proposals/,
  )
})
