import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../../tests/harness/database.ts'
import { openDatabase } from './database.ts'
import { PostgresError } from './failures.ts'
import { createLaggingReads } from './lagging-reads.ts'

// What becomes of a read when there is no standby to speak of. With a real one: tests/cluster/read-replica.test.ts.

function openReads(db: TestDatabase, standby: string, primary = db.sql) {
  const opened: string[] = []
  const { reads, end } = createLaggingReads({
    primary,
    openStandby() {
      opened.push(standby)
      return openDatabase({ url: standby, connections: 1, name: 'standby' })
    },
    lag_max_ms: 50,
    log: null,
  })
  return { reads, opened, [Symbol.asyncDispose]: end }
}

/** Something that takes connections and says nothing. */
async function startMute() {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => sockets.add(socket.on('error', () => {}))).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

test('what cannot be reached, is no standby or says nothing is not read: the primary answers, the same and soon', async () => {
  await using db = await openTestDatabase()
  await using mute = await startMute()
  const places = {
    nobody: 'postgres://postgres@127.0.0.1:1/none',
    'the primary itself': db.url,
    'one that says nothing': `postgres://postgres@127.0.0.1:${mute.port}/none`,
  }
  for (const [what, standby] of Object.entries(places)) {
    await using standing = openReads(db, standby)
    const { reads } = standing
    const began = performance.now()
    const more = reads`and n < ${4}`
    const read = () =>
      reads<{ n: number }[]>`select ${reads(['n'])} from generate_series(1, 9) n where n > ${2} ${more}`
    const rows = await Promise.all([read(), read(), read()])
    assert.deepEqual(
      rows.map((some) => [...some, some.count]),
      Array.from({ length: 3 }, () => [{ n: 3 }, 1]),
      what,
    )
    assert.ok(performance.now() - began < 3_000, `${what}: ${performance.now() - began} ms`)
    await read()
    if (what === 'one that says nothing') assert.equal(standing.opened.length, 2, 'what hangs is closed')
  }
})

test('a statement that is wrong is refused as the primary refuses it', async () => {
  await using db = await openTestDatabase()
  await using standing = openReads(db, 'postgres://postgres@127.0.0.1:1/none')
  const refused = standing.reads`select from nowhere`.then()
  await assert.rejects(refused, (error) => error instanceof PostgresError && error.code === '42P01')
})

test('that the primary is slow is not held against the standby', async () => {
  await using db = await openTestDatabase()
  const primary = openDatabase({ url: db.url, connections: 1, name: 'busy' })
  await using standing = openReads(db, db.url, primary)
  const busy = primary`select pg_sleep(1)`.then()
  const [row] = await standing.reads<{ n: number }[]>`select ${1}::int as n`
  assert.equal(row!.n, 1)
  assert.equal(standing.opened.length, 1, 'its connections, and what is read on them, are left alone')
  await busy
  await primary.end()
})
