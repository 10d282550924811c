import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openTestDatabase } from '../../../tests/harness/database.ts'
import { waitFor } from '../../../tests/harness/wait-for.ts'
import { openDatabase } from './database.ts'
import { isConnectionLost } from './failures.ts'
import { chooseServer, openServers, type Standing } from './servers.ts'

const writes = (timeline: number): Standing => ({ takes_writes: true, timeline })
const follows: Standing = { takes_writes: false, timeline: 0 }

test('of several servers the one is used that takes writes, of two the one promoted last, and never one older than before', () => {
  const cases: [what: string, answers: Record<string, Standing>, before: [string, number], chosen: string | null][] = [
    ['the first look', { one: follows, two: writes(1) }, ['one', 0], 'two'],
    ['all as it was', { one: writes(3), two: follows }, ['one', 3], 'one'],
    ['nobody answers', {}, ['one', 3], null],
    ['nobody was promoted yet', { two: follows }, ['one', 3], null],
    ['the other was promoted', { two: writes(4) }, ['one', 3], 'two'],
    ['the fallen one came back', { one: writes(3), two: writes(4) }, ['two', 4], 'two'],
    ['it came back before we looked', { one: writes(3), two: writes(4) }, ['one', 3], 'two'],
    ['the newer one is away, and the older is back', { one: writes(3) }, ['two', 4], null],
    ['both on one timeline, which nobody should have made', { one: writes(4), two: writes(4) }, ['two', 4], 'two'],
    ['the same at the first look', { one: writes(4), two: writes(4) }, ['three', 0], 'one'],
  ]
  for (const [what, answers, [current, timeline], chosen] of cases) {
    const found = chooseServer(new Map(Object.entries(answers)), { current, timeline })
    assert.equal(found?.server ?? null, chosen, what)
  }
})

test('a pool over several addresses works with the one that answers, though another is written first', async () => {
  await using db = await openTestDatabase()
  const url = new URL(db.url)
  const several = db.url.replace(url.host, `127.0.0.1:1,${url.host}`)
  const sql = openDatabase({ url: several, connections: 2, name: 'test' })
  try {
    const rows = await sql<{ n: number }[]>`select ${1}::int as n`
    assert.equal(rows[0]!.n, 1)
  } finally {
    await sql.end({ timeout: 1 })
  }
})

test('a server that does not take writes is not worked with', async () => {
  await using db = await openTestDatabase()
  const { pathname, host } = new URL(db.url)
  // As a standby does; the test's own connection is open already.
  await db.sql.unsafe(`alter database ${pathname.slice(1)} set default_transaction_read_only = on`)
  const several = db.url.replace(host, `${host},127.0.0.1:1`)
  const servers = openServers(several)
  const sql = openDatabase({ url: servers, connections: 1, name: 'test' })
  try {
    assert.equal(await servers.ready(100), false)
    await assert.rejects(sql`select 1`.then(), isConnectionLost)
  } finally {
    await sql.end({ timeout: 1 })
    await servers.close()
  }
})

test('one server is not followed: nothing is asked of it, and its connections are as they come', async () => {
  const servers = openServers('postgres://one:5433/till')
  assert.equal(servers.current(), 'postgres://one:5433/till')
  assert.equal(servers.admit, null)
  assert.equal(await servers.ready(0), true)
})

test('a connection is given up with its server also while it is still being asked whether it may be used', async () => {
  await using db = await openTestDatabase()
  let tell: (isGone: (server: string) => boolean) => void = () => {}
  let asked = false
  const sql = openDatabase({
    url: {
      ...openServers(db.url),
      // The machine froze in the moment between letting us in and answering: no answer comes.
      async admit(client) {
        asked = true
        await client.query('select pg_sleep(4)')
      },
      onGone(listener) {
        tell = listener
        return () => {}
      },
    },
    connections: 1,
    name: 'test',
  })
  try {
    const outcome = sql`select 1`.then(
      () => 'answered',
      (error) => (isConnectionLost(error) ? 'lost' : error),
    )
    await waitFor(() => asked, { deadline_ms: 5_000 })
    tell((server) => server === db.url)
    assert.equal(await Promise.race([outcome, sleep(2_000, 'it hangs', { ref: false })]), 'lost')
  } finally {
    await sql.end({ timeout: 1 })
  }
})

test('a connection on which a transaction found that it may not write is not kept for the next', async () => {
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
