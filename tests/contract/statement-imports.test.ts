import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { printInProcess, RefusedCommand } from '../harness/command-line.ts'
import { databaseSettings } from '../harness/database.ts'
import { type Installation, newPayer, openInstallation } from '../harness/installation.ts'
import { livemode, mode } from '../harness/mode.ts'
import fc from '../harness/property.ts'
import { newStatementAccount } from '../harness/statement-accounts.ts'
import * as fixtures from '../harness/statement-fixtures.ts'
import { waitFor } from '../harness/wait-for.ts'
import { checkPayment } from './answers.ts'
import { PATIENCE } from './sender.ts'

const AWA = ['--as', 'awa@example.com']

let installation: Installation
let folder: string
let env: Record<string, string | undefined>

before(async () => {
  installation = await openInstallation()
  folder = await mkdtemp(join(tmpdir(), 'bandama-import-'))
  const { PATH, HOME } = process.env
  env = { PATH, HOME, ...databaseSettings(installation.db.url), SECRET_KEY: installation.services[0]!.secret_key }
})
after(async () => {
  await installation[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

type Answer = Record<string, unknown> & {
  file_id: string
  chain: Record<string, unknown>
  lines: Record<string, unknown>[]
}

async function run(...words: string[]): Promise<Answer> {
  const isById = ['withdraw', 'approve'].includes(words[1]!)
  const printed = await printInProcess(isById ? words : [...words, '--mode', mode], env)
  if (printed.code !== 0) throw new RefusedCommand(words, printed)
  return JSON.parse(printed.stdout) as Answer
}

let written = 0
async function fileOf(content: string | Buffer): Promise<string> {
  written += 1
  const path = join(folder, `file-${written}`)
  await writeFile(path, content)
  return path
}

const imported = async (account: string, content: string | Buffer, ...more: string[]) =>
  run('reconcile', 'import', ...['--account', account], ...['--file', await fileOf(content)], ...AWA, ...more)

const newAccount = (options = {}) => newStatementAccount(installation.db.sql, livemode, options)

/** The lines of an account as they must be, whichever file came first. */
async function linesOf(account: string): Promise<object[]> {
  return installation.db.sql`
    select id, day::text, class, direction, gross, fee, tax, effect, balance, reference, our_reference, state, kind,
           subject_id, is_changed
      from statement_lines
     where account = ${account}
     order by id`
}

const titles =
  'timestamp,transaction_id,transaction_type,amount,fee,balance,currency,counterparty_mobile,client_reference\n'
type Moved = { number: string; amount: number; fee: number; at: string; reference?: string; to?: string }
/** Wave's export: amounts are net of the fee. */
function waveCsv(rows: readonly Moved[], opening = 0): string {
  let balance = opening
  const lines = rows.map(({ number, amount, fee, at, reference = '', to = '+2250700000001' }) => {
    balance += amount
    return `${at},${number},${amount < 0 ? 'api_payout' : 'api_checkout'},${amount},${fee},${balance},XOF,${to},${reference}\n`
  })
  return titles + lines.join('')
}

test('a file is counted, shown and found again, and no balance changes', async () => {
  const account = await newAccount()
  const entries = () => installation.db.sql`select count(*) as count from ledger_entries where account like 'held:%'`
  const before = await entries()
  const file = await imported(account, fixtures.waveFr, '--day', '2026-11-09')
  assert.deepEqual(
    [file.account, file.source, file.format, file.profile, file.arithmetic, file.status, file.repeated],
    [account, 'file', 'csv', 'wave_csv_fr', 'net', 'counted', false],
  )
  assert.deepEqual([file.rows, file.lines, file.known, file.matched, file.explained, file.waiting], [3, 3, 0, 0, 0, 3])
  assert.deepEqual([file.missing_here, file.duplicate, file.unreadable, file.missing_there], [3, 0, 0, 0])
  assert.deepEqual(file.chain, { status: 'whole', opening: 100_000, closing: 22_126, breaks: [] })
  assert.deepEqual([file.from, file.to, file.fee_corrections], ['2026-11-09', '2026-11-09', { count: 0, amount: 0 }])

  const { lines } = await run('reconcile', 'lines', '--account', account, '--day', '2026-11-09')
  assert.deepEqual(
    lines.map(({ gross, fee, effect, direction, state }) => [gross, fee, effect, direction, state]).sort(),
    [
      [2_000, 20, 1_980, 'in', 'unmatched'],
      [350, 4, 346, 'in', 'unmatched'],
      [80_000, 200, -80_200, 'out', 'unmatched'],
    ],
  )
  const first = await run('reconcile', 'lines', '--file', file.file_id, '--limit', '2')
  const rest = await run('reconcile', 'lines', '--file', file.file_id, '--after', String(first.next))
  assert.deepEqual([...first.lines, ...rest.lines], lines)
  assert.equal(rest.next, null)
  const { files } = await run('reconcile', 'files', '--account', account, '--day', '2026-11-09')
  assert.deepEqual(files, [file])
  assert.deepEqual(await entries(), before)
})

test('the same bytes are one file; another variant of the same movements adds none', async () => {
  const account = await newAccount()
  const first = await imported(account, fixtures.waveFr)
  const again = await imported(account, fixtures.waveFr)
  assert.deepEqual(again, { ...first, repeated: true })
  const english = await imported(account, fixtures.waveEn)
  assert.deepEqual([english.lines, english.known, english.waiting, english.line_changed], [2, 2, 0, 0])
  assert.equal((await linesOf(account)).length, 3)
})

test('a trial finds the same and writes nothing', async () => {
  const account = await newAccount()
  const tried = await imported(account, fixtures.waveFr, '--dry-run')
  assert.deepEqual([tried.file_id, tried.status, tried.waiting], [null, 'dry_run', 3])
  assert.deepEqual(await linesOf(account), [])
  const file = await imported(account, fixtures.waveFr)
  // A trial writes no line, so nobody knows yet which lines lack.
  assert.deepEqual([tried.missing_there, tried.file_missing], [null, null])
  const { missing_there, file_missing } = file
  assert.deepEqual({ ...tried, file_id: file.file_id, status: 'counted', missing_there, file_missing }, file)
})

test('a refused file leaves its hash and its reason, no line, and may come again', async () => {
  const account = await newAccount()
  const rows = Array.from({ length: 50 }, (_, nth) => ({
    number: `T_${nth}`,
    amount: 100,
    fee: 1,
    at: '2026-11-09 08:00:00+00:00',
  }))
  const broken = waveCsv(rows).replace('2026-11-09', 'one day')
  for (const [content, refusal] of [
    ['%PDF-1.4', 'pdf'],
    [broken, 'too_many_unreadable'],
    [waveCsv([{ ...rows[0]!, at: '2099-01-01 08:00:00+00:00' }]), 'in_future'],
    [waveCsv([{ ...rows[0]!, at: '2020-01-01 08:00:00+00:00' }, rows[1]!]), 'period_too_long'],
  ] as const) {
    const refused = (await imported(account, content).catch((error) => error)) as RefusedCommand
    assert.ok(refused instanceof RefusedCommand, refusal)
    assert.equal(refused.code, 1)
    const { status, refusal: code, file_id } = JSON.parse(refused.stdout)
    assert.deepEqual([status, code], ['refused', refusal])
    assert.equal((await installation.db.sql`select from statement_bytes where file_id = ${file_id}`).length, 0)
  }
  assert.deepEqual(await linesOf(account), [])
})

test('lines are matched by our reference, once each, and what disagrees says why', async () => {
  const merchant = await installation.newMerchant()
  const collect = async (amount: number) => {
    const { id } = checkPayment(
      await installation.pay(merchant.key, { amount, counterparty: { msisdn: newPayer() } }),
      201,
    )
    await waitFor(
      async () => checkPayment(await installation.read(merchant.key, id), 200).status === 'succeeded',
      PATIENCE,
    )
    const [order] = await installation.db
      .sql`select reference, connector, sent_at from instructions where subject_id = ${id}`
    return {
      id,
      reference: String(order!.reference),
      connector: String(order!.connector),
      sent_at: order!.sent_at as Date,
    }
  }
  const [good, short, twice] = [await collect(5_000), await collect(6_000), await collect(7_000)]
  const at = `${good.sent_at.toISOString().slice(0, 19).replace('T', ' ')}+00:00`
  // The wallet of the connector has lines of other tests.
  const row = (number: string, amount: number, reference?: string): Moved => {
    const its = { number: `${number}_${good.id}`, amount, fee: 0, at }
    return reference === undefined ? its : { ...its, reference }
  }
  const path = await fileOf(
    waveCsv([
      row('T_1', 5_000, good.reference.toUpperCase()),
      row('T_2', 5_999, short.reference),
      row('T_3', 7_000, twice.reference),
      row('T_4', 7_000, twice.reference),
      row('T_5', -7_000, twice.reference),
      row('T_6', 400),
    ]),
  )
  const file = await run('reconcile', 'import', '--connector', good.connector, '--file', path, ...AWA)
  const { lines } = await run('reconcile', 'lines', '--file', file.file_id)
  const found = Object.fromEntries(
    lines.map(({ reference, state, by, subject_id, kind }) => [
      String(reference).slice(0, 3),
      [state, by, subject_id, kind],
    ]),
  )
  const twin = found.T_3![0] === 'matched' ? ['T_3', 'T_4'] : ['T_4', 'T_3']
  assert.deepEqual(found, {
    T_1: ['matched', 'reference', good.id, null],
    T_2: ['unmatched', 'reference', short.id, 'amount_differs'],
    [twin[0]!]: ['matched', 'reference', twice.id, null],
    [twin[1]!]: ['unmatched', 'reference', twice.id, 'duplicate'],
    T_5: ['unmatched', 'reference', twice.id, 'reversed'],
    T_6: ['unmatched', null, null, 'missing_here'],
  })
  assert.deepEqual(
    [file.matched, file.waiting, file.amount_differs, file.duplicate, file.reversed, file.missing_here],
    [2, 4, 1, 1, 1, 1],
  )
  // Another account shows the same order: the wallet of its connector has it.
  const elsewhere = await newAccount()
  const other = await imported(elsewhere, waveCsv([row('T_9', 5_000, good.reference)]))
  assert.deepEqual([other.matched, other.duplicate, other.wrong_account], [0, 1, 0])
})

test('a line about an order that has not ended is matched when it ends', async () => {
  const { sql } = installation.db
  const merchant = await installation.newMerchant()
  const { id } = checkPayment(
    await installation.pay(merchant.key, { amount: 3_000, counterparty: { msisdn: newPayer() } }),
    201,
  )
  const [order] = await waitFor(async () => {
    const rows = await sql`
      select reference::text, connector, sent_at from instructions where subject_id = ${id} and sent_at is not null`
    return rows.length > 0 && rows
  }, PATIENCE)
  const at = `${(order!.sent_at as Date).toISOString().slice(0, 19).replace('T', ' ')}+00:00`
  const content = waveCsv([{ number: `T_${id}`, amount: 3_000, fee: 0, at, reference: String(order!.reference) }])
  const file = await run(
    'reconcile',
    'import',
    '--connector',
    String(order!.connector),
    '--file',
    await fileOf(content),
    ...AWA,
  )
  assert.equal(Number(file.order_open) + Number(file.matched), 1)
  await waitFor(async () => {
    const { lines } = await run('reconcile', 'lines', '--file', file.file_id)
    return lines[0]!.state === 'matched'
  }, PATIENCE)
})

const day = fc.constantFrom('2026-11-08', '2026-11-09')
const movement = fc.record({
  number: fc.constantFrom('T_1', 'T_2', 'T_3', 'T_4', ''),
  amount: fc.constantFrom(980, 980, -1_010),
  fee: fc.constantFrom(10, 20),
  day,
})
type Movement = { number: string; amount: number; fee: number; day: string }

function fileFrom(rows: readonly Movement[]): string {
  return waveCsv(rows.map((row) => ({ ...row, at: `${row.day} 08:00:00+00:00` }))).replace(/,balance,/, ',note,')
}

test('any order, overlap, split and repetition of files gives the same lines, and a file taken back leaves none', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc
        .array(fc.array(movement, { minLength: 1, maxLength: 8 }), { minLength: 2, maxLength: 5 })
        .chain((files) =>
          fc.tuple(
            fc.constant(files),
            fc.array(movement, { minLength: 1, maxLength: 8 }),
            fc.nat({ max: files.length }),
            fc.shuffledSubarray([...files.keys(), ...files.keys()], { minLength: files.length * 2 }),
          ),
        ),
      async ([files, wrong, place, order]) => {
        const [one, other] = [await newAccount(), await newAccount()]
        const nameless = async (account: string) =>
          installation.db.sql`
            select day::text, class, direction, gross, fee, effect, reference, state, kind, is_changed, count(*)
              from statement_lines
             where account = ${account} and state <> 'withdrawn'
             group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
             order by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10`
        for (const file of files) await imported(one, fileFrom(file))
        // As in a file that nobody else brings, with a title of its own.
        const alone = fileFrom(wrong).replace(/,note,/, ',remark,')
        for (const [nth, at] of order.entries()) {
          if (nth === place) await imported(other, alone)
          await imported(other, fileFrom(files[at]!))
        }
        const { file_id } = await imported(other, alone)
        const taken = await run('reconcile', 'withdraw', '--file', file_id, '--reason', 'wrong', ...AWA)
        await run('reconcile', 'approve', '--id', String(taken.proposal_id), '--as', 'ama@example.com')
        assert.deepEqual(await nameless(other), await nameless(one))
      },
    ),
    { numRuns: 10 },
  )
})
