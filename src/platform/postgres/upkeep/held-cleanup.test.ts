import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { test } from 'node:test'
import { Registry } from 'prom-client'
import { isCitus } from '../../../../tests/harness/citus.ts'
import { openPool, openTestDatabase } from '../../../../tests/harness/database.ts'
import { createLog } from '../../log.ts'
import { watchCleanup } from './held-cleanup.ts'

/** A watch that tells after these seconds, its log, and the metric. */
function watched(warn_seconds: number) {
  const lines: { level: string; held_by?: string; name?: string }[] = []
  const out = new Writable({
    write(line, _, done) {
      lines.push(JSON.parse(String(line)))
      done()
    },
  })
  const metrics = new Registry()
  const watch = watchCleanup({ log: createLog('info', 'test', out), metrics }, warn_seconds)
  const seconds = async () => {
    const { values } = (await metrics.getSingleMetric('bandama_cleanup_held_seconds')!.get()) as {
      values: { value: number }[]
    }
    return values[0]!.value
  }
  return { watch, lines, seconds }
}

test('a forgotten transaction is named once while it keeps dead rows, and its end is told', {
  skip: isCitus && 'a cluster has sessions of its own',
}, async () => {
  await using db = await openTestDatabase()
  const forgotten = openPool({ url: db.url, connections: 1, name: 'forgotten report' })
  const { watch, lines, seconds } = watched(0)
  const patient = watched(3_600)
  try {
    await watch(db.sql)
    assert.deepEqual([await seconds(), lines], [0, []], 'nobody holds anything')
    await forgotten.begin(async (tx) => {
      // A snapshot holds rows for a reader too, which has no transaction number.
      await tx`set transaction isolation level repeatable read`
      await tx`select count(*) from merchants`
      for (const one of [watch, watch, patient.watch]) await one(db.sql)
      assert.ok((await seconds()) > 0)
      assert.ok((await patient.seconds()) > 0)
    })
    await watch(db.sql)
    assert.equal(await seconds(), 0)
    assert.deepEqual(
      lines.map(({ level, held_by }) => [level, held_by ?? '']),
      [
        ['warn', 'session'],
        ['info', ''],
      ],
    )
    assert.match(lines[0]!.name!, /^\d+ \S+ forgotten report$/)
    assert.deepEqual(patient.lines, [], 'half an hour is for dumps')
  } finally {
    await forgotten.end({ timeout: 1 })
  }
})
