import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { Registry } from 'prom-client'
import { measureBackups } from '../../src/app/backups/backup-age.ts'
import { checkRestorable } from '../../src/app/backups/choose-backup.ts'
import { scheduleBackups } from '../../src/app/backups/scheduled-backups.ts'
import { checkSecretKey } from '../../src/app/secret-key/check-secret-key.ts'
import { readConfig } from '../../src/platform/config.ts'
import { createLog } from '../../src/platform/log.ts'
import { readArchive, writeArchive } from '../../src/platform/sealed-archive/archive.ts'
import { readEntries } from '../../src/platform/sealed-archive/entries.ts'
import { Secret } from '../../src/values/secret.ts'
import { processesOn } from '../harness/installation.ts'
import { waitFor } from '../harness/wait-for.ts'
import { openBackedUp, openServer } from './backed-up.ts'

// One embedded server whose files are backed up while it runs, and brought back in other folders. Each start of a server takes a second, so
// backups-kept.test.ts and backup-kills.test.ts run at night.

let at: Awaited<ReturnType<typeof openBackedUp>>

before(async () => {
  at = await openBackedUp()
})
after(() => at[Symbol.asyncDispose]())

const settings = () => readConfig({ ...at.env, SECRET_KEY: at.here.secret_key })

test('a worker makes a backup when there is none, and no other one while it is fresh', async () => {
  const log = createLog('silent', 'test')
  const made = async () => (await at.sql`select backup from backup_runs`).length
  for (const _ of ['none', 'fresh']) {
    const task = scheduleBackups({ sql: at.sql, config: settings(), log })
    await waitFor(async () => (await made()) > 0)
    await task!.stop()
    assert.deepEqual([await made(), (await at.good()).length], [1, 1])
  }
})

test('a backup holds all that was committed before its end, and not the key of the secrets', async () => {
  await at.sql`
    insert into connectors (name, type, livemode, callback_token_sealed, created_by, changed_by)
    values ('main', 'pawapay', true, '', 'ama@example.com', 'ama@example.com')`
  await checkSecretKey(at.sql, new Secret(at.here.secret_key), createLog('silent', 'test'))
  const { merchant_id } = await at.here.bandama('merchant', 'create', '--name', 'Before the backup')
  const made = await at.here.bandama('backup', 'run')
  const { merchant_id: later } = await at.here.bandama('merchant', 'create', '--name', 'After the backup')
  const backup = (await at.good()).at(-1)
  assert.equal(backup!.id, made.id)
  for await (const entry of readArchive(backup!.archive)) {
    if (entry.kind === 'folder') continue
    const pieces: Buffer[] = []
    for await (const piece of entry.content) pieces.push(piece)
    assert.ok(!Buffer.concat(pieces).includes(at.here.secret_key), entry.path)
  }
  const list = await at.here.bandama('backup', 'list')
  const { fault: _, ...listed } = (list.backups as { fault: null }[]).at(-1)!
  assert.deepEqual({ ...listed, removed: [] }, made)
  assert.equal(list.restorable_to, made.to)

  const to = at.elsewhere('restored')
  const lost = processesOn(null, at.env)
  const words = ['restore', '--at', 'latest', '--to', to]
  await assert.rejects(lost.bandama(...words), /SECRET_KEY .*is not the key that this database was used with/)
  assert.deepEqual(await readdir(to), [])
  const restored = await lost.bandama(...words, '--lost-secret-key')
  assert.deepEqual(restored.audit, { ok: true, failed_checks: [], transactions: 0, entries: 0 })
  // One server for all commands below; each would start its own.
  await using server = await openServer(to)
  await checkSecretKey(server.sql, new Secret(lost.secret_key), createLog('silent', 'test'))
  const there = processesOn(null, { ...at.env, DATA_DIR: to }, lost.secret_key)
  const { merchants } = (await there.bandama('merchant', 'list')) as { merchants: { merchant_id: number }[] }
  const ids = merchants.map(({ merchant_id: id }) => id)
  assert.ok(ids.includes(merchant_id as number) && !ids.includes(later as number))
  const inForce = async () => (await there.bandama('payouts', 'stops')).stops as { scope: string; cause: string }[]
  assert.deepEqual(
    (await inForce()).map(({ scope, cause }) => ({ scope, cause })),
    [{ scope: 'all', cause: 'restored' }],
  )
  await there.bandama('payouts', 'resume', '--all', '--as', 'ama@example.com')
  assert.equal((await inForce()).length, 1)
  await there.bandama('payouts', 'resume', '--all', '--as', 'kofi@example.com')
  assert.deepEqual(await inForce(), [])
  assert.match(await at.refusalOf('restore', '--at', 'latest', '--to', to), /has a database already/)
})

