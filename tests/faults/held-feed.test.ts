import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClock } from '../../src/platform/clock.ts'
import { createLog } from '../../src/platform/log.ts'
import { openDatabase, type Sql } from '../../src/platform/postgres/database.ts'
import { startEmbeddedPostgres } from '../../src/platform/postgres/embedded/start.ts'
import { migrate } from '../../src/platform/postgres/upkeep/migrate.ts'
import { emitEvents } from '../../src/webhooks/emit.ts'
import { eventTypes } from '../../src/webhooks/event-types.ts'
import { JOIN_EPOCH } from '../../src/webhooks/feed/epoch-store.ts'
import { type FeedPage, type ReadFrom, readFeed } from '../../src/webhooks/feed/read-feed.ts'
import { payments } from '../harness/webhooks.ts'
import { emptyDataDir } from './data-dir.ts'

const log = createLog('silent', 'test')
const clock = createClock()
const tenant = { merchant_id: 1, livemode: false }

async function emit(sql: Sql): Promise<string> {
  const [id] = await sql.begin((tx) => emitEvents(tx, payments(tenant, 1), clock.now()))
  return id!
}

async function read(sql: Sql, from: ReadFrom): Promise<FeedPage> {
  const page = await readFeed(sql, { tenant, from, types: eventTypes, subject_id: null, limit: 100 })
  assert.equal(page.kind, 'page')
  return page as FeedPage
}

const idsOf = ({ events }: FeedPage) => events.map(({ place }) => place.id)

test('a restart loses nothing and tells nobody of a restore, and a prepared transaction holds the feed across it', {
  timeout: 120_000,
}, async () => {
  await using folder = await emptyDataDir()
  // PostgreSQL prepares no transactions unless its administrator wants it.
  const options = { dataDir: folder.path, log, own: true, settings: { max_prepared_transactions: '2' } }
  let postgres = await startEmbeddedPostgres(options)
  await using _postgres = { [Symbol.asyncDispose]: () => postgres.stop() }
  await migrate(postgres.url.reveal())
  const open = () => openDatabase({ url: postgres.url.reveal(), connections: 2, name: 'test', greeting: JOIN_EPOCH })

  let sql = open()
  const ids = [await emit(sql), await emit(sql)]
  const { next } = await read(sql, 'beginning')
  const late = 'evt_00000000000000000000000000'
  await sql.unsafe(`
    begin;
    insert into events (merchant_id, livemode, id, type, subject_id, body) values (1, false, '${late}', 'payment.failed', 'txn_1', '{}');
    prepare transaction 'late'`)
  const behind = await emit(sql)
  assert.deepEqual(idsOf(await read(sql, next)), [])
  await sql.end()

  await postgres.stop()
  postgres = await startEmbeddedPostgres(options)
  sql = open()
  const after = await emit(sql)
  const held = await read(sql, next)
  assert.deepEqual([idsOf(held), held.next, held.restored_at], [[], next, null])
  await sql.unsafe(`commit prepared 'late'`)
  const page = await read(sql, next)
  assert.deepEqual([idsOf(page), page.restored_at], [[late, behind, after], null])
  assert.deepEqual(idsOf(await read(sql, 'beginning')), [...ids, late, behind, after])
  const epochs = await sql`select epoch from feed_epochs`
  assert.equal(epochs.length, 2)
  await sql.end()
})
