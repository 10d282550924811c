import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { readCollation } from '../../src/app/database-collation.ts'
import { openDatabase, type Sql } from '../../src/platform/postgres/database.ts'
import { actor } from '../harness/actor.ts'
import type { RefusedCommand } from '../harness/command-line.ts'
import { openTestDatabase } from '../harness/database.ts'
import { freePort } from '../harness/free-port.ts'
import { openInstallation } from '../harness/installation.ts'
import { resumePayouts, stopPayouts } from '../harness/payout-stops.ts'
import { waitFor } from '../harness/wait-for.ts'
import { checkPayout } from './payout-answers.ts'
import { newSender, payout } from './sender.ts'

// The order of texts changes with the system's libraries: unique indexes in the old order find no longer every row.

const AMA = 'ama@example.com'
const KOFI = 'kofi@example.com'

/** Lets PostgreSQL believe that the database was made with another version of its libraries. */
async function setRecorded(sql: Sql, version: string | null): Promise<void> {
  await sql`update pg_database set datcollversion = ${version} where datname = current_database()`
}

/** Opens an empty database that is made with these options, and is dropped at the end. */
async function createDatabase(options: string) {
  const server = process.env.TEST_DATABASE_URL!
  const name = `bandama_collation_${randomBytes(6).toString('hex')}`
  const admin = openDatabase({ url: server, connections: 1, name: 'test administrator' })
  await admin.unsafe('set statement_timeout = 0')
  await admin.unsafe(`create database ${name} template template0 encoding 'UTF8' ${options}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  const sql = openDatabase({ url: url.href, connections: 1, name: 'test' })
  return {
    sql,
    async [Symbol.asyncDispose]() {
      await sql.end({ timeout: 1 })
      await admin.unsafe(`drop database ${name} with (force)`)
      await admin.end({ timeout: 1 })
    },
  }
}

const read: readonly { options: string; recorded?: string; can_change: boolean; change: RegExp | null }[] = [
  { options: "locale 'C'", can_change: false, change: null },
  { options: "locale 'POSIX'", can_change: false, change: null },
  { options: "locale 'C'", recorded: '2.28', can_change: false, change: /^2\.28 to none$/ },
  { options: "locale_provider icu icu_locale 'und'", can_change: true, change: null },
  { options: "locale_provider icu icu_locale 'fr'", recorded: '1.2', can_change: true, change: /^1\.2 to [\d.]+$/ },
]
for (const { options, recorded, can_change, change } of read) {
  test(`a database made with ${options}${recorded === undefined ? '' : `, as of version ${recorded},`} ${change === null ? 'agrees' : 'differs'} and ${can_change ? 'can' : 'cannot'} change`, async () => {
    await using database = await createDatabase(options)
    if (recorded !== undefined) await setRecorded(database.sql, recorded)
    const found = await readCollation(database.sql)
    assert.equal(found.can_change, can_change)
    if (change === null) assert.equal(found.change, null)
    else assert.match(found.change!, change)
  })
}

test('a changed collation holds payouts from the start until two people say that the indexes were rebuilt', async () => {
  const metrics_port = await freePort()
  await using installation = await openInstallation({ processes: [] })
  const { db, bandama } = installation
  await setRecorded(db.sql, '2.28')
  const start = () => installation.start({ env: { METRICS_PORT: String(metrics_port) } })
  const service = await start()
  assert.match(
    service.output(),
    /"change":"2\.28 to none".*"msg":"database: its collation has changed, payouts are stopped/,
  )
  installation.services.push(service)
  const sender = await newSender(installation)
  const { id } = checkPayout(await sender.send(payout(100)), 201)
  const metric = /^bandama_database_collation_problem\{kind="changed"\} 1$/m
  await waitFor(async () => metric.test(await (await fetch(`http://127.0.0.1:${metrics_port}/metrics`)).text()))

  const finding = async () => {
    const answer = await bandama('live', 'check').catch((error: RefusedCommand) => JSON.parse(error.stdout))
    const { checks } = answer as { checks: { subject: string; status: string; message: string }[] }
    return checks.find(({ subject }) => subject === 'collation')!
  }
  assert.equal((await finding()).status, 'missing')
  assert.match((await finding()).message, /\(2\.28 to none\): rebuild all indexes/)
  const { stops } = (await bandama('payouts', 'stops')) as { stops: Record<string, unknown>[] }
  assert.deepEqual(
    stops.map(({ scope, stopped_by, cause, cause_detail }) => ({ scope, stopped_by, cause, cause_detail })),
    [{ scope: 'all', stopped_by: 'system', cause: 'collation_changed', cause_detail: '2.28 to none' }],
  )

  for (const same of [AMA, AMA, 'AMA@example.com'])
    assert.equal((await bandama('payouts', 'resume', '--all', '--as', same)).waiting, true)
  checkPayout(await sender.read(id), 200, { status: 'created' })
  assert.equal((await bandama('payouts', 'resume', '--all', '--as', KOFI)).waiting, false)
  await sender.untilPayout(id, 'succeeded')

  // The word of the two people holds for this change, and not for the next one.
  await service.stop()
  const again = await start()
  assert.doesNotMatch(again.output(), /payouts are stopped/)
  await again.stop()
  await setRecorded(db.sql, '2.31')
  const third = await start()
  assert.match(third.output(), /"change":"2\.31 to none"/)
  await third.stop()
})

test('each process looks before it is ready, also one without a worker', async () => {
  await using installation = await openInstallation({ processes: [] })
  await setRecorded(installation.db.sql, '2.28')
  const service = await installation.start({ args: ['--only', 'api'] })
  await service.stop()
  const rows = await installation.db.sql`select cause from payout_stops where lifted_at is null`
  assert.deepEqual(rows, [{ cause: 'collation_changed' }])
})

test('a stop that is in force gets the cause, and the people who resume agree anew', async () => {
  await using db = await openTestDatabase()
  await stopPayouts(db.sql, { scope: 'all' }, actor(AMA))
  assert.equal((await resumePayouts(db.sql, { scope: 'all' }, actor(AMA))).kind, 'waiting')
  await setRecorded(db.sql, '2.28')
  const { holdPayoutsIfCollationChanged } = await import('../../src/app/database-collation.ts')
  const { createLog } = await import('../../src/platform/log.ts')
  const log = createLog('silent', 'test')
  await Promise.all(Array.from({ length: 5 }, () => holdPayoutsIfCollationChanged(db.sql, log)))
  const rows = await db.sql`select stopped_by, resume_asked_by, cause, cause_detail, lifted_at from payout_stops`
  const expected = { stopped_by: AMA, resume_asked_by: null, cause: 'collation_changed', cause_detail: '2.28 to none' }
  assert.deepEqual(rows, [{ ...expected, lifted_at: null }])
  const acts = await db.sql<{ actor: string }[]>`select actor from audit_log where act = 'payouts.stop' order by at`
  assert.deepEqual(
    acts.map(({ actor: by }) => by),
    [AMA, 'system'],
  )
})
