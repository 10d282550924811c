import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { chmod, chown, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { readNewestBackup } from '../../src/app/backups/backup-age.ts'
import { openDatabase } from '../../src/platform/postgres/database.ts'
import { migrate } from '../../src/platform/postgres/upkeep/migrate.ts'
import { postgresAccount } from '../harness/account.ts'
import { cannotStartServers, startAlone } from '../harness/postgres-servers.ts'

// deploy/bandama-pgbackrest and deploy/pgbackrest.conf with Debian's pgBackRest, on a server of Debian's PostgreSQL, under its account.

const execute = promisify(execFile)
const deploy = (name: string) => fileURLToPath(new URL(`../../deploy/${name}`, import.meta.url))
const hasPgbackrest = spawnSync('pgbackrest', ['version']).status === 0
const skip = cannotStartServers || (!hasPgbackrest && 'pgbackrest is not installed (Debian)')

test('pgBackRest backs up a server of one’s own: each run is recorded, and without space none is made', {
  skip,
}, async () => {
  const root = await mkdtemp(join(tmpdir(), 'bandama-pgbackrest-'))
  const { uid, gid } = postgresAccount()
  const [repo, lock, sockets, bin, restored] = ['repo', 'lock', 'sockets', 'bin', 'restored'].map((name) =>
    join(root, name),
  ) as [string, string, string, string, string]
  await chmod(root, 0o755)
  for (const path of [repo, lock, sockets, bin, restored]) {
    await mkdir(path, { mode: 0o700 })
    if (uid !== undefined && gid !== undefined) await chown(path, uid, gid)
  }
  const config = join(root, 'pgbackrest.conf')
  const server = await startAlone(root, {
    unix_socket_directories: sockets,
    archive_mode: 'on',
    archive_command: `pgbackrest --config=${config} --stanza=bandama archive-push %p`,
  })
  try {
    const { port } = new URL(server.url)
    const data = (await readdir(root)).find((name) => name === 'oldest')!
    const written = (await readFile(deploy('pgbackrest.conf'), 'utf8'))
      .replace(/^repo1-path=.*/m, `repo1-path=${repo}\nlock-path=${lock}`)
      .replace(/^repo1-cipher-pass=.*/m, 'repo1-cipher-pass=the-text-of-this-test')
      .replace(/^pg1-path=.*/m, `pg1-path=${join(root, data)}\npg1-port=${port}\npg1-socket-path=${sockets}`)
    await writeFile(config, written)
    // The script must be where the account of the server can read it.
    const script = join(root, 'bandama-pgbackrest')
    await cp(deploy('bandama-pgbackrest'), script)
    await chmod(script, 0o755)
    await writeFile(join(bin, 'df'), '#!/bin/sh\necho Avail; echo "$FREE"\n', { mode: 0o755 })
    await chmod(bin, 0o755)
    const env = {
      PATH: `${bin}:${process.env.PATH}`,
      ...{ PGHOST: sockets, PGPORT: port, PGUSER: 'postgres', PGBACKREST_CONFIG: config },
      ...{ BACKUP_DATABASE: 'postgres', BACKUP_FOLDER: repo, FREE: '1000000000000' },
    }
    const run = (program: string, words: string[], more = {}) =>
      execute(program, words, { cwd: '/', env: { ...env, ...more }, ...postgresAccount() })
    await migrate(server.url)
    const sql = openDatabase({ url: server.url, connections: 1, name: 'test' })
    try {
      await run('pgbackrest', ['--stanza=bandama', 'stanza-create'])
      await run(script, [])
      await run(script, [])
      await run(script, ['--full'])
      const made = await sql<{ level: string }[]>`select level from backup_runs order by finished_at`
      assert.deepEqual(
        made.map(({ level }) => level),
        ['full', 'diff', 'full'],
      )
      const newest = (await readNewestBackup(sql))!
      assert.ok(newest.kind === 'full' && newest.bytes > 1_000_000 && newest.began_at! <= newest.finished_at)
      await assert.rejects(
        run(script, [], { FREE: '1000' }),
        /too little space: \d+ bytes are needed and 1000 are free/,
      )
      const refused = await sql`select cause from backup_refusals`
      assert.deepEqual([...refused], [{ cause: 'no_space' }])
      const { stdout } = await run('pgbackrest', ['--stanza=bandama', '--output=json', 'info'])
      const [{ backup, cipher }] = JSON.parse(stdout) as [{ backup: { type: string }[]; cipher: string }]
      assert.deepEqual([backup.map(({ type }) => type), cipher], [['full'], 'aes-256-cbc'])
      await run('pgbackrest', ['--stanza=bandama', 'check'])
      await run('pgbackrest', ['--stanza=bandama', `--pg1-path=${restored}`, 'restore'])
      assert.equal(
        await readFile(join(restored, 'PG_VERSION'), 'utf8'),
        await readFile(join(root, data, 'PG_VERSION'), 'utf8'),
      )
    } finally {
      await sql.end({ timeout: 1 })
    }
  } finally {
    await server.stop()
    await rm(root, { recursive: true, force: true })
  }
})
