import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Registry } from 'prom-client'
import { measureBackups } from '../../src/app/backups/backup-age.ts'
import { readStatus } from '../../src/app/rules/read-status.ts'
import { machineMilliseconds } from '../../src/platform/clock.ts'
import type { RefusedCommand } from '../harness/command-line.ts'
import { openTestDatabase } from '../harness/database.ts'
import { installOn } from '../harness/installation.ts'
import { waitFor } from '../harness/wait-for.ts'

const script = fileURLToPath(new URL('../../deploy/bandama-backup', import.meta.url))

/** The size of each dump of the stand-in for pg_dump. */
const DUMP_BYTES = 1_000

/**
 * Stand-ins for the programs that the script calls. A machine has no pg_dump of the tests' server, and no disk of a few kilobytes.
 * - `pg_dump` notes the files that it finds, writes half of a dump, then does what PG_DUMP says;
 * - `psql` keeps its command;
 * - `df` counts the bytes of the folder from QUOTA.
 */
const programs = {
  pg_dump: `for one; do case $one in --file=*) file=\${one#--file=};; esac; done
ls bandama-* > "$NOTES/found" 2>/dev/null
head -c ${DUMP_BYTES / 2} /dev/zero > "$file"
case \${PG_DUMP:-works} in fails) exit 1;; hangs) touch "$NOTES/hangs"; exec sleep 60;; esac
head -c ${DUMP_BYTES / 2} /dev/zero >> "$file"`,
  psql: `for one; do case $one in --command=*) echo "\${one#--command=}" > "$NOTES/sql";; esac; done`,
  df: `echo Avail; echo $((\${QUOTA:-1000000} - $(cat bandama-* 2>/dev/null | wc -c)))`,
}

/** A folder of backups with these dumps, and their ages in days. */
async function openFolder(dumps: Readonly<Record<string, number>>, parts: readonly string[] = []) {
  const root = await mkdtemp(join(tmpdir(), 'bandama-backup-'))
  const [folder, bin, notes] = [join(root, 'backups'), join(root, 'bin'), join(root, 'notes')]
  for (const path of [folder, bin, notes]) await mkdir(path)
  for (const [name, text] of Object.entries(programs)) {
    await writeFile(join(bin, name), `#!/bin/sh\n${text}\n`)
    await chmod(join(bin, name), 0o755)
  }
  for (const [name, days] of Object.entries(dumps)) {
    const path = join(folder, `bandama-${name}.dump`)
    await writeFile(path, Buffer.alloc(DUMP_BYTES))
    const at = Temporal.Now.instant().subtract({ hours: days * 24 }).epochMilliseconds / 1_000
    await utimes(path, at, at)
  }
  for (const name of parts) await writeFile(join(folder, name), 'half')
  const note = (name: string) => readFile(join(notes, name), 'utf8').catch(() => null)
  return {
    start(env: Record<string, string> = {}) {
      const own = { PATH: `${bin}:${process.env.PATH}`, BACKUP_FOLDER: folder, NOTES: notes }
      const child = spawn(script, [], { stdio: ['ignore', 'ignore', 'pipe'], env: { ...own, ...env } })
      let said = ''
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        said += text
      })
      const ended = once(child, 'close').then(([code]) => ({ code, said }))
      return { child, ended }
    },
    note,
    /** The dumps before this run, without their prefix and suffix, and how many this run made. */
    async left() {
      const files = await readdir(folder)
      const known = files.filter((file) => Object.hasOwn(dumps, file.slice(8, -5))).map((file) => file.slice(8, -5))
      return {
        known: known.sort(),
        made: files.length - known.length,
        parts: files.filter((file) => file.endsWith('.part')),
      }
    },
    [Symbol.asyncDispose]: () => rm(root, { recursive: true }),
  }
}

const DAYS = { '2026-11-01-0015': 20, '2026-11-02-0015': 19, '2026-11-20-0015': 3, '2026-11-21-0015': 2 }
const LONG_AGO = { '2026-10-01-0015': 40, '2026-10-02-0015': 39, '2026-10-03-0015': 38 }

