import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { createLapseProposals } from '../../src/app/lapse-proposals.ts'
import { createClock } from '../../src/platform/clock.ts'
import { createLog } from '../../src/platform/log.ts'
import { actor } from '../harness/actor.ts'
import { askHigherCap } from '../harness/caps.ts'
import { createDestination, proposeDestination } from '../harness/destinations.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { livemode, mode } from '../harness/mode.ts'
import { newStatementAccount } from '../harness/statement-accounts.ts'
import { type Member, openMember } from '../harness/teams.ts'
import { withoutTriggers } from '../harness/without-triggers.ts'

// A proposal on which nobody decides within PROPOSAL_DAYS ends by itself. Nothing of it is done, and what it held is free again.

const AMA = ['--as', 'ama@example.com']
const KOFI = ['--as', 'kofi@example.com']

let installation: Installation
let folder: string
let ama: Member
let kofi: Member
before(async () => {
  installation = await openInstallation()
  folder = await mkdtemp(join(tmpdir(), 'bandama-lapse-'))
  ama = await openMember(installation, 'Ama', { staff: ['finance'] })
  kofi = await openMember(installation, 'Kofi', { staff: ['finance'] })
})
after(async () => {
  await installation[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

const bandama = (...words: string[]) => installation.bandama(...words)

type Table = 'act_proposals' | 'adjustments' | 'anomaly_proposals' | 'cap_proposals' | 'destination_proposals'

/** Makes a proposal so many days older. */
const age = (table: Table, id: string, days: number) =>
  installation.db.sql.begin(async (tx) => {
    await withoutTriggers(tx)
    await tx`
      update ${tx(table)} set proposed_at = proposed_at - make_interval(days => ${days}::integer) where id::text = ${id}`
  })

/** Sweeps as the worker does, which may be first. */
function sweep() {
  const { sql } = installation.db
  const config = { proposal_days: 14 }
  return createLapseProposals({ sql, clock: createClock(), log: createLog('silent', 'test'), config })()
}

async function endOf(table: Table, id: string) {
  const { sql } = installation.db
  const [row] = await sql<{ status: string; decided_by: string | null }[]>`
    select status, decided_by from ${sql(table)} where id::text = ${id}`
  return [row?.status, row?.decided_by]
}

const LAPSED = ['lapsed', 'time']

/** Proves that a proposal waits for its days, and lapses then. */
async function lapses(table: Table, id: string) {
  await age(table, id, 13)
  await sweep()
  assert.deepEqual(await endOf(table, id), ['proposed', null])
  await age(table, id, 2)
  await sweep()
  assert.deepEqual(await endOf(table, id), LAPSED)
  const lines = await installation.db.sql`
    select actor, after ->> 'status' as status from audit_log where act = 'proposal.lapse' and subject = ${id}`
  assert.deepEqual([...lines], [{ actor: 'schedule', status: 'lapsed' }])
}

test('a deposit that nobody confirmed lapses: its page says so, nobody books it, and its reference is free', async () => {
  const { merchant_id } = await installation.newMerchant()
  const page = `/desk/live/merchants/${merchant_id}`
  const deposit = () => ama.confirm(`${page}/deposit`, { deposited: '100001', reference: 'VIR-L1' }, `${page}/money`)
  const pathOf = (location: string | null) => location!.replace(/\?.*/, '')
  const path = pathOf((await deposit()).done.location)
  const id = path.split('/').at(-1)!
  assert.match((await kofi.get(path)).text, /Sans décision, s’éteint le/)
  await lapses('act_proposals', id)
  const shown = await kofi.get(path)
  assert.match(shown.text, /Éteint[\s\S]*Personne n’a décidé à temps/)
  assert.ok(!shown.text.includes(`${path}/approve`))
  assert.equal((await kofi.confirm(`${path}/approve`, {}, path)).done.status, 409)
  assert.equal((await ama.post(`${path}/withdraw`, {}, path)).status, 409)
  const again = pathOf((await deposit()).done.location)
  assert.notEqual(again, path)
  assert.equal((await ama.post(`${again}/withdraw`, {}, again)).location, `${again}?done=withdrawn`)
})

test('typed lines that nobody approved lapse with their file, and the same lines can be typed again', async () => {
  const account = await newStatementAccount(installation.db.sql, livemode, { kind: 'bank' })
  const lines = join(folder, 'lines.json')
  await writeFile(lines, JSON.stringify([{ effect: 500, reference: 'VIR-L2' }]))
  const words = ['reconcile', 'type', '--account', account, '--mode', mode, '--day', '2026-11-09', '--opening', '0']
  const type = () => bandama(...words, '--closing', '500', '--lines', lines, ...AMA)
  const first = await type()
  await lapses('act_proposals', String(first.proposal_id))
  const [file] = await installation.db.sql`select status from statement_files where id = ${String(first.file_id)}`
  assert.equal(file!.status, 'refused')
  const second = await type()
  assert.deepEqual([second.status, second.repeated], ['proposed', false])
  await bandama('reconcile', 'refuse', '--id', String(second.proposal_id), ...KOFI)
})

test('an adjustment, a higher cap and a destination lapse, and can be proposed again', async () => {
  const { merchant_id } = await installation.newMerchant()
  const tenant = { merchant_id, livemode }
  const words = ['--merchant', String(merchant_id), '--mode', mode]
  const sides = ['--direction', 'credit', '--amount', '10', '--against', 'fees', '--reason', 'A gesture']
  const { id: adjustment } = await bandama('adjustment', 'propose', ...words, ...sides, ...AMA)
  await lapses('adjustments', String(adjustment))
  await assert.rejects(bandama('adjustment', 'approve', '--id', String(adjustment), ...KOFI), /already decided/)
  assert.match((await kofi.get(`/desk/${mode}/adjustments/${adjustment}`)).text, /Éteint/)

  const { sql } = installation.db
  const cap = await askHigherCap(sql, tenant, 2_000_000)
  await lapses('cap_proposals', cap)
  assert.match((await kofi.get(`/desk/${mode}/caps/${cap}`)).text, /Éteint/)
  const next = await askHigherCap(sql, tenant, 2_000_000)
  await bandama('caps', 'refuse', '--id', next, '--reason', 'Test', ...KOFI)

  const { email } = await openMember(installation, 'Aya', { merchant_id, roles: ['owner'] })
  const owner = actor(email)
  const account = { msisdn: '+2250708111242', operator: 'orange_ci' }
  const made = await createDestination(sql, tenant, account)
  assert.ok(made.kind === 'done')
  const propose = async () => {
    const proposed = await proposeDestination(sql, tenant, made.result.id, owner)
    assert.ok(proposed.kind === 'done', JSON.stringify(proposed))
    const [row] = await sql<{ id: string }[]>`
      select id from destination_proposals where merchant_id = ${merchant_id} and status = 'proposed'`
    return row!.id
  }
  await lapses('destination_proposals', await propose())
  await lapses('destination_proposals', await propose())
})

test('a proposed outcome lapses, and its anomaly waits for another proposal', async () => {
  const { sql } = installation.db
  const { merchant_id } = await installation.newMerchant()
  const id = `ano_${randomUUID().replaceAll('-', '').slice(0, 26)}`
  await sql`
    insert into anomalies (merchant_id, livemode, subject_id, kind, id, evidence)
    values (${merchant_id}, ${livemode}, 'txn_unknown_of_lapse', 'unknown_status', ${id}, '{}')`
  const propose = () =>
    bandama('anomaly', 'propose', '--id', id, '--resolution', 'nothing', '--reason', 'As they wrote', ...AMA)
  await propose()
  const waiting = async () =>
    (await sql<{ id: string }[]>`select id from anomaly_proposals where anomaly_id = ${id} and status = 'proposed'`)[0]!
      .id
  const first = await waiting()
  await lapses('anomaly_proposals', first)
  assert.match((await kofi.get(`/desk/${mode}/cases/${id}`)).text, /Personne n’a décidé à temps/)
  await propose()
  await bandama('anomaly', 'approve', '--id', id, ...KOFI)
})

test('the database lets no proposal lapse within a day, nor a person in the name of time', async () => {
  const { merchant_id } = await installation.newMerchant()
  const { sql } = installation.db
  const id = await askHigherCap(sql, { merchant_id, livemode }, 3_000_000)
  const write = (status: string, by: string) =>
    sql`update cap_proposals set status = ${status}, decided_by = ${by}, decided_at = clock_now() where id = ${id}`
  await assert.rejects(write('lapsed', 'time'), { code: '23514' })
  await age('cap_proposals', id, 2)
  await assert.rejects(write('lapsed', 'kofi@example.com'), { code: '23514' })
  await assert.rejects(write('approved', 'time'), { code: '23514' })
  await write('lapsed', 'time')
  await assert.rejects(write('approved', 'kofi@example.com'), { code: '23514' })
})
