import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { test } from 'node:test'

// Forms of statements that the planner of Citus refuses on distributed tables, or carries out wrongly, as it was found by trial
// (docs/scaling.md). None is in the code, and none comes back unseen on a plain server, where all of them are allowed.

/** The forms that a statement may not have. */
const forms: Record<string, (text: string) => boolean> = {
  /** An `insert` in a `with`: carried out apart, and what it is to insert is read back in another format than it was written in. */
  'an insert within a with': (text) => /^\s*with\b/.test(text) && /\binsert into\b/.test(text),
  /** The time asked for inside `case` or `coalesce` in what an update sets: only as a value of a row, or of a subquery. */
  'the time in a case': (text) =>
    [...text.matchAll(/\bset\b([\s\S]*?)\n\s*(?:from|where)\b/g)].some(([, set = '']) =>
      /\b(case\b(?:(?!\bend\b)[\s\S])*|coalesce\([^()]*)(?<!select )clock_now\(\)/.test(set),
    ),
  /** The time asked for where a row stands already: it takes the one of the row that was to be inserted. */
  'the time where a row stands already': (text) => /\bdo update\s+set\b[\s\S]*clock_now\(\)/.test(text),
  /** Whether any machine has such a row, asked with a list of no columns. */
  'exists of no columns': (text) => /^\s*select exists \(\s*select from\b/.test(text),
  /** A column of the given rows turned into a time by an update: the rows have it as a time where it bears its column's name. */
  'a text turned into a time': (text) => /^\s*update\b/.test(text) && /\b\w\.\w+::timestamptz/.test(text),
  /** A second table joined or looked into by hand where rows are locked: only `sameRow` names the merchant to each table by its value. */
  'merchants compared by hand where rows are locked': (text) =>
    /\bfor (no key )?update\b/.test(text) &&
    /(\bon|\bexists \(\s*select\s+from \w+ \w+\s+where) \(\w+\.merchant_id, \w+\.livemode/.test(text),
  /** Rows found by a list of keys without their merchant beside it, at each lock and update: asked of every machine, locked on none. */
  'keys without their merchant': (text) => {
    // A table that is whole on each machine: its rows are found by any key.
    if (/^\s*update operator_references\b/.test(text)) return false
    if (/^\s*insert into/.test(text) || !/json_to_recordset|\bunnest\(|\$\{given\(/.test(text)) return false
    if (!/\b(join|update|exists)\b/.test(text)) return false
    const places = text.match(/\n\s*update \w+|\bfor (no key )?update\b/g)?.length ?? 0
    const named = text.match(/sameRow\(|matching\(|merchant_id = \$\{/g)?.length ?? 0
    return named < Math.max(1, places)
  },
}

/**
 * Files about tables that stay on the coordinator, where everything is allowed, or are whole on each machine; and those that write
 * parts of statements for all others.
 */
const elsewhere =
  /^src\/(platform\/queue\/|platform\/postgres\/(driver\/|rows|record-transitions)|operators\/\w+\/(outbox|callback|number|weather)-store)/

async function statements(): Promise<{ file: string; text: string }[]> {
  const names = (await readdir('src', { recursive: true })).filter((name) => /(?<!\.test)\.ts$/.test(name))
  const files = names.map((name) => `src/${name}`).filter((file) => !elsewhere.test(file))
  const found = files.sort().map(async (file) => {
    // Names of columns are templates within the template of a statement.
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

test('no migration renames the column of a view: Citus goes on telling its machines the former name', async () => {
  const names = (await readdir('migrations')).filter((name) => /^\d.*\.sql$/.test(name))
  assert.ok(names.length > 10, 'the migrations are found at all')
  for (const name of names) {
    assert.doesNotMatch(await readFile(`migrations/${name}`, 'utf8'), /alter view \w+ rename column/, name)
  }
})
