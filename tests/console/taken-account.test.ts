import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createClock } from '../../src/platform/clock.ts'
import { writeBankFile } from '../../src/settlements/bank/write-transfers.ts'
import { refused } from '../contract/commands.ts'
import { newSettler } from '../contract/settler.ts'
import { actor } from '../harness/actor.ts'
import { mode } from '../harness/mode.ts'
import { rejectSettlement, validateSettlement } from '../harness/settlements.ts'
import { openSettlementDesk, type SettlementDesk, settlementList } from './settlement-desk.ts'

// A settlement in a file for the bank: its transfer may be ordered, so a rejection might pay the merchant twice.

let installation: SettlementDesk['installation']
let settler: SettlementDesk['settler']
let ama: SettlementDesk['ama']
let kofi: SettlementDesk['kofi']
let validated: SettlementDesk['validated']
let statusOf: SettlementDesk['statusOf']
const list = settlementList

before(async () => {
  ;({ installation, settler, ama, kofi, validated, statusOf } = await openSettlementDesk())
})
after(() => installation[Symbol.asyncDispose]())

/** Takes a new file, or with `taken_at` the one of then again. */
const takeFile = async (taken_at = '') =>
  (await kofi.post(`${list}/bank-file`, { taken_at }, `${list}?status=validated`)).text
const fileAt = async (id: string) => {
  const { account_taken } = (await ama.facts(`${list}/${id}`)).body as {
    account_taken: { account_taken_at: string | null }
  }
  return account_taken.account_taken_at
}
const byCommand = (verb: string, id: string, ...more: string[]) =>
  installation.bandama('settlement', verb, '--id', id, ...more)

test('a settlement in a file for the bank is rejected only with the statement that no transfer was made since', async () => {
  const id = await validated(5_000)
  const at = `${list}/${id}`
  const reason = 'Le compte est clos.'
  assert.equal(await fileAt(id), null)
  assert.ok((await takeFile()).includes(id))
  const page = await ama.get(at)
  assert.match(page.text, /Kofi Yao a pris le compte entier pour le virement/)
  assert.match(page.text, /Le virement est peut-être ordonné/)

  const bare = await ama.post(`${at}/reject`, { reason }, at)
  assert.equal(bare.status, 409)
  assert.match(bare.text, /cochez la case/)
  assert.match(bare.text, /value="Le compte est clos\."/)
  const first = (await fileAt(id))!
  assert.ok((await takeFile(first)).includes(id))
  const stale = await ama.post(`${at}/reject`, { reason, no_transfer: first }, at)
  assert.equal(stale.status, 409, 'a statement about an older file')
  assert.equal(await statusOf(id), 'validated')

  const { available } = await settler.balances()
  const no_transfer = (await fileAt(id))!
  const { ask, done } = await ama.confirm(`${at}/reject`, { reason, no_transfer }, at)
  assert.match(ask.text, /Vous attestez que la banque n’a fait aucun virement/)
  assert.equal(done.location, `${at}?done=settlement_rejected`)
  assert.equal((await settler.balances()).available, available + 5_000)
  assert.ok(!(await takeFile()).includes(id))
  const acts = await installation.db.sql<{ act: string; actor: string; after: { no_transfer_since?: string } }[]>`
    select act, actor, after from audit_log where subject = ${id} order by at, id`
  assert.deepEqual(
    acts.map((line) => [line.act, line.actor, line.after.no_transfer_since ?? null]),
    [
      ['settlement.validate', ama.email, null],
      ['settlement.bank_file', kofi.email, null],
      ['settlement.bank_file', kofi.email, null],
      ['settlement.reject', ama.email, no_transfer],
    ],
  )
})

test('the command asks for the same statement, also when the account was taken by a command', async () => {
  const id = await validated(5_100)
  const shownBy = (person: string) => byCommand('show', id, '--account', '--as', person)
  const first = String((await shownBy('awa@example.com')).account_taken_at)
  const taken = await shownBy(kofi.email)
  assert.match(String(taken.account), /^CI9/)
  const at = await fileAt(id)
  const shown = await byCommand('show', id)
  assert.deepEqual([shown.account_taken_at, shown.account_taken_by], [at, kofi.email])
  const reject = (...more: string[]) => byCommand('reject', id, '--as', 'chef@example.com', ...more)
  await refused(reject(), new RegExp(`${kofi.email} took its full account at ${at}`))
  await refused(reject('--no-transfer-since', first), /--no-transfer-since/)
  assert.equal(await statusOf(id), 'validated')
  assert.equal((await reject('--no-transfer-since', at!)).status, 'rejected')
  await refused(shownBy(kofi.email), /only while a settlement is validated/)
  const acts = await installation.db.sql<{ actor: string }[]>`
    select actor from audit_log where subject = ${id} and act = 'settlement.show_account' order by at, id`
  assert.deepEqual(
    acts.map(({ actor: by }) => by),
    ['awa@example.com', kofi.email],
  )
})

