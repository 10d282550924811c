import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { waitFor } from '../../../../tests/harness/wait-for.ts'
import { createLog } from '../../log.ts'
import { openDatabase } from '../database.ts'
import { EmbeddedPostgresError } from './account.ts'
import { openCluster } from './cluster.ts'
import { findServer, stopServer } from './server.ts'
import { startEmbeddedPostgres } from './start.ts'

const log = createLog('silent', 'test')

/**
 * An empty DATA_DIR; in the end its server is stopped, whoever left it running, and everything removed. `mode` is that of
 * the folder it is in: who may pass there.
 */
async function emptyDataDir(mode = 0o711) {
  const root = await mkdtemp(join(tmpdir(), 'bandama-embedded-'))
  await chmod(root, mode)
  const path = join(root, 'data')
  const owners: ChildProcess[] = []
  return {
    path,
    /** Services in processes of their own, killed in the end if the test did not do it. */
    owners,
    async [Symbol.asyncDispose]() {
      for (const owner of owners) await kill(owner)
      if (await stat(path).catch(() => null)) await stopServer(await openCluster(path))
      await rm(root, { recursive: true })
    },
  }
}

/** The database of a folder, left at the end of the test if the test did not do it: a failed one must not keep serving. */
async function start(dataDir: { path: string }, own = true) {
  const postgres = await startEmbeddedPostgres({ dataDir: dataDir.path, log, own })
  return { ...postgres, [Symbol.asyncDispose]: () => postgres.stop() }
}

/** Runs statements on a connection of its own, which a killed server may take away. */
async function query(postgres: { url: { reveal(): string } }, text: string): Promise<Record<string, unknown>[]> {
  const sql = openDatabase({ url: postgres.url.reveal(), connections: 1, name: 'test' })
  try {
    return [...(await sql.unsafe(text))]
  } finally {
    await sql.end({ timeout: 1 })
  }
}

async function serverPid(dataDir: string): Promise<number | null> {
  return (await findServer(await openCluster(dataDir)))?.pid ?? null
}

/** A service in a process of its own, to be killed. It says `up <address>` or why it could not start. */
async function startOwner(dataDir: {
  path: string
  owners: ChildProcess[]
}): Promise<{ process: ChildProcess; said: string; url: { reveal(): string } }> {
  const script = `
    import { startEmbeddedPostgres } from ${JSON.stringify(new URL('start.ts', import.meta.url).href)}
    import { createLog } from ${JSON.stringify(new URL('../../log.ts', import.meta.url).href)}
    try {
      const options = { dataDir: ${JSON.stringify(dataDir.path)}, own: true, log: createLog('silent', 'owner') }
      const postgres = await startEmbeddedPostgres(options)
      process.on('SIGTERM', () => postgres.stop().then(() => process.exit(0)))
      process.stdout.write('up ' + postgres.url.reveal() + '\\n')
    } catch (error) {
      process.stdout.write(error.name + ': ' + error.message + '\\n')
    }`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  dataDir.owners.push(child)
  const [said] = (await once(createInterface(child.stdout!), 'line')) as [string]
  return { process: child, said, url: { reveal: () => said.replace(/^up /, '') } }
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill('SIGKILL')
  await exit
}

test('a second start on the same folder finds what the first one stored', async () => {
  await using dataDir = await emptyDataDir()
  await using first = await start(dataDir)
  await query(first, 'create table kept (n int); insert into kept values (7)')
  await first.stop()
  assert.equal(await serverPid(dataDir.path), null)
  await using second = await start(dataDir)
  assert.deepEqual(await query(second, 'select n from kept'), [{ n: 7 }])
  await second.stop()
})

test('the server commits to disk, answers on this machine only, and shows its password to its owner only', async () => {
  await using dataDir = await emptyDataDir()
  await using postgres = await start(dataDir)
  const [settings] = await query(
    postgres,
    `select current_setting('fsync') as fsync, current_setting('synchronous_commit') as synchronous_commit,
            current_setting('data_checksums') as data_checksums, current_setting('listen_addresses') as listen_addresses,
            current_setting('unix_socket_directories') as unix_socket_directories,
            current_setting('server_encoding') as server_encoding,
            (select datcollate from pg_database where datname = current_database()) as collation`,
  )
  assert.deepEqual(settings, {
    fsync: 'on',
    synchronous_commit: 'on',
    data_checksums: 'on',
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    server_encoding: 'UTF8',
    collation: 'C',
  })
  assert.equal((await stat(join(dataDir.path, 'postgres', 'password'))).mode & 0o777, 0o600)
  const url = new URL(postgres.url.reveal())
  url.password = 'guessed'
  await assert.rejects(query({ url: { reveal: () => url.href } }, 'select 1'), { code: '28P01' })
  await postgres.stop()
})

