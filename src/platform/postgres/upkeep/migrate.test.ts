import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
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

/** Files that a newer version has applied, with what they say about older code. Null: the column of a version that did not keep it. */
const newer: { says: readonly ('runs' | 'stops')[] | null; stops: RegExp | null }[] = [
  { says: ['runs'], stops: null },
  { says: ['runs', 'runs', 'runs'], stops: null },
  { says: ['stops'], stops: /9000_later\.sql, with which older code stops/ },
  { says: ['runs', 'stops'], stops: /9001_later\.sql/ },
  { says: ['stops', 'runs'], stops: /9000_later\.sql/ },
  { says: null, stops: /9000_later\.sql/ },
]
for (const { says, stops } of newer) {
  const files = says?.join(', ') ?? 'nothing'
  test(`code ${stops === null ? 'runs' : 'does not run'} on a newer database whose unknown files say ${files}`, async () => {
    await using empty = await createEmptyDatabase()
    const sql = empty.open()
    await migrate(empty.url, null, example)
    if (says === null) await sql`alter table schema_migrations drop column older_code`
    for (const [at, older_code] of (says ?? [null]).entries()) {
      const row = { file: `900${at}_later.sql`, checksum: 'x', ...(older_code === null ? {} : { older_code }) }
      await sql.copy('schema_migrations', [row])
    }
    const again = migrate(empty.url, null, example)
    if (stops === null) assert.deepEqual(await again, [])
    else await assert.rejects(again, stops)
  })
}

test('a database of a version whose migrations were merged since is refused, and stays as it was', async () => {
  await using empty = await createEmptyDatabase()
  const sql = empty.open()
  await migrate(empty.url)
  for (const older_code of ['stops', 'runs']) {
    await sql`delete from schema_migrations where file > '0002'`
    await sql.copy('schema_migrations', [{ file: '0103_begin_of_backups.sql', checksum: 'x', older_code }])
    const sentence =
      /A development version before 1\.0\.0 made this database: it has 0103_begin_of_backups\.sql, .*Make a new database\.$/
    await assert.rejects(migrate(empty.url), sentence)
    const [{ count } = { count: 0 }] = await sql<
      { count: number }[]
    >`select count(*)::int as count from schema_migrations`
    assert.equal(count, 2)
  }
})

/** First lines of a file, and what it says about older code. */
const headers = [
  ['-- older code: runs\n', 'runs'],
  ['-- older code: stops\n', 'stops'],
  ['-- A table.\n--\n-- older code: runs\n', 'runs'],
  ['\n-- older code: runs\n\n', 'runs'],
  ['-- A table.\n', 'stops'],
  ['-- older code: walks\n', 'stops'],
  ['-- Older code: runs\n', 'stops'],
  ['create table b (id int); -- older code: runs\n', 'stops'],
  ['create table b (id int);\n-- older code: runs\n', 'stops'],
] as const
for (const [first, kept] of headers) {
  test(`a file that begins with ${JSON.stringify(first)} is kept as one with which older code ${kept}`, async () => {
    await using empty = await createEmptyDatabase()
    await using folder = await folderWith({ '0001_first.sql': `${first}create table orders (id int);\n` })
    await migrate(empty.url, null, folder.url)
    const rows = await empty.open()`select older_code from schema_migrations`
    assert.deepEqual(rows, [{ older_code: kept }])
  })
}

test('a file that an earlier version applied may say later what older code does, and nothing else', async () => {
  await using empty = await createEmptyDatabase()
  const text = '-- Orders.\ncreate table orders (id int);\n'
  await using silent = await folderWith({ '0001_orders.sql': text })
  await migrate(empty.url, null, silent.url)
  for (const line of ['-- older code: runs\n', '-- older code: stops\n\n']) {
    await using telling = await folderWith({ '0001_orders.sql': line + text })
    assert.deepEqual(await migrate(empty.url, null, telling.url), [])
  }
  await using other = await folderWith({ '0001_orders.sql': `-- older code: runs\n-- Now more orders.\n${text}` })
  await assert.rejects(migrate(empty.url, null, other.url), /0001_orders\.sql was changed after it was applied/)
})

/** A folder of migrations. */
async function folderWith(files: Record<string, string>) {
  const path = await mkdtemp(join(tmpdir(), 'bandama-migrations-'))
  for (const [name, text] of Object.entries(files)) await writeFile(join(path, name), text)
  return {
    url: pathToFileURL(`${path}/`),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true }),
  }
}

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
