import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql, Tx } from '../../src/platform/postgres/database.ts'
import { createEmptyDatabase, databaseSettings, openTestDatabase } from '../harness/database.ts'
import { freePort } from '../harness/free-port.ts'
import { hold, patient, untilWaiting } from '../harness/hold.ts'
import { program } from '../harness/program.ts'

/** The time within which a start that cannot succeed ends, on a machine whose every step is five times slower. */
const END_MS = 25_000

/** A step of a start, held by a lock that a test takes. */
type Step = { lock(tx: Tx): PromiseLike<unknown>; waits: string }

const steps = {
  'the check of the secret key': { lock: (tx) => tx`lock table secret_key_check`, waits: '^bandama start$' },
  'the first read of contracts': { lock: (tx) => tx`lock table connectors`, waits: '^bandama contracts$' },
  'the link of the first administrator': { lock: (tx) => tx`lock table persons`, waits: '^bandama first' },
} as const satisfies Record<string, Step>

const ports = [
  { words: [], taken: 'PORT' },
  { words: [], taken: 'METRICS_PORT' },
  { words: ['--only', 'api'], taken: 'PORT' },
  { words: ['--only', 'api'], taken: 'METRICS_PORT' },
  { words: ['--only', 'worker'], taken: 'METRICS_PORT' },
] as const

for (const { words, taken } of ports) {
  test(`serve ${words.join(' ')} ends with 1 when another program takes ${taken} during its start`, async () => {
    await using db = await openTestDatabase()
    const port = await freePort()
    await using held = await hold(db.sql, steps['the check of the secret key'].lock)
    const service = start(db.url, [...words], { [taken]: String(port) })
    await untilWaiting(db.sql, { name: steps['the check of the secret key'].waits })
    await using _other = await listen(port)
    await held.letGo()
    assert.deepEqual(await service.ended(), { code: 1, signal: null })
    assert.match(
      service.said(),
      new RegExp(`^Cannot listen on port ${port} of 127\\.0\\.0\\.1: address already in use\\.`, 'm'),
    )
    assert.doesNotMatch(service.said(), /periodic task failed/)
  })
}

for (const [step, { lock, waits }] of Object.entries(steps)) {
  test(`SIGTERM ends a start that waits in ${step}`, async () => {
    await using db = await openTestDatabase()
    await using _held = await hold(db.sql, lock)
    const service = start(patient(db.url))
    await untilWaiting(db.sql, { name: waits })
    service.kill('SIGTERM')
    assert.deepEqual(await service.ended(), { code: 1, signal: null })
  })

  test(`a database that ends during ${step} ends the start`, async () => {
    await using db = await openTestDatabase()
    await using _held = await hold(db.sql, lock)
    const service = start(patient(db.url))
    await untilWaiting(db.sql, { name: waits })
    await endConnections(db.sql)
    assert.deepEqual(await service.ended(), { code: 1, signal: null })
  })
}

test('SIGTERM ends a start that waits until another process has migrated the database', async () => {
  await using empty = await createEmptyDatabase()
  const sql = empty.open()
  await using _held = await hold(sql, (tx) => tx`select pg_advisory_lock(hashtext('bandama migrations'))`)
  const service = start(empty.url)
  await service.until(/another process brings the database to the newest schema/)
  service.kill('SIGTERM')
  assert.deepEqual(await service.ended(), { code: 1, signal: null })
  assert.match(service.said(), /^The start was ended: SIGTERM\.$/m)
})

/** Ends the connections of the starting service, as a database does that is shut down. */
async function endConnections(sql: Sql): Promise<void> {
  await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name ~ '^bandama'`
}

async function listen(port: number): Promise<AsyncDisposable> {
  const server = createServer().listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    async [Symbol.asyncDispose]() {
      server.close()
    },
  }
}

/** Starts `bandama serve`, which the test sees end before it is ready. */
function start(url: string, words: string[] = [], env: Record<string, string> = {}) {
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(program, ['serve', ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...{ PATH, HOME, PORT: '0', METRICS_PORT: '0', DEMO: 'off', SECRET_KEY: randomBytes(32).toString('base64url') },
      ...databaseSettings(url),
      ...env,
    },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const closed = once(child, 'close')
  return {
    said: () => output,
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    async until(pattern: RegExp): Promise<void> {
      while (!pattern.test(output))
        await Promise.race([once(child.stdout, 'data'), closed.then(() => assert.fail(output))])
    },
    /** How it ended. @throws with its output if it still runs after `END_MS` */
    async ended() {
      const late = sleep(END_MS, null, { ref: false })
      const ending = (await Promise.race([closed, late])) as [number | null, NodeJS.Signals | null] | null
      if (ending === null) child.kill('SIGKILL')
      assert.ok(ending !== null, `It did not end. It printed:\n${output}`)
      return { code: ending[0], signal: ending[1] }
    },
  }
}
