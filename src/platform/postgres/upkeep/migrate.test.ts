import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createEmptyDatabase } from '../../../../tests/harness/database.ts'
import { createDatabaseBefore, example } from '../../../../tests/harness/example-migrations.ts'
import { hold } from '../../../../tests/harness/hold.ts'
import { waitFor } from '../../../../tests/harness/wait-for.ts'
import { migrate } from './migrate.ts'

test('processes that start at once apply each migration once, and all of them go on', async () => {
  await using empty = await createEmptyDatabase()
  const applied = (await Promise.all(Array.from({ length: 5 }, () => migrate(empty.url)))).flat()
  assert.equal(new Set(applied).size, applied.length)
  const sql = empty.open()
  const rows = await sql<{ file: string }[]>`select file from schema_migrations order by file`
  assert.deepEqual(
    rows.map(({ file }) => file),
    applied.toSorted(),
  )
  assert.deepEqual(await migrate(empty.url), [])
})

test('a migration that was changed after it was applied is refused', async () => {
  await using empty = await createEmptyDatabase()
  const sql = empty.open()
  await migrate(empty.url, null, example)
  await sql`update schema_migrations set checksum = 'other' where file = '0001_orders.sql'`
  await assert.rejects(migrate(empty.url, null, example), /0001_orders\.sql was changed after it was applied/)
})

test('a database that is newer than the code is refused', async () => {
  await using empty = await createEmptyDatabase()
  const sql = empty.open()
  await migrate(empty.url, null, example)
  await sql`insert into schema_migrations (file, checksum) values ('9999_later.sql', 'x')`
  await assert.rejects(migrate(empty.url, null, example), /newer than this code: it has 9999_later\.sql/)
})

test('a migration that waits for a lock gives it up every half second, so that nobody queues behind it for longer', async () => {
  await using old = await createDatabaseBefore('0003_')
  const [holder, reader] = [old.open(), old.open()]
  await using held = await hold(holder, (tx) => tx`lock table orders in row exclusive mode`)
  const migrating = migrate(old.url, null, example)
  const begun = new Set<number>()
  await waitFor(
    async () => {
      const waits = await reader<{ waitstart: Date | null }[]>`
        select waitstart from pg_locks
         where relation = 'orders'::regclass and not granted
           and database = (select oid from pg_database where datname = current_database())`
      for (const { waitstart } of waits) if (waitstart !== null) begun.add(waitstart.getTime())
      return begun.size >= 3
    },
    { what: 'a third wait' },
  )
  const [first, second] = [...begun]
  assert.ok(second! - first! >= 500 && second! - first! < 5_000, `a wait of ${second! - first!} ms`)
  await held.letGo()
  assert.deepEqual(await migrating, ['0003_orders_by_id.sql', '0004_moves_hold.sql'])
})
