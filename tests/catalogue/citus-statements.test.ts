import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { test } from 'node:test'

// Forms of statements that the planner of Citus refuses on distributed tables, or executes wrongly, as trials showed (docs/scaling.md). A plain
// server allows them all, so these tests keep them out of the code.

/** The forms that a statement may not have. */
const forms: Record<string, (text: string) => boolean> = {
  /** An `insert` in a `with`: Citus executes it separately, and reads its rows in another format than it wrote them. */
  'an insert within a with': (text) => /^\s*with\b/.test(text) && /\binsert into\b/.test(text),
  /** A call of the clock inside `case` or `coalesce` in an update's `set`: it is allowed only as a value of a row or in a subquery. */
  'the time in a case': (text) =>
    [...text.matchAll(/\bset\b([\s\S]*?)\n\s*(?:from|where)\b/g)].some(([, set = '']) =>
      /\b(case\b(?:(?!\bend\b)[\s\S])*|coalesce\([^()]*)(?<!select )clock_now\(\)/.test(set),
    ),
  /** A call of the clock in `on conflict do update`: use the time of the row to insert. */
  'the time where a row stands already': (text) => /\bdo update\s+set\b[\s\S]*clock_now\(\)/.test(text),
  /** An `exists` with an empty list of columns. */
  'exists of no columns': (text) => /^\s*select exists \(\s*select from\b/.test(text),
  /** A cast to a time of a given row's column in an update: with the name of its table's column it already is a time. */
  'a text turned into a time': (text) => /^\s*update\b/.test(text) && /\b\w\.\w+::timestamptz/.test(text),
  /** A second table joined by hand in a statement that locks rows: only `sameRow` gives each table the merchant as a value. */
  'merchants compared by hand where rows are locked': (text) =>
    /\bfor (no key )?update\b/.test(text) &&
    /(\bon|\bexists \(\s*select\s+from \w+ \w+\s+where) \(\w+\.merchant_id, \w+\.livemode/.test(text),
  /** Rows by a list of keys without their merchant, in a lock or an update: Citus asks every machine, and locks on none. */
  'keys without their merchant': (text) => {
    // A reference table is whole on each machine, so any key finds its rows.
    if (/^\s*update operator_references\b/.test(text)) return false
    if (/^\s*insert into/.test(text) || !/json_to_recordset|\bunnest\(|\$\{given\(/.test(text)) return false
    if (!/\b(join|update|exists)\b/.test(text)) return false
    const places = text.match(/\n\s*update \w+|\bfor (no key )?update\b/g)?.length ?? 0
    const named = text.match(/sameRow\(|matching\(|merchant_id = \$\{/g)?.length ?? 0
    return named < Math.max(1, places)
  },
}

/**
 * Files about tables on the coordinator, where everything is allowed, or about reference tables, and files that write parts of statements for
 * all others.
 */
const elsewhere =
  /^src\/(platform\/queue\/|platform\/postgres\/(driver\/|rows|record-transitions)|operators\/\w+\/(outbox|callback|number|weather)-store|statement-files\/import\/\w+-store|reconciliation\/differences\/absence-store|people\/notices\/settings-store)/

async function statements(): Promise<{ file: string; text: string }[]> {
  const names = (await readdir('src', { recursive: true })).filter((name) => /(?<!\.test)\.ts$/.test(name))
  const files = names.map((name) => `src/${name}`).filter((file) => !elsewhere.test(file))
  const found = files.sort().map(async (file) => {
    // Column names are templates inside the template of a statement.
    const source = (await readFile(file, 'utf8')).replaceAll(/`\w+\.\$\{column\}`/g, 'column')
    return [...source.matchAll(/`((?:[^`\\]|\\.)*)`/g)].map(([, text = '']) => ({ file, text }))
  })
  return (await Promise.all(found)).flat()
}

test('no statement has a form that Citus refuses', async () => {
  const read = await statements()
  assert.ok(
    read.filter(({ text }) => /\b(sameRow|matching)\(/.test(text)).length > 20,
    'the statements are found at all',
  )
  const refused = read.flatMap(({ file, text }) =>
    Object.entries(forms).flatMap(([form, has]) =>
      has(text) ? [`${file}: ${form}: ${text.trim().slice(0, 80)}`] : [],
    ),
  )
  assert.deepEqual(refused, [])
})

test('no migration renames the column of a view, because Citus keeps the former name on its machines', async () => {
  const names = (await readdir('migrations')).filter((name) => /^\d.*\.sql$/.test(name))
  assert.ok(names.length > 10, 'the migrations are found at all')
  for (const name of names) {
    assert.doesNotMatch(await readFile(`migrations/${name}`, 'utf8'), /alter view \w+ rename column/, name)
  }
})
