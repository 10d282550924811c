import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { openTestDatabase } from '../../../../tests/harness/database.ts'
import { openDatabase } from '../database.ts'
import { checkConnection, DatabaseUnreachableError } from './check-connection.ts'

/** Less than the driver's own patience, so that it is seen which of the two ended the wait. */
const PATIENCE_MS = 1_000

/** Something that is no database, takes connections, and does the same with each. */
async function stranger(meet: (socket: Socket) => void) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    meet(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** The complaint about the database at this address. */
async function complaint(url: string, timeout_ms = PATIENCE_MS): Promise<string> {
  const sql = openDatabase({ url, connections: 1, name: 'reach' })
  try {
    const error = await checkConnection(sql, url, timeout_ms).then(() => assert.fail('it was reached'), String)
    assert.doesNotMatch(error, /cashier|hunter2|till/)
    return error.replace(`${DatabaseUnreachableError.name}: `, '')
  } finally {
    await sql.end({ timeout: 1 })
  }
}

test('a database that answers is reached', async () => {
  await using db = await openTestDatabase()
  await checkConnection(db.sql, db.url)
})

test('the error names an address where nothing listens', async () => {
  assert.equal(
    await complaint('postgres://cashier:hunter2@127.0.0.1:1/till'),
    'The database at 127.0.0.1:1 cannot be reached.',
  )
})

test('the error names an unknown host with the usual port', async () => {
  const said = await complaint('postgres://cashier:hunter2@database.invalid/till')
  assert.equal(said, 'The database at database.invalid:5432 cannot be reached.')
})

for (const [what, meet] of [
  ['never answers', () => {}],
  ['drops every connection', (socket: Socket) => socket.end()],
] as const) {
  test(`a server that ${what} is given up`, async () => {
    await using server = await stranger(meet)
    const said = await complaint(`postgres://cashier:hunter2@${server.address}/till`)
    assert.equal(said, `The database at ${server.address} cannot be reached.`)
  })
}

test('a server without this database is reported as such', async () => {
  const url = new URL(process.env.TEST_DATABASE_URL!)
  url.pathname = '/till'
  assert.match(await complaint(url.href, 10_000), /^The database at \S+ has no database of this name\.$/)
})