test('age and size of the newest backup are in the metrics, under its kind', async () => {
  const metrics = new Registry()
  await measureBackups(metrics)(at.sql)
  const shown = await metrics.metrics()
  const backup = (await at.good()).at(-1)
  assert.match(shown, new RegExp(`bandama_backup_bytes\\{kind="full"\\} ${backup!.bytes}\n`))
  assert.match(shown, /bandama_backup_last_success_timestamp_seconds\{kind="full"\} \d/)
})

test('a backup that cannot be restored is refused in one sentence, and leaves nothing', async () => {
  const [backup] = await at.good()
  const { archive } = backup!
  const original = await readFile(archive.path)
  const to = at.elsewhere('refused')
  const id = '2030-01-01T000000Z-0000'
  const copy = join(at.backups, `bandama-${id}.backup`)
  const refusalWith = async (bytes: Buffer) => {
    await writeFile(copy, bytes)
    return await at.refusalOf('restore', '--at', id, '--to', to)
  }
  const changed = (offset: number) => {
    const bytes = Buffer.from(original)
    bytes[offset]! ^= 1
    return bytes
  }
  const middle = Math.floor(original.length / 2)
  for (const offset of [30, 1_030, middle, original.length - 600, original.length - 500])
    assert.match(await refusalWith(changed(offset)), /damaged|not complete/, `byte ${offset}`)
  for (const length of [0, 500, 1_024, middle, original.length - 1])
    assert.match(await refusalWith(original.subarray(0, length)), /not complete|damaged/, `${length} bytes`)
  const about = { ...archive.about, migration: '9999_later.sql' }
  await rm(copy)
  await writeArchive(copy, {
    key: at.key,
    about,
    entries: readEntries(noBytes()),
    end: async () => ({ to: backup!.to! }),
  })
  assert.match(await at.refusalOf('restore', '--at', id, '--to', to), /9999_later\.sql\. A newer version/)
  await rm(copy)
  const older = { ...archive.about, postgres: '9' }
  await writeArchive(copy, {
    key: at.key,
    about: older,
    entries: readEntries(noBytes()),
    end: async () => ({ to: backup!.to! }),
  })
  assert.match(await at.refusalOf('restore', '--at', id, '--to', to), /is of PostgreSQL 9/)
  await rm(copy)

  const others = processesOn(null, { ...at.env, BACKUP_KEY: `other ${at.key.reveal()}` })
  await assert.rejects(others.bandama('restore', '--at', 'latest', '--to', to), /made with another BACKUP_KEY/)
  assert.match(await at.refusalOf('restore', '--at', '2020-01-01', '--to', to), /no backup in .* that ended by 2020/)
  const later = join(at.backups, 'bandama-2031-01-01T000000Z-0000.backup')
  await writeFile(later, original.subarray(0, middle))
  assert.match(await at.refusalOf('restore', '--at', 'latest', '--to', to), /2031-01-01T000000Z-0000 .*not complete/)
  await rm(later)
  await assert.rejects(
    checkRestorable(backup!, at.dataDir, async () => 1_000),
    /too little space .*1000 are free/,
  )
  const left = await readdir(to).catch(() => [])
  assert.deepEqual(left, [])
})

async function* noBytes(): AsyncGenerator<Buffer> {}

test('without a key, or with a server of one’s own, the commands say what to do', async () => {
  await mkdir(at.elsewhere('empty'), { recursive: true })
  const keyless = processesOn(null, { ...at.env, BACKUP_KEY: '' })
  await assert.rejects(keyless.bandama('backup', 'list'), /BACKUP_KEY_FILE is not set/)
  const own = processesOn(at.url, at.env)
  await assert.rejects(own.bandama('backup', 'list'), /DATABASE_URL names a server of your own/)
})
