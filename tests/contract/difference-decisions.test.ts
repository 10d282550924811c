import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { audit } from '../../src/app/audit.ts'
import { createLapseProposals } from '../../src/app/lapse-proposals.ts'
import { createClock } from '../../src/platform/clock.ts'
import { createLog } from '../../src/platform/log.ts'
import { assignLine } from '../../src/reconciliation/differences/assign-to-merchant.ts'
import { RefusedCommand } from '../harness/command-line.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { livemode, mode } from '../harness/mode.ts'
import { newStatementAccount } from '../harness/statement-accounts.ts'
import { waitFor } from '../harness/wait-for.ts'
import { withoutTriggers } from '../harness/without-triggers.ts'
import { PATIENCE } from './sender.ts'
import { type Moved, StatementStand } from './statement-stand.ts'

const AWA = ['--as', 'awa@example.com']
const AMA = ['--as', 'ama@example.com']

let installation: Installation
let stand: StatementStand
before(async () => {
  installation = await openInstallation()
  stand = await StatementStand.open(installation)
})
after(async () => {
  await stand[Symbol.asyncDispose]()
  await installation[Symbol.asyncDispose]()
})

/** Imports movements that name no order of ours, and returns the ids of their differences in their order. */
async function strays(rows: readonly Omit<Moved, 'number'>[], known?: string) {
  const account = known ?? (await newStatementAccount(installation.db.sql, livemode))
  const numbered = rows.map((row, at) => ({ ...row, number: `D${at}_${account}` }))
  const { file_id } = await stand.importRows(['--account', account], numbered)
  const { differences } = await stand.run('reconcile', 'list', '--mode', mode, '--account', account)
  const found = differences as { id: string; theirs: { reference: string } }[]
  const ids = numbered.map(({ number }) => found.find(({ theirs }) => theirs.reference === number)!.id)
  return { account, file_id: file_id as string, ids, numbered }
}

const propose = async (id: string, ...words: string[]): Promise<string> =>
  (await stand.run('reconcile', 'propose', '--id', id, '--reason', 'Seen', ...words, ...AWA)).proposal_id
const approve = (id: string, as = AMA) => stand.run('reconcile', 'approve', '--id', id, ...as)
const show = (id: string) => stand.run('reconcile', 'show', '--id', id)
const refusal = async (run: Promise<unknown>): Promise<string> => {
  const refused = await run.then(
    () => assert.fail('it was not refused'),
    (error: unknown) => error,
  )
  assert.ok(refused instanceof RefusedCommand, String(refused))
  return refused.message
}

/** The entries about a difference, as merchant, operation, account and amount. */
async function entries(id: string) {
  const rows = await installation.db.sql`
    select merchant_id, operation, account, amount
      from ledger_entries
     where subject_id = ${id}
     order by merchant_id, operation, leg`
  return rows.map(({ merchant_id, operation, account, amount }) => [merchant_id, operation, account, amount])
}

async function untilAssigned(id: string): Promise<void> {
  await waitFor(async () => (await entries(id)).some(([, operation]) => operation === 'line_assigned'), PATIENCE)
}

async function sound(): Promise<void> {
  const { ok, checks } = await audit(installation.db.sql)
  assert.ok(ok, JSON.stringify(checks.filter(({ wrong }) => wrong > 0)))
}

