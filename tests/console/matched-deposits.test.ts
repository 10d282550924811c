import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { differenceChecks } from '../../src/app/audit/difference-checks.ts'
import { readBalances } from '../../src/ledger/balances.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { newStatementAccount, writeBankFile } from '../harness/statement-accounts.ts'
import { type Member, openMember } from '../harness/teams.ts'
import { waitFor } from '../harness/wait-for.ts'
import { withoutTriggers } from '../harness/without-triggers.ts'

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

/** A proposed deposit, its line, and the difference of the line. */
async function bothWays(reference: string) {
  const one = await newCase()
  const path = await one.propose(reference)
  const { file_id } = await one.show(reference)
  const { sql } = installation.db
  const row = await waitFor(async () => {
    const rows = await sql<{ line_id: string; difference: string }[]>`
      select line_id, id as difference from differences where account = ${one.account} and line_id is not null`
    return rows[0]
  })
  return {
    ...{ ...one, ...row, path, file_id: String(file_id) },
    async resolve(resolution = 'own_funds') {
      const words = ['reconcile', 'propose', '--id', row.difference, '--resolution', resolution, '--reason', 'Seen']
      return String((await installation.bandama(...words, '--as', ama.email)).proposal_id)
    },
    async booked() {
      const rows = await sql`select from ledger_entries where subject_id = ${row.difference}`
      return rows.length > 0
    },
  }
}

const decide = (verb: 'approve' | 'refuse', id: string) =>
  installation.bandama('reconcile', verb, '--id', id, '--as', kofi.email)

test('the money of a line is booked by a deposit or by a decided difference, never by both', async () => {
  const { sql } = installation.db
  const matched = await bothWays('VIR-W1')
  await match(matched.path)
  await assert.rejects(matched.resolve(), /confirmed a deposit/)
  const mark = sql`
    update statement_lines set state = 'explained', matched_by = 'two_people', kind = null where id = ${matched.line_id}`
  await assert.rejects(mark.then(), { code: '23514' })

  await decide('approve', await matched.resolve('accept'))
  const { status, resolution } = await installation.bandama('reconcile', 'show', '--id', matched.difference)
  assert.deepEqual([status, resolution, await matched.booked()], ['closed', 'accept', false])

  const between = await bothWays('VIR-W2')
  const waiting = await between.resolve()
  assert.equal((await match(between.path)).done.status, 303)
  await assert.rejects(decide('approve', waiting), /confirmed a deposit/)
  await decide('refuse', waiting)
  assert.deepEqual([await between.transfer(), await between.booked()], [SUM, false])

  const decided = await bothWays('VIR-W3')
  await decide('approve', await decided.resolve())
  assert.match((await match(decided.path)).done.text, /Aucun relevé importé/)
  assert.deepEqual([await decided.transfer(), await decided.booked()], [0, true])
  await ama.post(`${decided.path}/withdraw`, {}, decided.path)

  const raced = await bothWays('VIR-W4')
  const id = await raced.resolve()
  await Promise.allSettled([decide('approve', id), match(raced.path)])
  const byDeposit = (await raced.transfer()) === SUM
  assert.equal(await raced.booked(), !byDeposit)
  if (byDeposit) await decide('refuse', id)
  else await ama.post(`${raced.path}/withdraw`, {}, raced.path)
})

test('the database decides about no line of a deposit that is being booked', async () => {
  const { account, path, file_id, line_id } = await bothWays('VIR-W5')
  const { sql } = installation.db
  const undone = new Error('Both are undone.')
  let ended = false
  let marking: Promise<unknown> = Promise.resolve()
  const booking = sql.begin(async (tx) => {
    await tx`
      insert into deposit_lines (livemode, line_id, line_month, account, file_id, reference, amount, imported_by, proposal_id, deposit_id)
      select true, id, month, ${account}, ${file_id}, 'VIR-W5', ${SUM}, ${clerk.email}, ${idIn(path)}, 'dep_x'
        from statement_lines where id = ${line_id}`
    const pid = Promise.withResolvers<number>()
    marking = sql
      .begin(async (other) => {
        const [row] = await other<{ pid: number }[]>`select pg_backend_pid() as pid`
        pid.resolve(row!.pid)
        await other`update statement_lines set matched_by = 'two_people', state = 'explained', kind = null where id = ${line_id}`
        throw undone
      })
      .catch((error: unknown) => {
        ended = true
        assert.equal(error, undone)
      })
    const marker = await pid.promise
    await waitFor(async () => {
      const [row] = await sql<{ waits: boolean }[]>`select cardinality(pg_blocking_pids(${marker})) > 0 as waits`
      return ended || row!.waits
    })
    assert.equal(ended, false, 'the mark did not wait for the booking')
    throw undone
  })
  await assert.rejects(booking, (error) => error === undone)
  await marking
  await ama.post(`${path}/withdraw`, {}, path)
})

test('the audit names a line that confirmed a deposit and is booked otherwise', async () => {
  const { path, line_id } = await bothWays('VIR-W6')
  await match(path)
  const undone = new Error('It is undone.')
  const check = differenceChecks.find((one) => one.check.includes('confirmed a deposit'))!
  const tampering = installation.db.sql.begin(async (tx) => {
    const found = async () => (await check.contradictions(tx)).map(({ example }) => example)
    assert.deepEqual(await found(), [])
    await withoutTriggers(tx)
    await tx`update deposit_lines set amount = amount - 1 where line_id = ${line_id}`
    assert.deepEqual(await found(), [line_id])
    throw undone
  })
  await assert.rejects(tampering, (error) => error === undone)
})

test('a second person finds a decision about a difference by its number, reads it, and makes it on the desk', async () => {
  const { path, resolve, booked } = await bothWays('VIR-W7')
  const id = await resolve()
  const page = `/desk/live/proposals/accounts/${id}`
  const found = await kofi.get(`/desk/live/search?q=${id}`)
  assert.equal(found.location, page, found.text)
  const { text } = await kofi.get(page)
  for (const shown of ['Écart à décider', 'argent de la maison', 'VIR-W7', 'Seen', `${page}/refuse`])
    assert.ok(text.includes(shown), shown)
  assert.ok(!(await ama.get(page)).text.includes(`${page}/approve`), 'the first person decided')
  assert.equal((await kofi.confirm(`${page}/approve`, {}, page)).done.location, `${page}?done=confirmed`)
  assert.equal(await booked(), true)
  await ama.post(`${path}/withdraw`, {}, path)
})