test('pages that were in memory when the server was stopped are there again after its start', async () => {
  await using dataDir = await emptyDataDir()
  await using first = await start(dataDir)
  await query(first, 'create extension pg_buffercache')
  await query(first, "create table remembered as select repeat('x', 1900) as filler from generate_series(1, 4000)")
  await query(first, 'select count(*) from remembered')
  const pagesInMemory = async (postgres: typeof first) => {
    const [row] = await query(
      postgres,
      "select count(*)::int as pages from pg_buffercache where relfilenode = pg_relation_filenode('remembered')",
    )
    return row!.pages as number
  }
  assert.ok((await pagesInMemory(first)) >= 1_000)
  await first.stop()
  await using second = await start(dataDir)
  // Nobody asks for the table, only for what of it is there.
  await waitFor(async () => (await pagesInMemory(second)) >= 1_000, { what: 'the pages' })
})

test('after the service is killed, the next start takes over the running server', async () => {
  await using dataDir = await emptyDataDir()
  const owner = await startOwner(dataDir)
  await query(owner, 'create table kept (n int); insert into kept values (7)')
  const pid = await serverPid(dataDir.path)
  await kill(owner.process)
  assert.equal(await serverPid(dataDir.path), pid)
  await using next = await start(dataDir)
  assert.equal(await serverPid(dataDir.path), pid)
  assert.deepEqual(await query(next, 'select n from kept'), [{ n: 7 }])
  await next.stop()
  assert.equal(await serverPid(dataDir.path), null)
})

test('after service and server are killed, the next start has everything that was committed', async () => {
  await using dataDir = await emptyDataDir()
  const owner = await startOwner(dataDir)
  await query(owner, 'create table kept (n int); insert into kept select generate_series(1, 1000)')
  const pid = (await serverPid(dataDir.path))!
  await kill(owner.process)
  process.kill(pid, 'SIGKILL')
  await waitFor(async () => (await serverPid(dataDir.path)) === null)
  await using next = await start(dataDir)
  assert.deepEqual(await query(next, 'select count(*)::int from kept'), [{ count: 1000 }])
  await next.stop()
})

test("a dead server's process id that another program has now does not prevent the start", async () => {
  await using dataDir = await emptyDataDir()
  await (await start(dataDir)).stop()
  const note = join(dataDir.path, 'postgres', 'cluster', 'postmaster.pid')
  const { uid, gid } = await stat(join(dataDir.path, 'postgres', 'cluster'))
  // The same user as the server's: PostgreSQL itself sees through the others.
  const somebody = spawn('sleep', ['60'], process.getuid?.() === 0 ? { uid, gid } : {})
  await once(somebody, 'spawn')
  await writeFile(note, `${somebody.pid}\n${dataDir.path}/postgres/cluster\n1\n5432\n\n127.0.0.1\n\nready   \n`)
  await using next = await start(dataDir)
  assert.deepEqual(await query(next, 'select 1 as one'), [{ one: 1 }])
  await next.stop()
  await kill(somebody)
})

test('of services started at once on an empty folder one serves, and the others say that it does', async () => {
  await using dataDir = await emptyDataDir()
  const started = await Promise.all([1, 2, 3].map(() => startOwner(dataDir)))
  const serving = started.filter((owner) => owner.said.startsWith('up '))
  assert.equal(serving.length, 1, started.map((owner) => owner.said.replace(/:[^:@]*@/, '@')).join('\n'))
  const pattern = new RegExp(
    `^DataDirTaken: Another Bandama \\(process ${serving[0]!.process.pid}\\) already serves .*data`,
  )
  for (const owner of started) if (owner !== serving[0]) assert.match(owner.said, pattern)
  assert.deepEqual(await query(serving[0]!, 'select 1 as one'), [{ one: 1 }])
  serving[0]!.process.kill('SIGTERM')
  await once(serving[0]!.process, 'exit')
  assert.equal(await serverPid(dataDir.path), null)
})

test('a command uses the server of a running service and leaves it running', async () => {
  await using dataDir = await emptyDataDir()
  await using service = await start(dataDir)
  const pid = await serverPid(dataDir.path)
  await using command = await start(dataDir, false)
  assert.deepEqual(await query(command, 'select 1 as one'), [{ one: 1 }])
  await command.stop()
  assert.equal(await serverPid(dataDir.path), pid)
  await service.stop()
  assert.equal(await serverPid(dataDir.path), null)
})

test('a command that started the server stops it, unless a service has taken it over', async () => {
  await using dataDir = await emptyDataDir()
  await using first = await start(dataDir)
  await first.stop()
  await using alone = await start(dataDir, false)
  await alone.stop()
  assert.equal(await serverPid(dataDir.path), null)

  await using command = await start(dataDir, false)
  const pid = await serverPid(dataDir.path)
  await using service = await start(dataDir)
  await command.stop()
  assert.equal(await serverPid(dataDir.path), pid)
  assert.deepEqual(await query(service, 'select 1 as one'), [{ one: 1 }])
  await service.stop()
  assert.equal(await serverPid(dataDir.path), null)
})