test('of a file for the bank and a rejection at the same moment, a settlement is in the file or rejected, never both', async () => {
  const { sql } = installation.db
  const deps = { sql, clock: createClock() }
  for (let round = 0; round < 10; round++) {
    const id = await validated(5_000 + round)
    const [file, rejection] = await Promise.all([
      writeBankFile(deps, mode === 'live', null, actor(kofi.email)),
      rejectSettlement(deps, id, actor(ama.email), 'Le compte est clos.'),
    ])
    assert.equal(file.csv.includes(id), rejection.kind === 'refused')
    if (rejection.kind === 'refused')
      await rejectSettlement(deps, id, actor(ama.email), null, new Date((await fileAt(id))!))
  }
})

test('a settlement is in one new file only, and a lost file is taken again by the time at which it was taken', async () => {
  const [first, second] = [await validated(5_301), await validated(5_302)]
  const file = await takeFile()
  assert.ok(file.includes(first) && file.includes(second))
  const taken_at = (await fileAt(first))!
  assert.equal(await fileAt(second), taken_at)

  const empty = await kofi.post(`${list}/bank-file`, {}, `${list}?status=validated`)
  assert.equal(empty.status, 409)
  assert.match(empty.text, /Aucun virement nouveau/)
  assert.match(empty.text, /ordonné, un virement part deux fois/)

  const third = await validated(5_303)
  const { text } = await kofi.get(`${list}?status=validated`)
  assert.match(text, /Fichier pour la banque \(1\)/)
  assert.ok(text.includes(`name="taken_at" value="${taken_at}"`))
  const fresh = await takeFile()
  assert.ok(fresh.includes(third) && !fresh.includes(first) && !fresh.includes(second))

  const again = await takeFile(taken_at)
  assert.ok(again.includes(first) && again.includes(second) && !again.includes(third))
  assert.notEqual(await fileAt(first), taken_at, 'the account was taken once more')
  for (const odd of [taken_at, '1999-01-01T00:00:00.000Z'])
    assert.match(await takeFile(odd), /Aucun virement nouveau/, 'nothing was taken then')
  for (const odd of ['yesterday', '-000001-01-01T00:00:00.000Z'])
    assert.equal((await kofi.post(`${list}/bank-file`, { taken_at: odd }, `${list}?status=validated`)).status, 404, odd)
})

test('of two people who take a new file at the same moment, one has the settlement', async () => {
  const deps = { sql: installation.db.sql, clock: createClock() }
  for (let round = 0; round < 10; round++) {
    const id = await validated(5_400 + round)
    const files = await Promise.all(
      [kofi, ama].map(({ email }) => writeBankFile(deps, mode === 'live', null, actor(email))),
    )
    assert.equal(files.filter(({ csv }) => csv.includes(id)).length, 1)
  }
})

test('more settlements than one file holds are in the next file, and a wallet number has no apostrophe', async () => {
  const many = await newSettler(installation)
  const wallet = await many.newWallet('+2250701020304')
  await many.designate(wallet, '2026-01-01T00:00:00.000Z')
  const asked = await many.request(5_500, { body: { amount: 5_500, beneficiary: wallet } })
  const { id } = asked.json() as { id: string }
  const { merchant_id, livemode } = many.tenant
  const { sql } = installation.db
  const copies = await sql<{ id: string }[]>`
    insert into settlements (merchant_id, livemode, id, amount, currency, beneficiary_id, name, account_type, operator, last4, designated_at, made_by, created_at)
    select merchant_id, livemode, id || n, amount, currency, beneficiary_id, name, account_type, operator, last4, designated_at, made_by,
           created_at
      from settlements, generate_series(1, 200) n
     where merchant_id = ${merchant_id} and livemode = ${livemode} and id = ${id}
    returning id`
  await takeFile()
  const deps = { sql, clock: createClock() }
  for (const one of [id, ...copies.map((copy) => copy.id)]) await validateSettlement(deps, one, actor(ama.email))
  const lines = (file: string) => file.trimEnd().split('\r\n').slice(1)
  const [first, second] = [lines(await takeFile()), lines(await takeFile())]
  assert.deepEqual([first.length, second.length], [200, 1])
  assert.equal(new Set([...first, ...second]).size, 201)
  assert.match(first[0]!, /,wallet,\w+,2250701020304,5500,XOF,/)
})

test('requests that wait for validation keep no validated settlement out of the file', async () => {
  const waiting = await newSettler(installation)
  const { merchant_id, livemode } = waiting.tenant
  const { id: old } = (await waiting.request(5_000)).json() as { id: string }
  await installation.db.sql`
    insert into settlements (merchant_id, livemode, id, amount, currency, beneficiary_id, name, account_type, operator, last4, designated_at, made_by, created_at)
    select merchant_id, livemode, id || n, amount, currency, beneficiary_id, name, account_type, operator, last4, designated_at, made_by,
           created_at - interval '1 day'
      from settlements, generate_series(1, 200) n
     where merchant_id = ${merchant_id} and livemode = ${livemode} and id = ${old}`
  const id = await validated(5_200)
  assert.ok((await takeFile()).includes(id))
})

test('a file of no time is not found', async () => {
  for (const taken_at of ['0000-01-01T00:00:00.000Z', '2026-02-30T99:00:00.000Z', 'yesterday', '-1']) {
    const { status } = await kofi.post(`${list}/bank-file`, { taken_at }, `${list}?status=validated`)
    assert.equal(status, 404, taken_at)
  }
})
