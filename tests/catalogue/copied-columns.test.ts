import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { after, test } from 'node:test'
import { openTestDatabase } from '../harness/database.ts'

// COPY's binary format has no types: a time declared as a whole number of eight bytes would be taken for one. This test reads each
// store's declarations from its source and compares them with the table.

const db = await openTestDatabase()
after(() => db[Symbol.asyncDispose]())

type Declared = { at: string; table: string; column: string; type: string }

/** The columns that a file copies, as it declares them: by name of a constant of its own, or in place. */
function declaredIn(file: string, source: string): Declared[] {
  const constants = new Map(
    Array.from(source.matchAll(/const (\w+) = (\{[^}]*\}) as const/g), ([, name, body]) => [name!, body!]),
  )
  const columnsOf = (body: string): [column: string, type: string][] =>
    Array.from(body.matchAll(/\.\.\.(\w+)|(\w+): '(\w+)'/g)).flatMap(([, spread, column, type]) =>
      spread === undefined ? [[column!, type!]] : columnsOf(constants.get(spread) ?? ''),
    )
  const names = new Map(Array.from(source.matchAll(/const (\w+) = '(\w+)'/g), ([, name, text]) => [name!, text!]))
  const copies = Array.from(source.matchAll(/\.copy\(('\w+'|\w+), (\w+|\{[^}]*\}),/g)).filter(
    ([, table]) => table!.startsWith("'") || names.has(table!),
  )
  assert.equal(
    copies.length,
    source.match(/\b(db|sql|tx)\.copy\(/g)?.length ?? 0,
    `${file}: a copy that is not understood`,
  )
  return copies.flatMap(([, table, given]) => {
    const columns = columnsOf(given!.startsWith('{') ? given! : (constants.get(given!) ?? ''))
    assert.ok(columns.length > 0, `${file}: nothing is known of ${given}`)
    const named = table!.startsWith("'") ? table!.slice(1, -1) : names.get(table!)!
    return columns.map(([column, type]) => ({ at: file, table: named, column, type }))
  })
}

test('copied columns are declared with the types of their table', async () => {
  const declared: Declared[] = []
  for await (const file of glob('src/**/*.ts')) {
    if (file.endsWith('.test.ts')) continue
    declared.push(...declaredIn(file, await readFile(file, 'utf8')))
  }
  assert.ok(new Set(declared.map(({ table }) => table)).size > 10, 'copies are found where they are')
  const rows = await db.sql<{ table: string; column: string; type: string }[]>`
    select c.relname as table, a.attname as column, format_type(a.atttypid, null) as type
      from pg_attribute a
      join pg_class c on c.oid = a.attrelid
     where c.relnamespace = 'public'::regnamespace and a.attnum > 0 and not a.attisdropped`
  const types = new Map(rows.map(({ table, column, type }) => [`${table}.${column}`, type]))
  const wrong = declared.filter(({ table, column, type }) => {
    const known = types.get(`${table}.${column}`)
    return known !== (type === 'timestamptz' ? 'timestamp with time zone' : type)
  })
  assert.deepEqual(wrong, [])
})
