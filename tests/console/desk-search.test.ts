import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Collector, newCollector } from '../contract/collector.ts'
import { newSender } from '../contract/sender.ts'
import { type Installation, newPayer, openInstallation } from '../harness/installation.ts'
import { mode } from '../harness/mode.ts'
import { type Member, openMember } from '../harness/teams.ts'

// Staff find an operation of any merchant by what a caller knows of it.

let installation: Installation
let collector: Collector
let other: Collector
let issa: Member
const base = `/desk/${mode}`

type Hit = { id: string; merchant_id: number; found_by: string; kind: string; last4: string | null }
type Found = { hits: Hit[]; is_cut: boolean; is_recent: boolean }

before(async () => {
  installation = await openInstallation()
  collector = await newCollector(installation)
  other = await newCollector(installation)
  issa = await openMember(installation, 'Issa Cissé', { staff: ['support'] })
})
after(() => installation[Symbol.asyncDispose]())

/** A number with an end that no other file uses: a search compares the newest 2,000 operations of one end, and others share the stand. */
const newNumber = () => newPayer().replace(/0000$/, '7391')

async function find(fields: Record<string, string>, person = issa, at = base): Promise<Found> {
  const { status, body } = await person.facts(`${at}/search?${new URLSearchParams(fields)}`)
  assert.equal(status, 200, JSON.stringify(body))
  return body as unknown as Found
}
const idsOf = ({ hits }: Found) => hits.map(({ id }) => id).toSorted()
const lineOf = async (person: Member) => {
  const lines = await installation.db.sql<{ merchant_id: number; livemode: boolean; after: object }[]>`
    select merchant_id, livemode, after from audit_log where act = 'number.search' and actor = ${person.email} order by at desc`
  return lines.map((line) => ({ ...line }))
}

test('a payer’s number finds the payments at all merchants, however it is written, and an amount and a day narrow them', async () => {
  const to = newNumber()
  const here = await collector.collect(7_300, { to })
  const there = await other.collect(8_100, { to })
  const all = [here.id, there.id].toSorted()
  const spaced = to.slice(-10).replace(/\d\d\B/g, '$& ')
  for (const q of [to, `+225${to.slice(-10)}`, ` +225 ${spaced} `, spaced, `00225${to.slice(-10)}`])
    assert.deepEqual(idsOf(await find({ q })), all, q)
  const { hits } = await find({ q: to })
  assert.deepEqual(
    new Set(hits.map(({ merchant_id }) => merchant_id)),
    new Set([collector, other].map(({ tenant }) => tenant.merchant_id)),
  )
  assert.deepEqual(
    hits.map(({ last4, found_by }) => [last4, found_by]),
    all.map(() => [to.slice(-4), 'number']),
  )
  const today = here.created_at.slice(0, 10)
  assert.deepEqual(idsOf(await find({ q: to, amount: '7 300 F CFA' })), [here.id])
  assert.deepEqual(idsOf(await find({ q: to, day: today })), all)
  assert.deepEqual(idsOf(await find({ q: to, day: '2020-01-01' })), [])
  assert.deepEqual(idsOf(await find({ q: to, merchant: String(other.tenant.merchant_id) })), [there.id])
  assert.deepEqual(idsOf(await find({ q: here.id, amount: '8100' })), [], 'an identifier of another amount')
  assert.deepEqual(idsOf(await find({ amount: '7300', day: today })), [here.id], 'an amount and a day alone')
  assert.deepEqual(idsOf(await find({ q: '7300', merchant: String(collector.tenant.merchant_id) })), [here.id])
})

test('a reference of the merchant or of the operator finds the operation', async () => {
  const { sql } = installation.db
  const { merchant, tenant } = collector
  const body = { amount: 2_000, counterparty: { msisdn: newNumber() }, merchant_reference: 'Facture n° 7 / é' }
  const { id } = (await installation.pay(merchant.key, body)).json() as { id: string }
  await collector.untilPayment(id, 'succeeded')
  assert.deepEqual(idsOf(await find({ q: 'Facture n° 7 / é' })), [id])
  assert.deepEqual(idsOf(await find({ q: 'Facture n° 7 / e\u0301' })), [id], 'composed otherwise')
  const [quoted] = await sql<{ reference: string }[]>`
    select reference from operator_references where subject_id = ${id} and merchant_id = ${tenant.merchant_id} limit 1`
  assert.deepEqual(idsOf(await find({ q: quoted!.reference })), [id])
  const sender = await newSender(installation)
  const sent = {
    amount: 900,
    beneficiary: { msisdn: newNumber(), operator: 'orange_ci', name: 'Ama Yao' },
    reference: 'SAL-09',
  }
  const payout = (await sender.send(sent)).json() as { id: string }
  const { hits } = await find({ q: 'SAL-09' })
  assert.deepEqual(
    hits.map((hit) => [hit.id, hit.kind, hit.found_by]),
    [[payout.id, 'payout', 'reference']],
  )
  assert.ok(!JSON.stringify(hits).includes('Ama Yao'), 'no name of a person')
})

