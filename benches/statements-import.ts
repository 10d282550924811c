import { spawn } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { migrate } from '../src/platform/postgres/upkeep/migrate.ts'
import { program } from '../tests/harness/program.ts'
import { newStatementAccount } from '../tests/harness/statement-accounts.ts'
import { startDatabase } from './database.ts'
import { machineCard } from './machine-card.ts'
import type { Pace } from './measure.ts'
import { BENCH_SECRET_KEY } from './merchants.ts'
import { cpuOfTree, peakMemoryOfTree, postmasterOf } from './usage.ts'

const ROWS = 1_000_000
const QUICK_ROWS = 20_000

/**
 * Imports a CSV of a million movements of one day by the command, as a person does: from its start to its answer. Each line carries a reference of our form,
 * so that the command asks for its order. The second import is the same day in another order of rows: all of its lines are known.
 */
export async function statementsImportBench({ quick }: Pace): Promise<object> {
  const rows = quick ? QUICK_ROWS : ROWS
  const folder = await mkdtemp(join(tmpdir(), 'bandama-bench-'))
  await using database = await startDatabase({ quick })
  const { sql, url } = database
  try {
    await migrate(url)
    const account = await newStatementAccount(sql, true)
    const found: Record<string, unknown> = {}
    for (const [name, order] of [
      ['first', 1],
      ['again', -1],
    ] as const) {
      const path = join(folder, `${name}.csv`)
      await pipeline(Readable.from(csv(rows, order)), createWriteStream(path))
      found[name] = await importOnce(sql, url, account, path)
    }
    return { bench: 'statements-import', card: await machineCard(sql), rows, ...found }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function importOnce(sql: Parameters<typeof postmasterOf>[0], url: string, account: string, path: string) {
  const database = await postmasterOf(sql)
  const before = await cpuOfTree(database)
  const began = performance.now()
  const words = ['reconcile', 'import', '--account', account, '--file', path, '--json']
  const child = spawn(program, words, {
    env: { ...process.env, DATABASE_URL: url, SECRET_KEY: BENCH_SECRET_KEY },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const answer = text(child.stdout)
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  let [peak, cpu, isOver] = [0, 0, false]
  void ended.then(() => {
    isOver = true
  })
  while (!isOver) {
    // The last look before the end counts: nobody can read the memory of a process that has ended.
    peak = Math.max(peak, await peakMemoryOfTree(child.pid!))
    cpu = Math.max(cpu, await cpuOfTree(child.pid!))
    await sleep(100)
  }
  if ((await ended) !== 0) throw new Error(`The import ended with ${await ended}.`)
  const seconds = Math.round((performance.now() - began) / 100) / 10
  const { lines, known, waiting } = JSON.parse(await answer)
  const database_cpu_seconds = Math.round(((await cpuOfTree(database)) - before) / 1_000)
  const peak_mb = Math.round(peak / 1_000_000)
  return { seconds, peak_mb, command_cpu_seconds: Math.round(cpu / 1_000), database_cpu_seconds, lines, known, waiting }
}

/** A CSV in Wave's form, without balances when its rows run in another order. @param order 1: oldest first */
function* csv(rows: number, order: 1 | -1): Generator<string> {
  yield 'timestamp,transaction_id,transaction_type,amount,fee,balance,currency,counterparty_mobile,client_reference\n'
  const hex = (nth: number, digits: number) => nth.toString(16).padStart(digits, '0')
  const amountOf = (nth: number) => 99 + ((nth * 37) % 50_000)
  const total = (upTo: number) => {
    let sum = 0
    for (let nth = 0; nth <= upTo; nth += 1) sum += amountOf(nth)
    return sum
  }
  let balance = order === 1 ? 0 : total(rows - 1)
  let part = ''
  for (let at = 0; at < rows; at += 1) {
    const nth = order === 1 ? at : rows - 1 - at
    if (order === 1) balance += amountOf(nth)
    const moment = new Date(Date.UTC(2026, 10, 9) + Math.floor((nth * 86_400_000) / rows)).toISOString().slice(0, 19)
    const reference = `${hex(nth, 8)}-0000-4000-8000-${hex(nth, 12)}`
    part += `${moment.replace('T', ' ')}+00:00,T_${hex(nth, 10)},api_checkout,${amountOf(nth)},1,${balance},XOF,+22507${String(nth).padStart(8, '0')},${reference}\n`
    if (order === -1) balance -= amountOf(nth)
    if (part.length < 65_536) continue
    yield part
    part = ''
  }
  yield part
}
