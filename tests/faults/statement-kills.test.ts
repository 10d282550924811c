import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { audit } from '../../src/app/audit.ts'
import { createImportDeps } from '../../src/app/statement-reading.ts'
import { createClock } from '../../src/platform/clock.ts'
import { createLog } from '../../src/platform/log.ts'
import { readFile } from '../../src/statement-files/import/file-store.ts'
import { viewFile } from '../../src/statement-files/import/statement-file.ts'
import { sweepFiles } from '../../src/statement-files/import/sweep-files.ts'
import { Secret } from '../../src/values/secret.ts'
import { openTestDatabase, type TestDatabase } from '../harness/database.ts'
import { newStatementAccount } from '../harness/statement-accounts.ts'

const execute = promisify(execFile)
const SECRET_KEY = 'a test key of more than thirty-two characters'

let db: TestDatabase
let folder: string
let file: string
before(async () => {
  db = await openTestDatabase()
  folder = await mkdtemp(join(tmpdir(), 'bandama-kills-'))
  file = join(folder, 'wave.csv')
  await writeFile(file, csv(25_000))
})
after(async () => {
  await db[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

function csv(rows: number): string {
  const titles = 'timestamp,transaction_id,transaction_type,amount,fee,balance,currency,client_reference'
  const lines = [titles]
  for (let nth = 1; nth <= rows; nth += 1)
    lines.push(`2026-11-09 08:00:00+00:00,T_${nth},api_checkout,99,1,${nth * 99},XOF,order-${nth}`)
  return `${lines.join('\n')}\n`
}

const child = (account: string, CRASH_AT?: string) => {
  const crash = CRASH_AT === undefined ? {} : { CRASH_POINTS: 'on', CRASH_AT }
  const env = { ...process.env, DATABASE_URL: db.url, SECRET_KEY, ...crash }
  return execute(process.execPath, [join(import.meta.dirname, 'import-and-die.ts'), account, file], { env })
}

const linesOf = (account: string) => db.sql`
  select day::text, class, gross, fee, effect, balance, reference, row, state, kind, count(*)
    from statement_lines
   where account = ${account}
   group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
   order by row`

test('an import that is killed anywhere goes on by itself, with the same lines', { timeout: 180_000 }, async () => {
  const whole = await newStatementAccount(db.sql, false)
  assert.equal((await child(whole)).stdout, 'counted')
  const wanted = await linesOf(whole)
  assert.equal(wanted.length, 25_000)
  const deps = createImportDeps({ sql: db.sql, secretKey: new Secret(SECRET_KEY), clock: createClock() })
  const log = createLog('silent', 'test')
  const points = ['during_act', 'after_statement_chunk:1', 'after_statement_chunk:2', 'before_file_counts']
  for (const [nth, point] of points.entries()) {
    const account = await newStatementAccount(db.sql, false)
    await assert.rejects(child(account, point), { signal: 'SIGKILL' })
    const [row] = await db.sql<{ id: string; status: string }[]>`
      select id, status from statement_files where account = ${account}`
    if (point === 'during_act') {
      // Nothing was committed: the person imports it again.
      assert.equal(row, undefined)
      assert.equal((await child(account)).stdout, 'counted')
    } else {
      assert.equal(row!.status, 'reading')
      assert.equal(await sweepFiles(deps, log), 0, 'its process may still live')
      // The clock of the last round was ahead already.
      await db.moveClock(`${nth * 70} seconds`)
      assert.equal(await sweepFiles(deps, log), 1)
      const counted = viewFile((await readFile(db.sql, row!.id))!)
      assert.deepEqual([counted.status, counted.lines, counted.waiting], ['counted', 25_000, 25_000])
    }
    assert.deepEqual(await linesOf(account), wanted, point)
  }
  const { checks } = await audit(db.sql)
  assert.deepEqual(
    checks.filter(({ wrong }) => wrong > 0),
    [],
  )
})

test('two imports of one account at once take turns, and the same file of two people counts once', {
  timeout: 120_000,
}, async () => {
  const account = await newStatementAccount(db.sql, false)
  const [one, other] = await Promise.all([child(account), child(account)])
  assert.deepEqual([one.stdout, other.stdout], ['counted', 'counted'])
  const files = await db.sql`select status from statement_files where account = ${account}`
  assert.deepEqual(
    files.map(({ status }) => status),
    ['counted'],
  )
  assert.equal((await linesOf(account)).length, 25_000)
})
