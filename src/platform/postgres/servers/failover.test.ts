import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestDatabase } from '../../../../tests/harness/database.ts'
import { waitFor } from '../../../../tests/harness/wait-for.ts'
import { openDatabase } from '../database.ts'
import { isConnectionLost, READ_ONLY } from '../failures.ts'
import { checkConnection } from './check-connection.ts'
import { addressOf, asksForWrites, openSession, serversIn } from './failover.ts'

test('a URL of several servers is one URL for each, with the same caller, database and options', () => {
  const cases: [url: string, servers: string[]][] = [
    ['postgres://one/till', ['postgres://one/till']],
    ['postgres://one:5433,two/till', ['postgres://one:5433/till', 'postgres://two/till']],
    [
      'postgresql://cashier:a%40b@one:5432,two:5433/till?target_session_attrs=read-write&sslmode=require',
      [
        'postgresql://cashier:a%40b@one:5432/till?sslmode=require',
        'postgresql://cashier:a%40b@two:5433/till?sslmode=require',
      ],
    ],
    [
      'postgres://[::1]:5432,[2001:db8::2]:5433/till',
      ['postgres://[::1]:5432/till', 'postgres://[2001:db8::2]:5433/till'],
    ],
    ['postgres:///till?host=/run/postgresql', ['postgres:///till?host=%2Frun%2Fpostgresql']],
  ]
  for (const [url, servers] of cases) assert.deepEqual(serversIn(url), servers, url)
})

test('a text that is no address is refused', () => {
  for (const url of ['postgres://one:x/till', 'postgres://one:5432,two:y/till', 'postgres://one two/till']) {
    assert.throws(() => serversIn(url), TypeError, url)
  }
})

test('a URL may ask for servers that take writes, and for no other kind', () => {
  for (const asked of ['', '?target_session_attrs=read-write', '?sslmode=require&target_session_attrs=primary']) {
    assert.ok(asksForWrites(`postgres://one,two/till${asked}`), asked)
  }
  for (const asked of ['any', 'standby', 'read-only', 'prefer-standby']) {
    assert.ok(!asksForWrites(`postgres://one,two/till?target_session_attrs=${asked}`), asked)
  }
})

test('an address in a message names the servers, and neither user nor database', () => {
  assert.equal(addressOf('postgres://cashier:hunter2@one,two:5433/till'), 'one:5432, two:5433')
  assert.equal(addressOf('postgres://cashier:hunter2@[::1]/till'), '[::1]:5432')
  assert.equal(addressOf('postgres:///till?host=/run/postgresql'), '/run/postgresql')
})

/** The address of a database of the tests with another server written before or behind it. */
function beside(url: string, other: { before?: string; behind?: string }): string {
  const { host } = new URL(url)
  return url.replace(host, [other.before, host, other.behind].filter(Boolean).join(','))
}

test('the servers are tried in order, and one that does not answer is passed over, by a pool and by a session', async () => {
  await using db = await openTestDatabase()
  const url = beside(db.url, { before: '127.0.0.1:1' })
  const sql = openDatabase({ url, connections: 2, name: 'test' })
  try {
    assert.equal((await sql`select`).count, 1)
    const session = await openSession(url, {})
    await session.query('select')
    await session.end()
  } finally {
    await sql.end({ timeout: 1 })
  }
})

test('a server that takes no writes is not used, and the error says that no other was found', async () => {
  await using db = await openTestDatabase()
  const { pathname } = new URL(db.url)
  // As a standby does; the test's own connection is open already.
  await db.sql.unsafe(`alter database ${pathname.slice(1)} set default_transaction_read_only = on`)
  const url = beside(db.url, { before: '127.0.0.1:1' })
  const sql = openDatabase({ url, connections: 1, name: 'test' })
  try {
    await assert.rejects(sql`select 1`.then(), isConnectionLost)
    await assert.rejects(checkConnection(sql, url), /has no server that takes writes\.$/)
    await assert.rejects(openSession(url, {}), { code: READ_ONLY })
  } finally {
    await sql.end({ timeout: 1 })
  }
})

test('all connections to a silent server are closed, and the next server is used', async () => {
  await using db = await openTestDatabase()
  const { port } = new URL(db.url)
  const url = beside(db.url, { behind: `localhost:${port}` })
  const sql = openDatabase({ url, connections: 2, name: 'test', answer_ms: 2_000 })
  const pid = async () => (await sql<{ pid: number }[]>`select pg_backend_pid() as pid`)[0]!.pid
  try {
    const [one, two] = await Promise.all([pid(), pid()])
    await assert.rejects(sql`select pg_sleep(4)`.then(), isConnectionLost)
    // A connection that was cut may be handed out once more.
    const afterwards = await waitFor(() => Promise.all([pid(), pid()]).catch(() => null))
    assert.ok(!afterwards.includes(one) && !afterwards.includes(two))
  } finally {
    await sql.end({ timeout: 1 })
  }
})

test('a connection to a server that refuses writes is not reused', async () => {
  await using db = await openTestDatabase()
  const name = new URL(db.url).pathname.slice(1)
  await db.sql`create table notes (n int)`
  await db.sql.unsafe(`alter database ${name} set default_transaction_read_only = on`)
  const sql = openDatabase({ url: db.url, connections: 1, name: 'test' })
  const write = () => sql.begin((tx) => tx`insert into notes values (1)`)
  try {
    await assert.rejects(write(), isConnectionLost)
    await db.sql.unsafe(`alter database ${name} reset default_transaction_read_only`)
    // The session before would go on refusing for as long as it lived.
    await write()
  } finally {
    await sql.end({ timeout: 1 })
  }
})
