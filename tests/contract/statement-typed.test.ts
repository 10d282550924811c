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

let installation: Installation
let folder: string
let env: Record<string, string | undefined>
before(async () => {
  installation = await openInstallation()
  folder = await mkdtemp(join(tmpdir(), 'bandama-typed-'))
  const { PATH, HOME } = process.env
  env = { PATH, HOME, ...databaseSettings(installation.db.url), SECRET_KEY: installation.services[0]!.secret_key }
})
after(async () => {
  await installation[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

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

test('lines that one person typed count once another person approves', async () => {
  const { sql } = installation.db
  const account = await newStatementAccount(sql, livemode, { kind: 'bank' })
  const path = join(folder, 'typed.json')
  const type = async (lines: unknown, closing: number, day = '2026-11-09') => {
    await writeFile(path, typeof lines === 'string' ? lines : JSON.stringify(lines))
    const words = ['reconcile', 'type', '--account', account, '--mode', mode, '--day', day, '--opening', '10000']
    return [...words, '--closing', String(closing), '--lines', path, ...AWA]
  }
  const line = { effect: -2_500, fee: 100, reference: 'VIR-77', text: 'Virement KONE AWA du 01/11 au 09/11' }
  for (const [lines, closing, why] of [
    [[line], 7_499, /do not add up/],
    [[{ ...line, effect: 0 }], 10_000, /Line 1 cannot be read: effect/],
    [[{ effect: 1.5 }], 10_001, /Line 1 cannot be read: effect/],
    [[line, { effect: 5, fee: -1 }], 7_505, /Line 2 cannot be read: fee/],
    [[{ ...line, fee: 2_500 }], 7_500, /cannot be read: fee/],
    [[{ ...line, name: 'Awa' }], 7_500, /cannot be read: name/],
    [[{ ...line, class: 'gift' }], 7_500, /cannot be read: class/],
    [[{ ...line, reference: 'VIR\u0000' }], 7_500, /cannot be read: reference/],
    [[{ ...line, text: 'VIR \ud800' }], 7_500, /cannot be read: text/],
    ['{', 10_000, /cannot be read: JSON/],
    [Array.from({ length: 501 }, () => ({ effect: 1 })), 10_501, /cannot be read: JSON/],
  ] as const)
    assert.match((await failing(...(await type(lines, closing)))).message, why)
  const today = new Date().toISOString().slice(0, 10)
  assert.match((await failing(...(await type([line], 7_500, today)))).message, /not over/)

  const rows = [line, { effect: -50, class: 'fee' }, { effect: 600 }]
  const first = await command(...(await type(rows, 8_050)))
  assert.deepEqual([first.status, first.source, first.repeated], ['proposed', 'typed', false])
  const again = await command(...(await type(rows, 8_050)))
  assert.deepEqual(
    [again.repeated, again.proposal_id, again.file_id],
    [true, first.proposal_id, first.file_id],
    'the same lines are one file',
  )
  const linesOfDay = async () =>
    (await command('reconcile', 'lines', '--account', account, '--mode', mode, '--day', '2026-11-09')).lines
  assert.deepEqual(await linesOfDay(), [])
  const ofFile = ['reconcile', 'lines', '--file', first.file_id as string, '--limit', '2']
  const page = await command(...ofFile)
  const rest = await command(...ofFile, '--after', page.next as string)
  const written = [...page.lines, ...rest.lines] as Record<string, unknown>[]
  assert.deepEqual(
    written.map(({ row, effect, fee, balance, reference, state }) => [row, effect, fee, balance, reference, state]),
    [
      [1, -2_500, 100, 7_500, 'VIR-77', 'unmatched'],
      [2, -50, 0, 7_450, null, 'unmatched'],
      [3, 600, 0, 8_050, null, 'unmatched'],
    ],
  )
  assert.equal(rest.next, null)
  const approve = ['reconcile', 'approve', '--id', first.proposal_id!]
  assert.match((await failing(...approve, ...AWA)).message, /cannot decide/)
  await command('reconcile', 'refuse', '--id', first.proposal_id!, ...AMA)
  assert.match((await failing(...approve, ...AMA)).message, /already decided/)

  const second = await command(...(await type(rows, 8_050)))
  await command('external-account', 'withdraw', '--id', second.proposal_id!, ...AWA)
  const third = await command(...(await type(rows, 8_050)))
  const done = await Promise.allSettled(
    ['ama', 'kofi'].map((name) =>
      command('reconcile', 'approve', '--id', third.proposal_id!, '--as', `${name}@example.com`),
    ),
  )
  assert.deepEqual(done.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected'])
  const shown = (await linesOfDay()) as Record<string, unknown>[]
  assert.deepEqual(shown.map(({ gross, fee, effect, class: its }) => [gross, fee, effect, its]).toSorted(), [
    [2_400, 100, -2_500, 'operation'],
    [50, 0, -50, 'fee'],
    [600, 0, 600, 'operation'],
  ])
  const { files } = await command('reconcile', 'files', '--account', account, '--mode', mode)
  const states = files.map(({ status, rows, explained, waiting }) => [status, rows, explained, waiting])
  assert.deepEqual(states.toSorted(), [
    ['counted', 3, 1, 2],
    ['refused', 3, 0, 0],
    ['refused', 3, 0, 0],
  ])
  const texts = await sql`select text from statement_lines where account = ${account} and text is not null`
  assert.ok(!JSON.stringify(texts).includes('KONE'))
  const broken = (await audit(sql)).checks.filter(({ wrong }) => wrong > 0)
  assert.deepEqual(broken, [])
})