type Case = {
  what: string
  dumps: Record<string, number>
  env?: Record<string, string>
  code: number
  /** The dumps that are left of those before. */
  known: string[]
  made: number
}
const cases: Case[] = [
  { what: 'the first backup', dumps: {}, code: 0, known: [], made: 1 },
  {
    what: 'a backup beside old dumps',
    dumps: DAYS,
    code: 0,
    known: ['2026-11-20-0015', '2026-11-21-0015'],
    made: 1,
  },
  {
    what: 'a backup after weeks without one',
    dumps: LONG_AGO,
    code: 0,
    known: ['2026-10-03-0015'],
    made: 1,
  },
  {
    what: 'a backup that fails after weeks without one',
    dumps: LONG_AGO,
    env: { PG_DUMP: 'fails' },
    code: 1,
    known: ['2026-10-03-0015'],
    made: 0,
  },
  {
    what: 'a backup for which old dumps leave just enough space',
    dumps: DAYS,
    env: { QUOTA: '3200' },
    code: 0,
    known: ['2026-11-20-0015', '2026-11-21-0015'],
    made: 1,
  },
  {
    what: 'a backup for which a good dump has to go',
    dumps: DAYS,
    env: { QUOTA: '3000' },
    code: 0,
    known: ['2026-11-21-0015'],
    made: 1,
  },
  {
    what: 'a backup for which nothing makes enough space',
    dumps: DAYS,
    env: { QUOTA: '2199' },
    code: 1,
    known: ['2026-11-21-0015'],
    made: 0,
  },
]
for (const { what, dumps, env = {}, code, known, made } of cases) {
  test(`${what} ${code === 0 ? 'is made' : 'is refused or fails'}, keeps ${known.length} dumps and no unfinished file`, async () => {
    await using folder = await openFolder(dumps, [
      'bandama-2026-11-22-0015.dump.part',
      'bandama-2026-11-23-001500.dump.part',
    ])
    const { said, ...ended } = await folder.start(env).ended
    assert.deepEqual(ended, { code }, said)
    assert.deepEqual(await folder.left(), { known, made, parts: [] })
    const isRefused = made === 0 && env.QUOTA !== undefined
    const noted = isRefused ? /^insert into backup_refusals/ : /^insert into backup_runs/
    const sql = await folder.note('sql')
    if (code === 0 || isRefused) assert.match(sql!, noted)
    else assert.equal(sql, null)
    const found = (await folder.note('found'))?.split('\n') ?? []
    assert.ok(found.length <= known.length + 2, `there was no room yet: ${found}`)
    if (isRefused) assert.match(said, /too little space: 1200 bytes are needed and 1199 are free/)
  })
}

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
  test(`${signal} during a backup leaves no unfinished file`, async () => {
    await using folder = await openFolder(DAYS)
    const { child, ended } = folder.start({ PG_DUMP: 'hangs' })
    await waitFor(() => folder.note('hangs').then((hangs) => hangs !== null))
    // As systemd does: the whole group gets it.
    for (const pid of await childrenOf(child.pid!)) process.kill(pid, signal)
    child.kill(signal)
    assert.notEqual((await ended).code, 0)
    assert.deepEqual(await folder.left(), { known: ['2026-11-20-0015', '2026-11-21-0015'], made: 0, parts: [] })
    assert.equal(await folder.note('sql'), null)
  })
}

async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return text.split(' ').filter(Boolean).map(Number)
}

test('the time of a backup that succeeded is in the metrics, and live check says when it is too old', async () => {
  await using db = await openTestDatabase()
  const { bandama } = await installOn(db.url)
  const metrics = new Registry()
  const measure = measureBackups(metrics)
  const finding = async () => {
    const answer = await bandama('live', 'check').catch((error: RefusedCommand) => JSON.parse(error.stdout))
    const { checks } = answer as { checks: { subject: string; status: string; message: string }[] }
    return checks.find(({ subject }) => subject === 'backup')!
  }
  await measure(db.sql)
  assert.doesNotMatch(await metrics.metrics(), /bandama_backup_bytes\{/)
  assert.equal((await finding()).status, 'note')

  await using folder = await openFolder({})
  assert.equal((await folder.start().ended).code, 0)
  await db.sql.unsafe((await folder.note('sql'))!)
  await measure(db.sql)
  const shown = await metrics.metrics()
  const { backup } = await readStatus(db.sql, { simulator_delay_ms: 1_000 })
  assert.ok(backup.age_seconds! < 600 && Date.parse(backup.restorable_to!) <= machineMilliseconds())
  assert.match(shown, new RegExp(`bandama_backup_bytes\\{kind="dump"\\} ${DUMP_BYTES}`))
  const at = Number(/bandama_backup_last_success_timestamp_seconds\{kind="dump"\} (\S+)/.exec(shown)?.[1])
  assert.ok(Math.abs(at - Temporal.Now.instant().epochMilliseconds / 1_000) < 600)
  assert.deepEqual(await finding(), {
    ...(await finding()),
    status: 'ok',
    message: 'The last one succeeded 0 hours ago.',
  })

  const lacksSpace = async () => {
    await measure(db.sql)
    return /^bandama_backup_no_space (\d)/m.exec(await metrics.metrics())?.[1]
  }
  assert.equal(await lacksSpace(), '0')
  await using full = await openFolder(DAYS)
  assert.equal((await full.start({ QUOTA: '2199' }).ended).code, 1)
  await db.sql.unsafe((await full.note('sql'))!)
  assert.equal(await lacksSpace(), '1')
  await db.sql.unsafe((await folder.note('sql'))!)
  assert.equal(await lacksSpace(), '0')

  await db.sql`update backup_runs set finished_at = finished_at - interval '13 hours'`
  assert.deepEqual([(await finding()).status, /13 hours old/.test((await finding()).message)], ['missing', true])
})
