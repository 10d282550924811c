import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { audit } from '../../src/app/audit.ts'
import { printInProcess, RefusedCommand } from '../harness/command-line.ts'
import { databaseSettings } from '../harness/database.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { livemode, mode } from '../harness/mode.ts'
import { newStatementAccount } from '../harness/statement-accounts.ts'
import { waitFor } from '../harness/wait-for.ts'
import { type Collector, newCollector } from './collector.ts'
import { openRefundDesk, type RefundDesk } from './refund-desk.ts'
import { PATIENCE } from './sender.ts'

let installation: Installation
let collector: Collector
let desk: RefundDesk
let folder: string
let env: Record<string, string | undefined>
before(async () => {
  installation = await openInstallation()
  collector = await newCollector(installation)
  desk = openRefundDesk(installation)
  folder = await mkdtemp(join(tmpdir(), 'bandama-matching-'))
  const { PATH, HOME } = process.env
  env = { PATH, HOME, ...databaseSettings(installation.db.url), SECRET_KEY: installation.services[0]!.secret_key }
})
after(async () => {
  await installation[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

type Order = { id: string; reference: string; connector: string; sent_at: Date }

/** Our side of an operation. */
async function orderOf(id: string): Promise<Order> {
  const [row] = await installation.db.sql<Order[]>`
    select subject_id as id, reference::text, connector, sent_at
      from instructions
     where subject_id = ${id}`
  return row!
}

/** The simulator numbers no order. */
const tellNumber = ({ id }: Order, number: string) => installation.db.sql`
  update instructions set operator_reference = ${number} where subject_id = ${id}`

const collect = async (amount: number) => orderOf((await collector.collect(amount)).id)

type Moved = { number: string; amount: number; reference?: string; to?: string; seconds?: number }
let balance = 0
let files = 0

/** Imports Wave's export of these movements, on the wallet of the orders or an account of its own. Returns the counts of the file. */
async function importRows(target: readonly string[], sent_at: Date, rows: readonly Moved[]) {
  const lines = rows.map(({ number, amount, reference = '', to = '', seconds = 0 }) => {
    balance += amount
    const at = new Date(sent_at.getTime() + seconds * 1_000).toISOString().slice(0, 19).replace('T', ' ')
    const type = amount < 0 ? 'api_payout' : 'api_checkout'
    return `${at}+00:00,${number},${type},${amount},0,${balance},XOF,${to},${reference}\n`
  })
  const titles =
    'timestamp,transaction_id,transaction_type,amount,fee,balance,currency,counterparty_mobile,client_reference\n'
  files += 1
  const path = join(folder, `file-${files}.csv`)
  await writeFile(path, titles + lines.join(''))
  const words = ['reconcile', 'import', ...target, '--file', path, '--as', 'awa@example.com', '--mode', mode]
  const printed = await printInProcess(words, env)
  if (printed.code !== 0) throw new RefusedCommand(words, printed)
  return JSON.parse(printed.stdout) as { file_id: string; status: string; line_changed: number; known: number }
}

const AWA = ['--as', 'awa@example.com']
const AMA = ['--as', 'ama@example.com']

type Answer = Record<string, unknown> & {
  proposal_id?: string
  status: string
  lines: readonly object[]
  files: readonly Record<string, unknown>[]
}

async function command(...words: string[]): Promise<Answer> {
  const printed = await printInProcess(words, env)
  if (printed.code !== 0) throw new RefusedCommand(words, printed)
  return JSON.parse(printed.stdout)
}

const failing = (...words: string[]) =>
  command(...words).then(
    () => new Error('done'),
    (error: Error) => error,
  )

/** State, key, order and kind of the lines with these numbers. */
async function linesOf(...numbers: string[]): Promise<unknown[][]> {
  const rows = await installation.db.sql<
    { reference: string; state: string; matched_by: string; subject_id: string; kind: string }[]
  >`
    select reference, state, matched_by, subject_id, kind
      from statement_lines
     where reference = any(${numbers}::text[])`
  return numbers.map((number) => {
    const row = rows.find(({ reference }) => reference === number)
    return row === undefined ? [] : [row.state, row.matched_by, row.subject_id, row.kind]
  })
}

const wallet = ({ connector }: Order) => ['--connector', connector]

test('a line that names a refund keeps it, whatever a later file shows of its collection', async () => {
  const order = await collect(1_000)
  const refunds: Order[] = []
  for (const key of ['one', 'other']) {
    const { id } = await desk.made(order.id, { amount: 400, key: `${order.id} ${key}` })
    await desk.until(id, 'succeeded')
    refunds.push(await orderOf(id))
  }
  const [one, other] = refunds as [Order, Order]
  const out = (name: string, reference: string, seconds: number, to = '') => ({
    ...{ number: `${name}_${order.id}`, amount: -400, reference, seconds, to },
  })
  const [named, bare] = [`R_${order.id}`, `C_${order.id}`]
  await importRows(wallet(order), one.sent_at, [out('R', other.reference, 0)])
  await importRows(wallet(order), one.sent_at, [out('C', order.reference, 5)])
  assert.deepEqual(await linesOf(named, bare), [
    ['matched', 'reference', other.id, null],
    ['matched', 'reference', one.id, null],
  ])
  // A later file tells the number to which the money went.
  await importRows(wallet(order), one.sent_at, [out('R', other.reference, 0, '+2250700009999')])
  assert.deepEqual(await linesOf(named), [['matched', 'reference', other.id, 'party_differs']])
})

test('a line that a number matched stays so beside one that names the order, and files are counted', async () => {
  const order = await collect(2_000)
  const number = `N_${order.id}`
  await tellNumber(order, number)
  const by_reference = `D_${order.id}`
  const rows = [
    { number, amount: 2_000 },
    { number: by_reference, amount: 2_000, reference: order.reference, seconds: 5 },
  ] as const
  await importRows(wallet(order), order.sent_at, [rows[0]])
  assert.deepEqual(await linesOf(number), [['matched', 'number', order.id, null]])
  for (const at of [1, 0]) {
    const file = await importRows(wallet(order), order.sent_at, [rows[at]!])
    assert.equal(file.status, 'counted')
    assert.deepEqual(await linesOf(number, by_reference), [
      ['matched', 'number', order.id, null],
      ['unmatched', 'reference', order.id, 'duplicate'],
    ])
  }
})

test('a line whose number is told only after its import is matched then', async () => {
  const { sql } = installation.db
  const order = await collect(2_500)
  const number = `N_${order.id}`
  const file = await importRows(wallet(order), order.sent_at, [{ number, amount: 2_500 }])
  assert.deepEqual(await linesOf(number), [['unmatched', null, null, 'missing_here']])
  await tellNumber(order, number)
  await sql`update statement_files set ended_at = ended_at - interval '61 minutes' where id = ${file.file_id}`
  await waitFor(async () => (await linesOf(number))[0]![0] === 'matched', PATIENCE)
  assert.deepEqual(await linesOf(number), [['matched', 'number', order.id, null]])
})

test('an order that a line loses goes to the line that waits for it', async () => {
  const orders = [await collect(3_000), await collect(3_000)]
  const [less, more] = orders.toSorted((one, other) => (one.reference < other.reference ? -1 : 1)) as [Order, Order]
  const [moving, waiting] = [`M_${more.id}`, `W_${more.id}`]
  const row = (number: string, { reference }: Order, seconds: number) => ({ number, amount: 3_000, reference, seconds })
  await importRows(wallet(more), more.sent_at, [row(moving, more, 0), row(waiting, more, 5)])
  assert.deepEqual(await linesOf(moving, waiting), [
    ['matched', 'reference', more.id, null],
    ['unmatched', 'reference', more.id, 'duplicate'],
  ])
  await importRows(wallet(more), more.sent_at, [row(moving, less, 0)])
  assert.deepEqual(await linesOf(moving, waiting), [
    ['matched', 'reference', less.id, null],
    ['matched', 'reference', more.id, null],
  ])
})

test('a file that cannot be written is given up, leaves no trace in other lines, and its account goes on', async () => {
  const { sql } = installation.db
  const account = await newStatementAccount(sql, livemode)
  const target = ['--account', account]
  const [kept, broken, taught] = [`K_${account}`, `B_${account}`, `T_${account}`]
  const now = new Date()
  await importRows(target, now, [
    { number: kept, amount: 500 },
    { number: taught, amount: 300 },
  ])
  const file = await importRows(target, now, [
    { number: kept, amount: 400 },
    { number: broken, amount: 600 },
    { number: taught, amount: 300, reference: 'of a merchant', to: '+2250700009999' },
  ])
  assert.equal(file.line_changed, 1)
  // As if its process had died, and five others after it.
  await sql`update statement_bytes set sealed = 'no longer sealed' where file_id = ${file.file_id}`
  await sql`
    update statement_files
       set status = 'reading', counts = null, ended_at = null, tries = 5, held_until = clock_now() - interval '1 second'
     where id = ${file.file_id}`
  const next = await importRows(target, now, [{ number: `N_${account}`, amount: 700 }])
  assert.equal(next.status, 'counted')
  const [given_up] = await sql`select status, refusal from statement_files where id = ${file.file_id}`
  assert.deepEqual([given_up!.status, given_up!.refusal], ['refused', 'not_written'])
  const lines = await sql`
    select reference, gross, kind, is_changed, coalesce(our_reference, party) as told
      from statement_lines where account = ${account} order by gross`
  assert.deepEqual(
    lines.map(({ reference, gross, kind, is_changed, told }) => [reference, gross, kind, is_changed, told]),
    [
      [taught, 300, 'missing_here', false, null],
      [kept, 500, 'missing_here', false, null],
      [`N_${account}`, 700, 'missing_here', false, null],
    ],
  )
  const rows = await sql`
    select from statement_rows r join statement_files f on f.id = r.file_id where f.account = ${account}`
  assert.equal(rows.length, 0)
})

/** Two people take a file back. */
async function withdraw(file_id: string): Promise<void> {
  const { proposal_id } = await command('reconcile', 'withdraw', '--file', file_id, '--reason', 'wrong', ...AWA)
  await command('reconcile', 'approve', '--id', proposal_id!, ...AMA)
}

test('a file that two people take back leaves what the other files show, and its orders go to other lines', async () => {
  const order = await collect(3_500)
  const [first, both, alone] = ['F', 'B', 'A'].map((name) => `${name}_${order.id}`) as [string, string, string]
  const { reference, sent_at } = order
  const target = wallet(order)
  const without = await importRows(target, sent_at, [
    { number: first, amount: 3_500, reference, seconds: 9 },
    { number: both, amount: 3_500 },
  ])
  const rows = [
    { number: both, amount: 3_500, reference },
    { number: alone, amount: 90 },
  ]
  const wrong = await importRows(target, sent_at, rows)
  const matched = ['matched', 'reference', order.id, null]
  const twice = ['unmatched', 'reference', order.id, 'duplicate']
  const bare = ['unmatched', null, null, 'missing_here']
  assert.deepEqual(await linesOf(first, both, alone), [twice, matched, bare])

  const proposing = ['reconcile', 'withdraw', '--file', wrong.file_id, '--reason', 'of another wallet', ...AWA]
  const refused = await command(...proposing)
  assert.match((await failing(...proposing)).message, /waits already/)
  assert.match((await failing('reconcile', 'approve', '--id', refused.proposal_id!, ...AWA)).message, /cannot decide/)
  const why = ['--id', refused.proposal_id!, '--reason', 'it is ours', ...AMA]
  assert.equal((await command('reconcile', 'refuse', ...why)).status, 'refused')
  assert.deepEqual(await linesOf(first, both, alone), [twice, matched, bare], 'until two people agree nothing changes')
  const [said] = await installation.db.sql`
    select refusal_reason from act_proposals where id = ${refused.proposal_id!}`
  assert.equal(said!.refusal_reason, 'it is ours')

  await withdraw(wrong.file_id)
  const withdrawn = ['withdrawn', null, null, null]
  assert.deepEqual(await linesOf(first, both, alone), [matched, bare, withdrawn])
  assert.match((await failing(...proposing)).message, /not counted: withdrawn/)
  // The corrected file shows a withdrawn line again, and the first file goes: the line of both is the corrected file's.
  const corrected = await importRows(target, sent_at, rows)
  assert.deepEqual([corrected.status, corrected.known], ['counted', 1])
  assert.deepEqual(await linesOf(first, both, alone), [twice, matched, bare])
  await withdraw(without.file_id)
  assert.deepEqual(await linesOf(first, both, alone), [withdrawn, matched, bare])
  const { lines } = await command('reconcile', 'lines', '--file', corrected.file_id)
  assert.equal(lines.length, 2)
  const broken = (await audit(installation.db.sql)).checks.filter(({ wrong }) => wrong > 0)
  assert.deepEqual(broken, [])
})

test('a file is not taken back while another of its account is read, nor twice by four people', async () => {
  const { sql } = installation.db
  const target = ['--account', await newStatementAccount(sql, livemode)]
  const [file, read] = [
    await importRows(target, new Date(), [{ number: 'T_1', amount: 100 }]),
    await importRows(target, new Date(), [{ number: 'T_2', amount: 200 }]),
  ]
  const { proposal_id } = await command('reconcile', 'withdraw', '--file', file.file_id, '--reason', 'wrong', ...AWA)
  await sql`
    update statement_files
       set status = 'reading', counts = null, ended_at = null, held_until = clock_now() + interval '1 hour'
     where id = ${read.file_id}`
  const approve = ['reconcile', 'approve', '--id', proposal_id!]
  assert.match((await failing(...approve, ...AMA)).message, /is being read/)
  await sql`update statement_files set held_until = clock_now() - interval '1 second' where id = ${read.file_id}`
  await waitFor(async () => {
    const [row] = await sql`select status from statement_files where id = ${read.file_id}`
    return row!.status === 'counted'
  }, PATIENCE)
  const people = ['ama', 'kofi', 'yao'].map((name) => command(...approve, '--as', `${name}@example.com`))
  const done = await Promise.allSettled(people)
  assert.deepEqual(done.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected', 'rejected'])
})

test('titles decide for a profile that people set, and a trial of bytes that are there changes nothing', async () => {
  const account = await newStatementAccount(installation.db.sql, livemode)
  const settings = join(folder, 'profile.json')
  const columns = { date: 'Jour', reference: 'Numéro', amount: 'Montant' }
  const profile = { profile: 'our_own', version: 1, format: 'table', titles: ['Jour', 'Numéro', 'Montant', 'Agence'] }
  await writeFile(
    settings,
    JSON.stringify({ ...profile, columns, date: 'year_first', currency: 'XOF', arithmetic: 'gross' }),
  )
  const run = async (...words: string[]) => {
    const printed = await printInProcess([...words, '--as', 'awa@example.com'], env)
    if (printed.code !== 0) throw new RefusedCommand(words, printed)
    return JSON.parse(printed.stdout)
  }
  await run('profile', 'set', '--name', 'our_own', '--settings', settings)
  const path = join(folder, 'own.csv')
  await writeFile(path, 'Jour,Numéro,Montant,Agence\n2026-11-09,T_1,500,Plateau\n2026-11-09,T_2,-200,Plateau\n')
  const words = ['reconcile', 'import', '--account', account, '--mode', mode, '--file', path]
  const file = await run(...words)
  assert.deepEqual([file.profile, file.status, file.lines], ['our_own', 'counted', 2])
  // Another process still reads it: a trial neither waits for it nor goes on in its place.
  const { sql } = installation.db
  await sql`
    update statement_files
       set status = 'reading', counts = null, ended_at = null, held_until = clock_now() + interval '1 hour'
     where id = ${file.file_id}`
  const tried = await run(...words, '--dry-run')
  assert.deepEqual([tried.file_id, tried.status, tried.repeated], [file.file_id, 'reading', true])
  await sql`update statement_files set held_until = clock_now() - interval '1 second' where id = ${file.file_id}`
  assert.equal((await run(...words)).status, 'counted')
})
