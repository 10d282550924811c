import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newSettler, type Settler } from '../contract/settler.ts'
import { openBrowser } from '../harness/console.ts'
import { setFees } from '../harness/fees.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { mode, otherMode } from '../harness/mode.ts'
import { type Member, openMember } from '../harness/teams.ts'
import { waitFor } from '../harness/wait-for.ts'

// The desk's merchants: the list with its search, and one merchant's page.

let installation: Installation
let settler: Settler
let support: Member
const list = `/desk/${mode}/merchants`

before(async () => {
  installation = await openInstallation()
  settler = await newSettler(installation)
  support = await openMember(installation, 'Issa Cissé', { staff: ['support'] })
})
after(() => installation[Symbol.asyncDispose]())

type Listed = { merchants: { merchant_id: number; name: string }[]; has_more: boolean }
const listed = async (query: string) => (await support.facts(`${list}${query}`)).body as Listed

test('a merchant is found by a part of its name in any letter case, or by its number', async () => {
  const { merchant_id } = settler.tenant
  const named = (await installation.bandama('merchant', 'create', '--name', 'Garba 100 % du Plateau')) as {
    merchant_id: number
  }
  for (const query of ['?q=garba', '?q=100%20%25%20DU', `?q=${named.merchant_id}`]) {
    const found = (await listed(query)).merchants.map((one) => one.merchant_id)
    assert.ok(found.includes(named.merchant_id) && !found.includes(merchant_id), query)
  }
  // A wildcard of SQL is an ordinary character here.
  assert.deepEqual((await listed('?q=%25%25')).merchants, [])
  assert.match((await support.get(`${list}?q=nowhere`)).text, /Aucun marchand ici/)
  assert.match((await support.get(`${list}?q=garba`)).text, /value="garba"/)
})

test('the list continues after the last number of a page, and returns to its beginning', async () => {
  for (let n = 0; n < 51; n += 1) {
    await installation.db.sql`insert into merchants (name) values (${`Allocodrome n° ${n}`})`
  }
  const page = await support.get(`${list}?q=allocodrome`)
  const next = /href="([^"]+)" rel="next"/.exec(page.text)?.[1]?.replaceAll('&amp;', '&') ?? ''
  assert.ok(next.includes('q=allocodrome'), next)
  const [first, second] = [await listed('?q=allocodrome'), (await support.facts(next)).body as Listed]
  assert.equal(first.has_more, true)
  assert.deepEqual([first.merchants.length, second.merchants.length, second.has_more], [50, 1, false])
  assert.ok(second.merchants[0]!.merchant_id > first.merchants.at(-1)!.merchant_id)
  assert.match((await support.get(next)).text, /rel="prev"/)
})

