import assert from 'node:assert/strict'
import { createHmac, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { followIncidents } from '../../src/app/incidents/follow-incidents.ts'
import { createEvaluateRules, type RuleChange } from '../../src/app/rules/evaluate-rules.ts'
import { readStatus, type Status } from '../../src/app/rules/read-status.ts'
import { writeProcess } from '../../src/app/rules/store.ts'
import { createTellOfRules, createWatchCalls } from '../../src/app/rules/tell-of-rules.ts'
import { watchRules } from '../../src/app/rules/watch-rules.ts'
import { readConfig } from '../../src/platform/config.ts'
import { createEgress } from '../../src/platform/egress/post.ts'
import { createLog } from '../../src/platform/log.ts'
import type { Tx } from '../../src/platform/postgres/database.ts'
import type { RefusedCommand } from '../harness/command-line.ts'
import { openTestDatabase, type TestDatabase } from '../harness/database.ts'
import { freePort } from '../harness/free-port.ts'
import { openInstallation } from '../harness/installation.ts'
import { startReceiver } from '../harness/receiver.ts'
import { waitFor } from '../harness/wait-for.ts'

// The workers evaluate the rules over what all processes report, and tell people once when one begins to fire and once when it ends.

/** Workers on one database, and the changes that they tell. */
function openWorkers(db: TestDatabase, count: number) {
  const told: string[] = []
  const log = createLog('silent', 'test')
  const now = () => new Date(0)
  const tellPeople = createTellOfRules({ notice_url: 'https://watch.example.com', log, now })
  const tell = (tx: Tx, changes: readonly RuleChange[]) => {
    tellPeople(tx, changes)
    for (const { rule, change } of changes) told.push(`${rule.name} ${change}`)
  }
  const workers = Array.from({ length: count }, () =>
    createEvaluateRules({ sql: db.sql, tell, follow: followIncidents, for_percent: 100 }),
  )
  return { told, evaluate: () => Promise.all(workers.map((evaluate) => evaluate())) }
}

const report = (db: TestDatabase, place: string, parts: Record<string, { value: number }>) =>
  writeProcess(db.sql, { place, roles: ['api', 'worker'], version: '0', started_at: new Date(0), parts })

const recent = { BackupOld: { value: 4e9 }, AuditOld: { value: 4e9 } }
const well = { NotReady: { value: 1 }, LedgerBroken: { value: 0 }, DiskLow: { value: 0.5 }, ...recent }

test('several workers tell once that a rule fires and once that it ended, and a restart tells nothing again', async () => {
  await using db = await openTestDatabase()
  const { told, evaluate } = openWorkers(db, 3)
  await report(db, 'a:1', well)
  await evaluate()
  assert.deepEqual(told, [])
  await report(db, 'a:1', { ...well, LedgerBroken: { value: 2 }, DiskLow: { value: 0.05 } })
  await evaluate()
  await evaluate()
  assert.deepEqual(told, ['LedgerBroken fires'], 'the disk has a minute')
  await db.sql`update rule_states set since = since - interval '1 minute'`
  await evaluate()
  assert.deepEqual(told.splice(0), ['LedgerBroken fires', 'DiskLow fires'])

  const restarted = openWorkers(db, 1)
  await restarted.evaluate()
  assert.deepEqual(restarted.told, [])
  const status = await readStatus(db.sql, { simulator_delay_ms: 1_000 })
  assert.equal(status.state, 'page')
  assert.deepEqual(
    status.firing.map(({ rule, value, severity }) => [rule, value, severity]),
    [
      ['LedgerBroken', 2, 'page'],
      ['DiskLow', 0.05, 'page'],
    ],
  )
  await report(db, 'a:1', well)
  await evaluate()
  await evaluate()
  assert.deepEqual(told, ['LedgerBroken ended', 'DiskLow ended'])
  const jobs = await db.sql`
    select kind, coalesce(payload ->> 'name', payload ->> 'type') as says, count(*)::integer as count
      from jobs
     group by kind, says
     order by kind, says`
  assert.deepEqual(
    [...jobs],
    [
      { kind: 'address-notice', says: 'rule_ended', count: 2 },
      { kind: 'address-notice', says: 'rule_fires', count: 2 },
      { kind: 'post-notice', says: 'rule.ended', count: 2 },
      { kind: 'post-notice', says: 'rule.fires', count: 2 },
    ],
  )
  // Two rows, if five minutes ended meanwhile.
  const figures = await db.sql`select state, figures from status_figures`
  assert.ok(figures.some(({ state }) => state === 'page'))
  assert.equal(Math.min(...figures.map((row) => row.figures.DiskLow)), 0.05, 'the worst of the five minutes')
})

test('a process that falls silent is not ready, one that was followed by another is forgotten, and none at all is not ready', async () => {
  await using db = await openTestDatabase()
  const { evaluate } = openWorkers(db, 1)
  const held = async () => {
    await evaluate()
    const rows = await db.sql<{ rule: string }[]>`select rule from rule_states order by rule`
    return rows.map(({ rule }) => rule)
  }
  assert.deepEqual(await held(), ['AuditOld', 'BackupOld', 'NotReady'])
  await report(db, 'a:1', well)
  await report(db, 'b:1', well)
  assert.deepEqual(await held(), [])
  await db.sql`update service_processes set heard_at = heard_at - interval '50 seconds' where place = 'b:1'`
  assert.deepEqual(await held(), ['NotReady'])
  await db.sql`update service_processes set started_at = clock_timestamp() where place = 'a:1'`
  assert.deepEqual(await held(), [], 'a newer process took its place')
  await db.sql`update service_processes set heard_at = heard_at - interval '11 minutes'`
  assert.deepEqual(await held(), ['AuditOld', 'BackupOld', 'NotReady'])
  assert.equal((await db.sql`select place from service_processes`).length, 0)
})

test('an address to which nothing may be sent is refused at the start, or named there', async () => {
  const secret = { NOTICE_SECRET: randomBytes(24).toString('hex') }
  for (const setting of ['NOTICE_URL', 'HEARTBEAT_URL'])
    assert.throws(
      () => readConfig({ ...secret, [setting]: 'http://watch.example.com' }),
      /_URL must be an address starting https:\/\/\.$/,
    )
  const config = readConfig({ ...secret, NOTICE_URL: 'https://10.0.0.1/notices', HEARTBEAT_URL: 'https://192.0.9.1/' })
  await using egress = { ...createEgress({ allow: [] }), [Symbol.asyncDispose]: () => egress.close() }
  const calls = createWatchCalls({ ...config, egress, log: createLog('silent', 'test') })
  assert.deepEqual(await calls.vetAddresses(), ['NOTICE_URL'])
})

test('the heartbeat stops while a rule that wakes a person fires', async () => {
  let state: 'ok' | 'page' = 'ok'
  let [beats, evaluations] = [0, 0]
  const tasks = watchRules({
    evaluate: async () => {
      evaluations += 1
      return state
    },
    readState: async () => state,
    beat: async () => {
      beats += 1
      return true
    },
    time_percent: 0.02,
    log: createLog('silent', 'test'),
  })
  await waitFor(() => beats > 2)
  state = 'page'
  const before = evaluations
  await waitFor(() => evaluations > before + 2)
  const stopped = beats
  await waitFor(() => evaluations > before + 10)
  assert.equal(beats, stopped)
  await Promise.all(tasks.map((task) => task.stop()))
})

test('a running service posts a signed notice, and its status and figures are on the port of metrics', async () => {
  await using receiver = await startReceiver()
  const [secret, port] = [randomBytes(24).toString('hex'), await freePort()]
  const notices = {
    NOTICE_URL: `${receiver.url}/notices`,
    NOTICE_SECRET: secret,
    HEARTBEAT_URL: `${receiver.url}/beat`,
  }
  const loopback = { EGRESS_ALLOW: '127.0.0.0/8', EGRESS_LOOPBACK_HTTP: 'on' }
  await using installation = await openInstallation({ processes: [], own: 'has a broken book' })
  await installation.bandama('audit')
  await installation.db.sql`update audit_runs set failed_checks = 2`
  await installation.start({ env: { ...notices, ...loopback, METRICS_PORT: String(port), RULE_TIME_PERCENT: '1' } })
  const posted = await waitFor(() => receiver.requests.find(({ body }) => body.includes('LedgerBroken')))
  assert.equal(posted.path, '/notices')
  const notice = JSON.parse(posted.body.toString())
  assert.deepEqual(
    [notice.type, notice.data.rule, notice.data.severity, notice.data.value],
    ['rule.fires', 'LedgerBroken', 'page', 2],
  )
  const [, t, v1] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(posted.headers['service-signature']))!
  assert.equal(v1, createHmac('sha256', secret).update(`${t}.${posted.body}`).digest('hex'))

  const refused = (await installation.bandama('status').catch((error) => error)) as RefusedCommand
  assert.equal(refused.code, 2)
  const shown = JSON.parse(refused.stdout)
  assert.equal(shown.state, 'page')
  assert.deepEqual(shown.processes[0].roles, ['api', 'worker'])
  const page = (await (await fetch(`http://127.0.0.1:${port}/status?days=35`)).json()) as Status & {
    figures: { figures: Record<string, number> }[]
  }
  assert.deepEqual([page.state, page.firing[0]!.rule, page.recovery], ['page', 'LedgerBroken', null])
  assert.ok(page.figures.some(({ figures }) => figures.LedgerBroken === 2))
})