test('money that nobody ordered is a merchant’s once two people say so, and only once', async () => {
  const { sql } = installation.db
  const { merchant_id } = stand.collector.tenant
  const { account, file_id, ids, numbered } = await strays([{ amount: 990, fee: 10 }])
  const [id] = ids as [string]
  const proposal = await propose(id, '--resolution', 'assign', '--merchant', String(merchant_id))
  assert.equal((await show(id)).status, 'proposed')
  assert.match(await refusal(approve(proposal, AWA)), /proposer cannot decide/)
  assert.match(await refusal(approve(proposal, ['--as', ' AWA@example.com'])), /proposer cannot decide|not/)
  await assert.rejects(
    sql`
      update act_proposals set status = 'approved', decided_by = proposed_by, decided_at = clock_now()
       where id = ${proposal}`.then(),
    /act_proposals_two_people/,
  )
  await assert.rejects(
    sql`update differences set status = 'closed', closed_at = clock_now(), resolution = 'assign' where id = ${id}`.then(),
    /not decided by two people/,
  )
  assert.deepEqual(await entries(id), [], 'nothing is booked before')
  assert.match(await refusal(propose(id, '--resolution', 'own_funds')), /not open: proposed/)

  const tries = await Promise.allSettled([approve(proposal), approve(proposal, ['--as', 'kofi@example.com'])])
  assert.deepEqual(tries.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected'])
  await untilAssigned(id)
  const half = { difference_id: id, livemode, account, merchant_id, balance: 'available' as const, amount: 1_000 }
  await Promise.all([assignLine(sql, half), assignLine(sql, half)])
  const held = `held:${account}`
  const booked = [
    [0, 'line_booked', held, -990],
    [0, 'line_booked', 'unassigned', 1_000],
    [0, 'line_booked', 'bank_charges', -10],
    [0, 'line_resolved', 'unassigned', -1_000],
    [0, 'line_resolved', held, 1_000],
    [merchant_id, 'line_assigned', held, -1_000],
    [merchant_id, 'line_assigned', 'available', 1_000],
  ]
  assert.deepEqual(await entries(id), booked)
  const { status, resolution, theirs } = await show(id)
  assert.deepEqual([status, resolution, theirs.state, theirs.by], ['closed', 'assign', 'explained', 'two_people'])

  assert.match(await refusal(approve(proposal)), /already decided/)
  assert.match(await refusal(propose(id, '--resolution', 'own_funds')), /not open: closed/)
  await assert.rejects(sql`update differences set status = 'open' where id = ${id}`.then(), /decided already/)
  // The same line in another file, another amount of it, and the withdrawal of its file change nothing.
  await stand.importRows(['--account', account], [...numbered, { number: `E_${account}`, amount: 5 }])
  await stand.sweep()
  await assert.rejects(stand.withdraw(file_id), /Two people decided about a line/)
  assert.deepEqual([(await show(id)).resolution, await entries(id)], ['assign', booked])
  await sound()
})

test('money that came in by a deposit under the line’s reference is not given to that merchant again', async () => {
  const { words, tenant } = stand.collector
  const { ids, numbered } = await strays([{ amount: 640 }])
  const [id] = ids as [string]
  const assigned = ['--resolution', 'assign', '--merchant', String(tenant.merchant_id)]
  const proposal = await propose(id, ...assigned)
  await stand.run('deposit', ...words, '--amount', '640', '--reference', numbered[0]!.number)
  assert.match(await refusal(approve(proposal)), /has a deposit under the reference/)
  await stand.run('reconcile', 'refuse', '--id', proposal, ...AMA)
  assert.match(await refusal(propose(id, ...assigned)), /has a deposit under the reference/)
  assert.deepEqual(await entries(id), [])
  await sound()
})

test('each decision books the suspense of its line and what it means, in the house', async () => {
  const decisions = [
    { row: { amount: -2_020, fee: 20 }, words: ['charge'], to: 'bank_charges' },
    { row: { amount: -3_000 }, words: ['loss'], to: 'losses' },
    { row: { amount: -4_000 }, words: ['own_funds', '--amount', '4000'], to: 'own_funds' },
    { row: { amount: 5_000 }, words: ['own_funds'], to: 'own_funds' },
    { row: { amount: 6_000 }, words: ['own_transfer', '--account', 'bank'], to: 'in_transit' },
    { row: { amount: -6_000 }, words: ['own_transfer'], to: 'in_transit' },
  ]
  const account = await newStatementAccount(installation.db.sql, livemode)
  const words = ['external-account', 'open', '--account', account, '--day', '2026-01-31', '--balance', '0']
  const opened = await stand.run(...words, '--mode', mode, ...AWA)
  await approve(opened.proposal_id)
  const { ids } = await strays(
    decisions.map(({ row }) => row),
    account,
  )
  for (const [at, { words }] of decisions.entries()) await approve(await propose(ids[at]!, '--resolution', ...words))
  for (const [at, { row, to }] of decisions.entries()) {
    const { amount, fee = 0 } = row as { amount: number; fee?: number }
    const suspense = amount > 0 ? 'unassigned' : 'disputed'
    const moved = amount + fee
    assert.deepEqual(await entries(ids[at]!), [
      [0, 'line_booked', `held:${account}`, -amount],
      [0, 'line_booked', suspense, moved],
      ...(fee === 0 ? [] : [[0, 'line_booked', 'bank_charges', -fee]]),
      [0, 'line_resolved', suspense, -moved],
      [0, 'line_resolved', to, moved],
    ])
  }
  await sound()
})

test('a decision that does not fit its difference is refused, and nothing changes', async () => {
  const { account, ids } = await strays([{ amount: 700 }, { amount: -800 }])
  const [arrived, left] = ids as [string, string]
  const merchant = ['--merchant', String(stand.collector.tenant.merchant_id)]
  const cases: [string, string[], RegExp][] = [
    [left, ['assign', ...merchant], /allows: own_funds, own_transfer, charge, loss/],
    [arrived, ['loss'], /allows: assign, own_funds, own_transfer, charge/],
    [arrived, ['accept'], /allows/],
    [arrived, ['assign'], /needs the --merchant/],
    [arrived, ['assign', '--merchant', '999999999'], /must exist/],
    [arrived, ['own_funds', ...merchant], /no --merchant/],
    [arrived, ['own_funds', '--amount', '699'], /is 700/],
    [arrived, ['own_transfer', '--account', 'nowhere'], /names the other account/],
    [arrived, ['own_transfer', '--account', account], /names the other account/],
    [arrived, ['own_funds', '--account', 'bank'], /names the other account/],
  ]
  for (const [id, words, says] of cases) assert.match(await refusal(propose(id, '--resolution', ...words)), says)
  assert.match(await refusal(propose('dif_00000000000000000000000000', '--resolution', 'loss')), /no such difference/)
  const order = await stand.collect(8_100)
  const line = { number: `A_${order.id}`, amount: 8_000, reference: order.reference, at: order.sent_at }
  await stand.importRows(['--account', order.connector], [line])
  const { differences } = await stand.run(
    'reconcile',
    'list',
    '--mode',
    mode,
    '--account',
    order.connector,
    '--limit',
    '500',
  )
  const about = differences.find(
    (one: { theirs: { reference: string } | null }) => one.theirs?.reference === line.number,
  )
  assert.match(await refusal(propose(about.id, '--resolution', 'accept')), /Two people decide on its anomaly/)
  assert.deepEqual([(await show(arrived)).status, (await show(left)).status], ['open', 'open'])
})

test('a proposal that is refused, taken back or lapsed opens its difference again, and one about a line that went is not approved', async () => {
  const { sql } = installation.db
  const { account, file_id, ids } = await strays([{ amount: 900 }])
  const [id] = ids as [string]
  const first = await propose(id, '--resolution', 'own_funds')
  await stand.run('reconcile', 'refuse', '--id', first, '--reason', 'No', ...AMA)
  assert.equal((await show(id)).status, 'open')
  const second = await propose(id, '--resolution', 'own_funds')
  assert.match(await refusal(stand.run('external-account', 'withdraw', '--id', second, ...AMA)), /person who proposed/)
  await stand.run('external-account', 'withdraw', '--id', second, ...AWA)
  assert.equal((await show(id)).status, 'open')
  const late = await propose(id, '--resolution', 'own_funds')
  await sql.begin(async (tx) => {
    await withoutTriggers(tx)
    await tx`update act_proposals set proposed_at = proposed_at - interval '15 days' where id = ${late}`
  })
  const log = createLog('silent', 'test')
  await createLapseProposals({ sql, clock: createClock(), log, config: { proposal_days: 14 } })()
  assert.equal((await show(id)).status, 'open')
  assert.match(await refusal(approve(late)), /already decided/)
  const third = await propose(id, '--resolution', 'own_funds')
  await stand.withdraw(file_id)
  assert.equal((await show(id)).status, 'proposed')
  assert.match(await refusal(approve(third)), /line of the statement changed since/)
  await stand.run('reconcile', 'refuse', '--id', third, ...AMA)
  await stand.sweep()
  await waitFor(async () => (await show(id)).resolution === 'late_line', PATIENCE)
  assert.deepEqual(await entries(id), [])
  const [{ waiting }] = (await sql`
    select count(*) as waiting from act_proposals where key = ${id} and status = 'proposed'`) as unknown as [
    { waiting: number },
  ]
  assert.equal(waiting, 0)
  // Another file shows the line again.
  await stand.importRows(['--account', account], [{ number: `D0_${account}`, amount: 900 }])
  assert.equal((await show(id)).status, 'open')
})

test('a day without a statement is accepted by two people, and stays so', async () => {
  const account = ['--account', await newStatementAccount(installation.db.sql, livemode)]
  const day = (n: number) => [{ number: `F${n}_${account[1]}`, amount: n, at: new Date(Date.UTC(2026, 1, n, 8)) }]
  await stand.importRows(account, [...day(1)])
  await stand.importRows(account, [...day(3)])
  const { differences } = await stand.run('reconcile', 'list', '--mode', mode, ...account, '--kind', 'file_missing')
  const [{ id }] = differences
  assert.match(await refusal(propose(id, '--resolution', 'loss')), /allows: accept/)
  await approve(await propose(id, '--resolution', 'accept'))
  await stand.importRows(account, [...day(2)])
  await stand.sweep()
  assert.deepEqual([(await show(id)).resolution, await entries(id)], ['accept', []])
  await sound()
})