test('results show merchant, kind, state, amount and the end of the number, in both languages, and lead to the operation', async () => {
  const { sql } = installation.db
  const to = newNumber()
  const { id } = await collector.collect(6_400, { to })
  const { merchant_id } = collector.tenant
  const [{ name } = { name: '' }] = await sql<
    { name: string }[]
  >`select name from merchants where merchant_id = ${merchant_id}`
  const page = (await issa.get(`${base}/search?q=${to}`)).text
  const shown = page.slice(page.indexOf('<table'))
  for (const words of [
    name,
    'Paiement',
    'Payé',
    '6\u202f400',
    `••\u00a0${to.slice(-4, -2)}\u00a0${to.slice(-2)}`,
    'numéro',
  ])
    assert.ok(shown.includes(words), words)
  assert.ok(!shown.includes(to.slice(-10)), 'no whole number')
  assert.doesNotMatch(page, /précisez/)
  const english = await openMember(installation, 'Ann Lee', { staff: ['finance'], language: 'en' })
  assert.match((await english.get(`${base}/search?q=${to}`)).text, /Search all merchants[\s\S]*Payment[\s\S]*Paid/)

  // The desk has no page of a payment: staff read it in the merchant's console, with a reason.
  const [, link] = new RegExp(`href="(${base}/merchants/${merchant_id}\\?operation=/payments/${id})#look"`).exec(page)!
  const merchant = await issa.get(link!)
  assert.match(merchant.text, /id="look"/)
  assert.ok(merchant.text.includes(`name="operation" value="/payments/${id}"`))
  const fields = { reason: 'Appel du payeur', operation: `/payments/${id}` }
  const begun = await issa.post(`${base}/merchants/${merchant_id}/look`, fields, link)
  const opened = (await issa.get(begun.location!.replace('#look', ''))).text
  const [, payment] = new RegExp(`href="([^"]*/console/${mode}/${merchant_id}/payments/${id})"`).exec(opened)!
  assert.equal((await issa.get(payment!)).status, 200)
  const odd = await issa.get(`${base}/merchants/${merchant_id}?operation=${encodeURIComponent('//evil.example/x')}`)
  assert.doesNotMatch(odd.text, /name="operation"/)
})

test('a search for a number is written into the audit log with the number masked, and another search is not', async () => {
  const kofi = await openMember(installation, 'Kofi Yao', { staff: ['compliance'] })
  const to = newNumber()
  await find({ q: to }, kofi)
  const whole = { merchant_id: 0, livemode: mode === 'live', after: { number: `+225******${to.slice(-4)}` } }
  assert.deepEqual(await lineOf(kofi), [whole])
  await find({ q: '0419', merchant: '7' }, kofi)
  const [end] = await lineOf(kofi)
  assert.deepEqual(end, { ...whole, after: { last4: '0419', merchant_id: 7 } })
  for (const q of ['CMD-1', '25 000', 'txn_1', '2026-11-24']) await find({ q }, kofi)
  assert.equal((await lineOf(kofi)).length, 2)
  const log = await kofi.get(`${base}/audit?act=number.search`)
  assert.match(log.text, /Numéro cherché chez tous les marchands/)
  assert.ok(!log.text.includes(to.slice(-10)))
  assert.ok(!installation.services[0]!.output().includes(to.slice(-10)), 'the number in the service’s log')
})

test('the other mode’s operations are not found, and only people who read cases may search', async () => {
  const { id } = await collector.collect(5_050)
  assert.deepEqual(idsOf(await find({ q: id })), [id])
  const elsewhere = `/desk/${mode === 'live' ? 'test' : 'live'}`
  for (const q of [id, '5 050']) assert.deepEqual(idsOf(await find({ q }, issa, elsewhere)), [])
  const administrator = await openMember(installation, 'Rose Adou', { staff: ['administrator'] })
  assert.equal((await administrator.get(`${base}/search?q=${id}`)).status, 403)
  assert.ok(!(await administrator.get(base)).text.includes(`${base}/search`), 'a search box that leads nowhere')
  assert.ok((await issa.get(base)).text.includes(`action="${base}/search/sealed"`))
  const owner = await openMember(installation, 'Aya Kouassi', {
    merchant_id: collector.tenant.merchant_id,
    roles: ['owner'],
  })
  assert.equal((await owner.get(`${base}/search?q=${id}`)).status, 404)
})

