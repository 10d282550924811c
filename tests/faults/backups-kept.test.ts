import assert from 'node:assert/strict'
import { chown, copyFile, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { Registry } from 'prom-client'
import { measureBackups } from '../../src/app/backups/backup-age.ts'
import { runBackup } from '../../src/app/backups/run-backup.ts'
import { readConfig } from '../../src/platform/config.ts'
import { openBackedUp } from './backed-up.ts'

// The rest of backups.test.ts, at night: each backup and each start of a server takes a second.

let at: Awaited<ReturnType<typeof openBackedUp>>

before(async () => {
  at = await openBackedUp()
  await at.here.bandama('backup', 'run')
})
after(() => at[Symbol.asyncDispose]())

const settings = () => readConfig({ ...at.env, SECRET_KEY: at.here.secret_key })

test('older backups go before a new one is written, when the space is short, but never the newest; the first needs room too', async () => {
  const config = { ...settings(), backup_keep: 2 }
  const free = (bytes: number) => async () => bytes
  const nowhere = { ...config, backup_dir: at.elsewhere('none') }
  await assert.rejects(
    runBackup({ sql: at.sql, config: nowhere, freeBytes: free(10) }),
    /too little space .*10 are free/,
  )
  // Of a time at which the clock was wrong.
  const future = join(at.backups, 'bandama-2031-01-01T000000Z-0000.backup')
  await copyFile((await at.good()).at(-1)!.archive.path, future)
  const second = await runBackup({ sql: at.sql, config: { ...config, backup_keep: 1 }, freeBytes: free(1e12) })
  assert.deepEqual(
    (await at.good()).map(({ id }) => id),
    [second.id],
  )
  const third = await runBackup({ sql: at.sql, config, freeBytes: free(1e12) })
  assert.deepEqual(
    (await at.good()).map(({ id }) => id),
    [second.id, third.id],
  )
  await assert.rejects(runBackup({ sql: at.sql, config, freeBytes: free(10) }), /too little space .*10 are free/)
  assert.deepEqual(
    (await at.good()).map(({ id }) => id),
    [third.id],
  )
  const metrics = new Registry()
  await measureBackups(metrics)(at.sql)
  assert.match(await metrics.metrics(), /^bandama_backup_no_space 1$/m)
})

test('two runs do not meet, and root makes a backup that the account of the service reads', async () => {
  const config = settings()
  const isRoot = process.getuid?.() === 0
  const { uid } = await stat(at.dataDir)
  if (isRoot) await chown(at.dataDir, 1, 1)
  const ended = await Promise.allSettled([runBackup({ sql: at.sql, config }), runBackup({ sql: at.sql, config })])
  assert.deepEqual(ended.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
  const file = await stat((await at.good()).at(-1)!.archive.path)
  assert.deepEqual([file.uid, file.mode & 0o777], [isRoot ? 1 : uid, 0o600])
  if (isRoot) await chown(at.dataDir, 0, 0)
})

test('a drill says what the newest backup holds, or what is wrong with it, and leaves nothing', async () => {
  const drafts = async () => (await readdir(at.dataDir)).filter((name) => name.startsWith('drill-'))
  const tried = await at.here.bandama('restore', 'drill')
  assert.deepEqual([tried.passed, tried.fault], [true, null])
  assert.deepEqual(await drafts(), [])
  const rows = await at.sql`select passed, backup from restore_drills`
  assert.deepEqual([...rows], [{ passed: true, backup: tried.backup }])

  const newest = (await at.good()).at(-1)!
  const copy = join(at.backups, 'kept')
  await copyFile(newest.archive.path, copy)
  const bytes = await readFile(copy)
  bytes[Math.floor(bytes.length / 2)]! ^= 1
  await writeFile(newest.archive.path, bytes)
  assert.match(await at.refusalOf('restore', 'drill'), /^The restore failed\. The backup .* is damaged/)
  await copyFile(copy, newest.archive.path)
  await rm(copy)
  assert.deepEqual(await drafts(), [])
})
