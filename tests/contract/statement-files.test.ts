import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { createClock } from '../../src/platform/clock.ts'
import { databaseSettings } from '../harness/database.ts'
import { moveToTransfer } from '../harness/fill-transfer.ts'
import { type Installation, newPayer, openInstallation } from '../harness/installation.ts'
import type { Merchant } from '../harness/merchant.ts'
import { livemode, mode } from '../harness/mode.ts'
import { program } from '../harness/program.ts'
import { readCsv, readPdf } from '../harness/read-files.ts'
import { waitFor } from '../harness/wait-for.ts'
import { checkPayment } from './answers.ts'
import { refused } from './commands.ts'
import { PATIENCE } from './sender.ts'
import { checkStatement, type Movement, STATEMENTS, type Statement } from './statement-answers.ts'

const execute = promisify(execFile)

let installation: Installation
let merchant: Merchant
let folder: string
const today = Temporal.Now.plainDateISO('UTC').toString()
const yesterday = Temporal.PlainDate.from(today).subtract({ days: 1 }).toString()

before(async () => {
  installation = await openInstallation()
  folder = await mkdtemp(join(tmpdir(), 'bandama-statement-'))
  merchant = await installation.newMerchant()
  const asked = { amount: 90_000, counterparty: { msisdn: newPayer() }, simulate: 'succeed' }
  const { id } = checkPayment(
    await installation.pay(merchant.key, { ...asked, merchant_reference: '=commande "été", 1' }),
    201,
  )
  const ended = async () => checkPayment(await installation.read(merchant.key, id), 200).status === 'succeeded'
  await waitFor(ended, PATIENCE)
  const tenant = { merchant_id: merchant.merchant_id, livemode }
  for (let at = 1; at <= 600; at += 1) await moveToTransfer(installation.db.sql, tenant, at % 9 || 1, createClock())
})
after(async () => {
  await installation[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

const words = (...more: string[]) => {
  const of = ['--merchant', String(merchant.merchant_id), '--mode', mode]
  return ['statement', ...of, '--from', yesterday, '--to', '9999-12-31', ...more]
}

/** Runs the command and returns the bytes of its standard output. */
async function output(...more: string[]): Promise<Buffer> {
  const { PATH, HOME } = process.env
  const env = {
    PATH,
    HOME,
    ...databaseSettings(installation.db.url),
    SECRET_KEY: installation.secret_key,
  }
  const { stdout, stderr } = await execute(program, words(...more), {
    env,
    encoding: 'buffer',
    maxBuffer: 2 ** 24,
  })
  assert.equal(stderr.toString(), '')
  return stdout
}

/** Reads all pages of the statement from the interface. */
async function whole(): Promise<
  Pick<Statement, 'opening_balance' | 'total_in' | 'total_out' | 'closing_balance' | 'data'>
> {
  const path = `${STATEMENTS}?from=${yesterday}&to=9999-12-31&limit=500`
  const first = checkStatement(await installation.ask({ path, key: merchant.key }))
  const second = checkStatement(await installation.ask({ path: `${path}&offset=500`, key: merchant.key }))
  const { opening_balance, total_in, total_out, closing_balance } = first
  return { opening_balance, total_in, total_out, closing_balance, data: [...first.data, ...second.data] }
}

test('the command gives the figures and movements of the interface, in every format', async () => {
  const statement = await whole()
  const { data, ...figures } = statement
  assert.equal(data.length, 601)

  const json = JSON.parse((await output()).toString()) as Statement
  const about = { object: 'statement', from: yesterday, to: '9999-12-31', currency: 'XOF', livemode }
  assert.deepEqual(json, { ...about, ...figures, total_count: 601, data })

  const [head, opening, ...rows] = readCsv((await output('--format', 'csv')).toString())
  const cell = (row: string[], name: string) => row[head!.indexOf(name)]!
  assert.equal(cell(opening!, 'balance'), String(figures.opening_balance))
  assert.deepEqual(
    rows.slice(-3).map((row) => cell(row, 'amount') + cell(row, 'balance')),
    [figures.total_in, figures.total_out, figures.closing_balance].map(String),
  )
  const names = ['created_at', 'type', 'direction', 'amount', 'balance', 'id'] as const
  assert.deepEqual(
    rows.slice(0, -3).map((row) => names.map((name) => cell(row, name))),
    data.map((movement) => names.map((name) => String(movement[name as keyof Movement]))),
  )
  assert.equal(cell(rows[0]!, 'reference'), `'=commande "été", 1`)

  const sheets = readPdf(await output('--format', 'pdf'))
  const drawn = new Set(sheets.flat())
  const spaced = (amount: number) => `${String(amount).replace(/\B(?=(?:\d{3})+$)/g, '\u00a0')} F`
  assert.ok(sheets[0]!.includes(spaced(figures.closing_balance)))
  for (const { id, balance } of data) assert.ok(drawn.has(id) && drawn.has(spaced(balance)), id)
})

test('a file has the content of the standard output, and only its owner can read it', async () => {
  for (const format of ['csv', 'pdf', 'json']) {
    const path = join(folder, `statement.${format}`)
    const { data, ...figures } = await whole()
    const answer = await installation.bandama(...words('--format', format, '--out', path))
    const about = { from: yesterday, to: '9999-12-31', format, out: path }
    assert.deepEqual(answer, { ...about, ...figures, total_count: data.length })
    // The same period gives the same bytes, in another process and at another time.
    assert.ok((await readFile(path)).equals(await output('--format', format)), format)
    assert.equal((await stat(path)).mode & 0o777, 0o600)
  }
  assert.deepEqual(
    (await readdir(folder)).sort(),
    ['csv', 'json', 'pdf'].map((format) => `statement.${format}`),
  )
})

test('an error is a sentence and leaves no file', async () => {
  const run = (...more: string[]) => installation.bandama(...words(...more))
  await refused(run('--format', 'xls'), /csv, pdf or json/, 2)
  await refused(run('--from', '2026-02-29'), /days such as/, 2)
  await refused(run('--from', today, '--to', yesterday), /must not be after/, 2)
  await refused(run('--mode', 'demo'), /test or live/, 2)
  await refused(run('--merchant', '999999999'), /There is no merchant 999999999/)
  await refused(run('--out', join(folder, 'no', 'where.json')), /cannot be written \(ENOENT\)/)
  await refused(run('--out', folder), /cannot be written/)
  const pipe = join(folder, 'pipe')
  await execute('mkfifo', [pipe])
  await refused(run('--out', pipe), /pipe cannot be written: it is not a file/)
  assert.ok((await stat(pipe)).isFIFO())
  assert.ok((await readdir(folder)).every((name) => !name.endsWith('.part')))
})