test('too many results say so, and what cannot narrow a search is an error at its field', async () => {
  for (let n = 0; n < 11; n += 1)
    await installation.pay(collector.merchant.key, { amount: 4_444, counterparty: { msisdn: newNumber() } })
  const found = await find({ q: '4 444' })
  assert.equal(found.hits.length, 10)
  assert.equal(found.is_cut, true)
  assert.match((await issa.get(`${base}/search?q=4444`)).text, /Il y en a trop\s: précisez/)
  assert.match((await issa.get(`${base}/search?q==HYPERLINK("x")`)).text, /Rien trouvé/)
  const wrong = await issa.get(`${base}/search?q=4444&amount=beaucoup&day=31/02/2026&merchant=Awa`)
  assert.equal(wrong.status, 422)
  for (const field of ['amount', 'day', 'merchant']) assert.ok(wrong.text.includes(`id="${field}-e"`), field)
  assert.ok(wrong.text.includes('value="beaucoup"'))
})

test('an identifier leads to its page on the desk, or to its merchant with the way to its console', async () => {
  const { sql } = installation.db
  const sender = await newSender(installation)
  const { merchant_id } = sender.tenant
  const to = (page: string) => `${base}/merchants/${merchant_id}?operation=${page}#look`
  const sent = { amount: 100_001, beneficiary: { msisdn: newNumber(), operator: 'orange_ci', name: 'Ama Yao' } }
  const held = (await sender.send(sent)).json() as { id: string }
  const event = { id: 'evt_01k5v0e9t8fq3a7mzd4n2xw6rb' }
  await sql`
    insert into events (merchant_id, livemode, id, type, subject_id, body)
    values (${merchant_id}, ${mode === 'live'}, ${event.id}, 'payout.succeeded', 'txn_01k5v0e9t8fq3a7mzd4n2xw6rb', '{}')`
  const owner = await openMember(installation, 'Aya Kouassi', { merchant_id, roles: ['owner'] })
  const book = `/console/${mode}/${merchant_id}/beneficiaries`
  const added = await owner.post(book, { ...sent.beneficiary, name: 'Yves Diaby' }, `${book}/new`)
  const [, entry] = /beneficiaries\/([0-9a-f-]+)/.exec(added.location!)!
  const words = ['--merchant', String(merchant_id), '--mode', mode, '--amount', '500']
  const filling = await installation.bandama('deposit', ...words)
  const link = await installation.bandama('link', 'create', ...words)
  const seek = async (q: string, person = issa, at = base) => person.get(`${at}/search?${new URLSearchParams({ q })}`)
  for (const [id, page] of [
    [held.id, to(`/approvals/${held.id}`)],
    [String(link.link_id), to(`/links/${link.link_id}`)],
    [event.id, to(`/events/${event.id}`)],
    [entry!, to(`/beneficiaries/${entry}`)],
    [String(filling.deposit_id), to('/statement')],
    [sender.merchant.key.split('_').at(-1)!.slice(0, 13), to('/keys')],
    ['ano_01k5v0e9t8fq3a7mzd4n2xw6rb', `${base}/cases/ano_01k5v0e9t8fq3a7mzd4n2xw6rb`],
    ['cap_01k5v0e9t8fq3a7mzd4n2xw6rb', `${base}/caps/cap_01k5v0e9t8fq3a7mzd4n2xw6rb`],
  ] as const)
    assert.deepEqual([(await seek(id)).location, id], [page, id])
  // The merchant's page keeps the way to what was searched, and its reason opens it.
  const asked = await issa.get(to(`/approvals/${held.id}`).replace('#look', ''))
  assert.ok(asked.text.includes(`name="operation" value="/approvals/${held.id}"`))

  const elsewhere = await seek(held.id, issa, `/desk/${mode === 'live' ? 'test' : 'live'}`)
  assert.match(
    elsewhere.text,
    new RegExp(`du marchand ${merchant_id}, dans l’autre mode[\\s\\S]*${to('').slice(0, -5).replaceAll('?', '\\?')}`),
  )
  assert.doesNotMatch(elsewhere.text, /Rien trouvé/)
  assert.match((await seek(issa.person_id)).text, /mène à une personne[\s\S]*Administrateur/)
  const rose = await openMember(installation, 'Rose Adou', { staff: ['compliance'] })
  assert.equal((await seek(issa.person_id, rose)).location, `${base}/people/${issa.person_id}`)
  const [session] = await sql<{ session_id: string }[]>`
    select session_id from person_sessions where person_id = ${issa.person_id} limit 1`
  assert.equal((await seek(session!.session_id, rose)).location, `${base}/people/${issa.person_id}`)
  for (const unknown of [
    'por_01k5v0e9t8fq3a7mzd4n2xw6rb',
    '01929b2e-0000-4000-8000-000000000000',
    'ses_01k5v0e9t8fq3a7mzd4n2xw6rb',
  ])
    assert.match((await seek(unknown)).text, /Rien trouvé/)
})