test('the page of a merchant shows its money, its terms, its people without addresses, and its open cases', async () => {
  const { merchant_id } = settler.tenant
  const { sql } = installation.db
  const { address } = installation.services[0]!
  const owner = await openBrowser(sql, address, { merchant_id, roles: ['owner'], name: 'Adjoa Tano' })
  const fees = { fixed: 25, minimum: 0, maximum: null, bearer: 'merchant', service: 'collection' } as const
  const known = ['--merchant', String(merchant_id), '--service', 'collection', '--bps', '175', '--fixed', '25']
  await installation.bandama('fees', 'set', ...known)
  await setFees(sql, { merchant_id, ...fees, basis_points: 300, effective_from: new Date('2099-03-01T00:00:00Z') })
  await installation.bandama('caps', 'set', ...settler.words, '--operation', '40000', '--day', '90000')
  await installation.bandama('settlement', 'set-minimum', ...settler.words, '--amount', '7000')
  const settlement = (await settler.request(12_000)).json() as { id: string }
  const path = `${list}/${merchant_id}`
  const { text, status } = await support.get(path)
  assert.equal(status, 200)
  const plain = text.replaceAll(/[\u00a0\u202f]/g, ' ')
  for (const shown of [
    '1,75 % + 25 F CFA, à sa charge',
    '3 % + 25 F CFA, à sa charge',
    '1 mars, 00:00',
    '40 000 F CFA',
    '90 000 F CFA',
    '7 000 F CFA',
    'Adjoa Tano',
    'Propriétaire',
    `/settlements/${settlement.id}`,
  ]) {
    assert.ok(plain.includes(shown), shown)
  }
  assert.ok(!text.includes(owner.email), 'the address of a person')
  const { body } = await support.facts(path)
  const { balances, received, terms, destination, cases } = body as {
    balances: object
    received: { done: number; amount: number; lost: number; fees: number }
    terms: { caps: object; floor: number; fees: { in_force: { basis_points: number }; to_come: object[] }[] }
    destination: { last4: string } & Record<string, unknown>
    cases: { id: string }[]
  }
  assert.deepEqual(balances, await settler.balances())
  const paid = await installation.db.sql<{ done: number; amount: number; fees: number }[]>`
    select count(*)::integer as done, sum(amount)::bigint as amount, sum(fee_amount)::bigint as fees from payments
     where merchant_id = ${settler.tenant.merchant_id} and livemode = ${settler.tenant.livemode} and status = 'succeeded'`
  assert.ok(received.amount > 0)
  assert.deepEqual({ ...received, lost: 0 }, { ...paid[0], lost: 0 })
  assert.deepEqual(terms.caps, { operation: 40_000, day: 90_000, payment: 2_000_000, used: 0 })
  assert.deepEqual([terms.floor, terms.fees[0]!.in_force.basis_points, terms.fees[0]!.to_come.length], [7_000, 175, 1])
  assert.deepEqual([destination.last4.length, 'iban' in destination], [4, false])
  assert.deepEqual(
    cases.map(({ id }) => id),
    [settlement.id],
  )
})

test('the other mode has its own money and cases, and an invalid number has no page', async () => {
  const { merchant_id } = settler.tenant
  const { body, status } = await support.facts(`/desk/${otherMode}/merchants/${merchant_id}`)
  assert.equal(status, 200)
  assert.deepEqual([(body.balances as { available: number }).available, body.cases], [0, []])
  for (const none of ['999999', '0', 'abc', '1e3'])
    assert.equal((await support.get(`${list}/${none}`)).status, 404, none)
})

test('an administrator manages people and does not read merchants', async () => {
  const administrator = await openMember(installation, 'Root', { staff: ['administrator'] })
  assert.equal((await administrator.get(list)).status, 403)
  assert.equal((await administrator.get(`${list}/${settler.tenant.merchant_id}`)).status, 403)
})

test('compliance suspends a merchant in both modes and activates it again, with a fresh factor', async () => {
  const compliance = await openMember(installation, 'Kofi Yao', { staff: ['compliance'] })
  const { merchant_id } = settler.tenant
  const path = `${list}/${merchant_id}`
  assert.equal((await support.post(`${path}/deactivate`, {}, list)).status, 403)
  assert.ok(!(await support.get(path)).text.includes('/deactivate'))
  const { ask, done } = await compliance.confirm(`${path}/deactivate`, {}, path)
  assert.match(ask.text, /n’encaisse et n’envoie plus rien/)
  assert.equal(done.location, `${path}?done=saved`)
  // A repeated submission needs no factor and is the same decision.
  assert.equal((await compliance.post(`${path}/deactivate`, {}, path)).location, `${path}?done=saved`)
  const { key } = await settler.merchant.newKey(mode, 'collect')
  const body = { amount: 1_000, counterparty: { msisdn: '0700000000' } }
  assert.equal((await installation.pay(key, body)).status, 403)
  const { done: again } = await compliance.confirm(`${path}/activate`, {}, path)
  assert.equal(again.location, `${path}?done=saved`)
  await waitFor(async () => (await installation.pay(key, body)).status === 201 || null)
  const acts = await installation.db.sql<{ act: string; actor: string }[]>`
    select act, actor from audit_log where merchant_id = ${merchant_id} and act like 'merchant.%ctivate' order by at`
  assert.deepEqual(
    acts.map(({ act, actor }) => [act, actor]),
    [
      ['merchant.deactivate', compliance.email],
      ['merchant.activate', compliance.email],
    ],
  )
})