test('a service that starts while the last one stops its server waits for it and starts it again', async () => {
  await using dataDir = await emptyDataDir()
  await using all = new AsyncDisposableStack()
  let running = all.use(await start(dataDir))
  for (let round = 0; round < 5; round += 1) {
    const [next] = await Promise.all([startAfter(round), running.stop()])
    assert.deepEqual(await query(next, 'select 1 as one'), [{ one: 1 }])
    running = all.use(next)
  }

  /** A little later each time, so that it meets the server in every stage of its end. */
  async function startAfter(turns: number) {
    for (let turn = 0; turn < turns; turn += 1) await serverPid(dataDir.path)
    return await start(dataDir)
  }
})

test("a new cluster uses a quarter of the memory for pages, and its owner's own settings count from the next start", async () => {
  await using dataDir = await emptyDataDir()
  const pages = "select setting::bigint * 8 / 1024 as mb from pg_settings where name = 'shared_buffers'"
  await using first = await start(dataDir)
  const quarter_mb = Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem()) / 4 / 2 ** 20
  const [made] = await query(first, pages)
  assert.equal(made!.mb, Math.min(Math.max(Math.floor(quarter_mb), 128), 16_384))
  await first.stop()
  await appendFile(join(dataDir.path, 'postgres', 'cluster', 'postgresql.conf'), "shared_buffers = '64MB'\n")
  await using second = await start(dataDir)
  assert.equal((await query(second, pages))[0]!.mb, 64)
})

test('a server that dies is started again at the same address, and the folder stays taken', async () => {
  await using dataDir = await emptyDataDir()
  await using postgres = await start(dataDir)
  await query(postgres, 'create table kept (n int); insert into kept values (7)')
  for (const signal of ['SIGKILL', 'SIGINT'] as const) {
    const pid = (await serverPid(dataDir.path))!
    process.kill(pid, signal)
    await waitFor(async () => ![pid, null].includes(await serverPid(dataDir.path)))
    await waitFor(() =>
      query(postgres, 'select n from kept').then(
        (rows) => rows.length === 1,
        () => false,
      ),
    )
  }
  // The server takes connections a moment before its owner has it again.
  const owned = "select from pg_locks where locktype = 'advisory' and granted"
  await waitFor(async () => (await query(postgres, owned)).length === 1)
  await waitFor(() => start(dataDir).then(() => assert.fail('The folder was free.'), isTaken))
  await postgres.stop()
  assert.equal(await serverPid(dataDir.path), null)
})

test('a service whose own connection is ended keeps the folder', async () => {
  await using dataDir = await emptyDataDir()
  await using postgres = await start(dataDir)
  const holder = "select pid from pg_locks where locktype = 'advisory' and granted"
  const [before] = await query(postgres, holder)
  await query(postgres, `select pg_terminate_backend(${before!.pid})`)
  await waitFor(async () => {
    const [now] = await query(postgres, holder)
    return now !== undefined && now.pid !== before!.pid
  })
  await assert.rejects(start(dataDir), isTaken)
  await postgres.stop()
})

test('a row that the database refuses is not quoted in its log', async () => {
  await using dataDir = await emptyDataDir()
  await using postgres = await start(dataDir)
  await query(postgres, 'create table payers (msisdn text primary key)')
  await assert.rejects(query(postgres, `insert into payers values ('0700000000'), ('0700000000')`), { code: '23505' })
  await postgres.stop()
  const text = await readFile(join(dataDir.path, 'postgres', 'server.log'), 'utf8')
  assert.match(text, /ready to accept connections/)
  assert.doesNotMatch(text, /0700000000/)
})

const needsRoot = process.getuid?.() === 0 && spawnSync('setpriv', ['--version']).status === 0
test('root serves a folder that only root can reach', { skip: !needsRoot && 'needs root and setpriv' }, async () => {
  await using dataDir = await emptyDataDir(0o700)
  await using _postgres = await start(dataDir)
  const pid = await serverPid(dataDir.path)
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  assert.doesNotMatch(status, /^Uid:\s+0\b/m)
  assert.match(status, /^CapEff:\s+0{15}[24]$/m, 'one right of root at most')
})

test('a folder that cannot be used is refused with its name and the reason', async () => {
  await using dataDir = await emptyDataDir()
  const file = join(dataDir.path, '..', 'file')
  await writeFile(file, '')
  await assert.rejects(startEmbeddedPostgres({ dataDir: join(file, 'data'), log, own: true }), (error: Error) => {
    assert.ok(error instanceof EmbeddedPostgresError)
    assert.match(error.message, /^DATA_DIR \(.*file\/data\) cannot be used: a file stands in its path \(ENOTDIR\)\.$/)
    return true
  })
})

function isTaken(error: unknown): boolean {
  return error instanceof EmbeddedPostgresError && /already serves/.test(error.message)
}
