import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { mode } from '../harness/mode.ts'
import { openSettlementDesk, type SettlementDesk, settlementList } from './settlement-desk.ts'

// Settlements at the desk: one person validates, another pays, each with a fresh factor.

let installation: SettlementDesk['installation']
let settler: SettlementDesk['settler']
let ama: SettlementDesk['ama']
let kofi: SettlementDesk['kofi']
let support: SettlementDesk['support']
let statusOf: SettlementDesk['statusOf']
const list = settlementList

before(async () => {
  ;({ installation, settler, ama, kofi, support, statusOf } = await openSettlementDesk())
})
after(() => installation[Symbol.asyncDispose]())

const ask = async (amount: number) => ((await settler.request(amount)).json() as { id: string }).id

test('one person validates and another pays, each with a fresh factor for exactly that act', async () => {
  const id = await ask(6_000)
  const at = `${list}/${id}`
  const { ask: question, done } = await ama.confirm(`${at}/validate`, {}, at)
  assert.match(question.text, /6\u202f000/)
  assert.equal(done.location, `${at}?done=settlement_validated`)
  assert.equal(await statusOf(id), 'validated')
  const again = await ama.post(`${at}/validate`, {}, at)
  assert.equal(again.status, 409)
  assert.match(again.text, /Déjà validé par Ama Koné/)

  assert.match((await ama.get(at)).text, /une autre personne entre le virement/)
  const { done: same } = await ama.confirm(`${at}/pay`, { reference: 'VIR 1' }, at)
  assert.equal(same.status, 409)
  assert.equal(await statusOf(id), 'validated')

  const empty = await kofi.post(`${at}/pay`, { reference: ' ' }, at)
  assert.equal(empty.status, 409)
  assert.match(empty.text, /href="#reference"/)
  const { ask: paying, done: paid } = await kofi.confirm(`${at}/pay`, { reference: 'VIR 88214' }, at)
  assert.match(paying.text, /VIR 88214/)
  assert.equal(paid.location, `${at}?done=settlement_paid`)
  assert.equal(await statusOf(id), 'paid')
  // A closed case is assigned to nobody.
  assert.doesNotMatch((await kofi.get(at)).text, /\/take\//)
  const lines = await installation.db.sql<{ act: string; actor: string; step_up_id: string | null }[]>`
    select act, actor, step_up_id from audit_log where subject = ${id} order by at, id`
  assert.deepEqual(
    lines.map(({ act, actor, step_up_id }) => [act, actor, step_up_id !== null]),
    [
      ['settlement.validate', ama.email, true],
      ['settlement.pay', kofi.email, true],
    ],
  )
})

test('a reference that paid another settlement is refused, and stays as typed', async () => {
  const id = await ask(5_200)
  const at = `${list}/${id}`
  await ama.confirm(`${at}/validate`, {}, at)
  const { done } = await kofi.confirm(`${at}/pay`, { reference: 'vir 88214' }, at)
  assert.equal(done.status, 409)
  assert.match(done.text, /a déjà payé stl_/)
  assert.match(done.text, /value="vir 88214"/)
  assert.equal(await statusOf(id), 'validated')
})

test('a settlement is rejected with a reason that the merchant reads, and its money returns', async () => {
  const id = await ask(5_300)
  const at = `${list}/${id}`
  const { available } = await settler.balances()
  assert.equal((await ama.post(`${at}/reject`, { reason: '' }, at)).status, 409)
  const { done } = await ama.confirm(`${at}/reject`, { reason: 'Le compte est clos.' }, at)
  assert.equal(done.location, `${at}?done=settlement_rejected`)
  const told = (await settler.read(id)).json() as { status: string; rejection_reason: string }
  assert.deepEqual([told.status, told.rejection_reason], ['rejected', 'Le compte est clos.'])
  assert.equal((await settler.balances()).available, available + 5_300)
})

test('the file for the bank has the whole accounts of validated settlements, and the audit log records it', async () => {
  const id = await ask(5_400)
  await ama.confirm(`${list}/${id}/validate`, {}, `${list}/${id}`)
  const file = await kofi.post(`${list}/bank-file`, {}, `${list}?status=validated`)
  assert.equal(file.status, 200)
  assert.match(file.headers.get('content-disposition')!, mode === 'test' ? /TEST-reversements-/ : /"reversements-/)
  const [head, ...lines] = file.text.trimEnd().split('\r\n')
  assert.equal(head, 'settlement_id,holder,account_type,operator,account,amount,currency,label')
  assert.ok(
    lines.some((line) => line.startsWith(`${id},Boutique,bank_account,,CI`)),
    file.text,
  )
  const acts = await installation.db
    .sql`select after from audit_log where act = 'settlement.bank_file' and subject = ${id}`
  assert.equal(acts.length, 1)
  assert.ok(!JSON.stringify(acts).includes('CI9'))
})

test('lists have states, a filter by merchant, and pages, and show no whole account', async () => {
  const { body } = await support.facts(`${list}?status=validated`)
  assert.equal((body.settlements as unknown[]).length, 2)
  const none = await support.facts(`${list}?status=validated&merchant=999999`)
  assert.deepEqual(none.body.settlements, [])
  const page = await support.get(`${list}?status=validated&merchant=999999`)
  assert.match(page.text, /Marchand 999999/)
  assert.doesNotMatch((await support.get(`${list}?status=validated`)).text, /bank-file/)
})

test('support reads settlements and decides none', async () => {
  const id = await ask(5_100)
  const at = `${list}/${id}`
  assert.equal((await support.get(at)).status, 200)
  for (const act of ['validate', 'pay', 'reject'])
    assert.equal((await support.post(`${at}/${act}`, { reference: 'VIR 2', reason: 'non' }, at)).status, 403, act)
  assert.equal((await support.post(`${list}/bank-file`, {}, at)).status, 403)
  assert.equal(await statusOf(id), 'pending_validation')
})
