import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { readBalances } from '../../src/ledger/balances.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { newStatementAccount, writeBankFile } from '../harness/statement-accounts.ts'
import { type Member, openMember } from '../harness/teams.ts'

// A line of the bank's file, imported by a person of another role, is the second person of a deposit above the limit of one.

let installation: Installation
let ama: Member
let kofi: Member
let clerk: Member
before(async () => {
  installation = await openInstallation()
  ama = await openMember(installation, 'Ama', { staff: ['finance'] })
  kofi = await openMember(installation, 'Kofi', { staff: ['finance'] })
  clerk = await openMember(installation, 'Sali', { staff: ['operations'] })
})
after(() => installation[Symbol.asyncDispose]())

const SUM = 150_000

async function newCase() {
  const { merchant_id } = await installation.newMerchant()
  const account = await newStatementAccount(installation.db.sql, true, { kind: 'bank' })
  const page = `/desk/live/merchants/${merchant_id}`
  return {
    account,
    async propose(reference: string, deposited = SUM, by = ama) {
      const { done } = await by.confirm(`${page}/deposit`, { deposited: String(deposited), reference, account }, page)
      const path = /^(\/desk\/live\/proposals\/deposits\/prp_\w+)/.exec(done.location ?? '')?.[1]
      assert.ok(path !== undefined, done.text)
      return path
    },
    async show(reference: string, { by = clerk.email, amount = SUM } = {}) {
      const file = await writeBankFile({
        reference,
        amount,
        day: new Date().toISOString().slice(0, 10).split('-').reverse().join('/'),
      })
      const of = ['--account', account, '--mode', 'live', '--profile', 'bank_table']
      return installation.bandama('reconcile', 'import', ...of, '--file', file, '--as', by)
    },
    transfer: async () => (await readBalances(installation.db.sql, { merchant_id, livemode: true }))!.transfer,
  }
}

const match = (path: string, by = ama) => by.confirm(`${path}/match`, {}, path)
const idIn = (path: string) => path.split('/').at(-1)!

test('a line with the sum and the reference books the deposit once, with its importer as the second person', async () => {
  const { propose, show, transfer, account } = await newCase()
  const path = await propose('VIR 77 A')
  const none = await match(path)
  assert.equal(none.done.status, 409)
  assert.match(none.done.text, /Aucun relevé importé/)
  await show('VIR77B')
  await show('VIR77a', { amount: SUM - 1 })
  assert.match((await match(path)).done.text, /Aucun relevé importé/)

  const { file_id } = await show('vir77a')
  assert.match((await ama.get(path)).text, new RegExp(`action="${path}/match"`))
  const { ask, done } = await match(path)
  assert.match(ask.text, new RegExp(clerk.email.replace('@', '(?:@|&#64;)')))
  assert.equal(done.location, `${path}?done=confirmed`)
  assert.equal(await transfer(), SUM)
  assert.equal((await match(path)).done.status, 409)
  assert.equal((await kofi.confirm(`${path}/approve`, {}, path)).done.status, 409)
  assert.equal(await transfer(), SUM)

  const { sql } = installation.db
  const [row] = await sql`select status, decided_by from act_proposals where id = ${idIn(path)}`
  assert.deepEqual({ ...row }, { status: 'approved', decided_by: clerk.email })
  const [line] = await sql`
    select actor, after ->> 'file_id' as file_id, after ->> 'imported_by' as imported_by
      from audit_log where act = 'deposit.match' and subject = ${idIn(path)}`
  assert.deepEqual({ ...line }, { actor: ama.email, file_id, imported_by: clerk.email })

  // Its file stays.
  const asked = await installation.bandama(
    'reconcile',
    'withdraw',
    '--file',
    String(file_id),
    '--reason',
    'Wrong',
    '--as',
    ama.email,
  )
  const approve = installation.bandama('reconcile', 'approve', '--id', String(asked.proposal_id), '--as', kofi.email)
  await assert.rejects(approve, /confirmed a deposit/)
  await assert.rejects(
    sql`update statement_lines set state = 'withdrawn' where account = ${account} and effect = ${SUM}`,
    {
      code: '23514',
    },
  )
  await installation.bandama('reconcile', 'refuse', '--id', String(asked.proposal_id), '--as', kofi.email)
})

test('a line serves one deposit', async () => {
  const { account, propose, show, transfer } = await newCase()
  await show('VIR-S1')
  const first = await propose('VIR-S1')
  await match(first)
  assert.equal(await transfer(), SUM)
  const { merchant_id } = await installation.newMerchant()
  const page = `/desk/live/merchants/${merchant_id}`
  const fields = { deposited: String(SUM), reference: 'VIR-S1', account }
  const other = (await ama.confirm(`${page}/deposit`, fields, page)).done.location!.replace(/\?.*/, '')
  const { done } = await match(other)
  assert.equal(done.status, 409)
  assert.match(done.text, /déjà confirmé un autre dépôt/)
  await ama.post(`${other}/withdraw`, {}, other)
})

test('a file of finance, of its own proposer, of nobody, or of a person who let them in is no second person', async () => {
  const { sql } = installation.db
  const both = await openMember(installation, 'Awa', { staff: ['finance', 'operations'] })
  const maker = await openMember(installation, 'Issa', { staff: ['operations'] })
  await sql`insert into person_ties (person, maker) values (${ama.email}, ${maker.email})`
  for (const by of [kofi.email, ama.email, both.email, 'nobody@example.com', maker.email]) {
    const { propose, show, transfer } = await newCase()
    const path = await propose('VIR-R1')
    const { repeated } = await show('VIR-R1', { by })
    assert.equal(repeated, false)
    const { done } = await match(path)
    assert.equal(done.status, 409, by)
    assert.match(done.text, /personne d’un autre rôle/, by)
    assert.equal(await transfer(), 0)
    await ama.post(`${path}/withdraw`, {}, path)
  }
  await sql`delete from person_ties where person = ${ama.email} and maker = ${maker.email}`
})

test('the database itself takes no line of another sum, reference or importer, and none twice', async () => {
  const { account, propose, show } = await newCase()
  await show('VIR-D1')
  await match(await propose('VIR-D1'))
  const { sql } = installation.db
  const again = (changes: Record<string, unknown>) => sql`
    insert into deposit_lines
    select (jsonb_populate_record(d, ${sql.json({ proposal_id: 'prp_x', ...changes })})).*
      from deposit_lines d where account = ${account}`
  for (const changes of [{ amount: 1 }, { reference: 'VIR-D2' }, { imported_by: kofi.email }, { file_id: 'stf_x' }])
    await assert.rejects(again(changes), { code: '23514' }, JSON.stringify(changes))
  await assert.rejects(again({}), { code: '23505' })
})
