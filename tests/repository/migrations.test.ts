import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readTree, textsOf } from './tree.ts'

/** The first line of a migration, by which a database that has it lets older code run or not. */
const HEADER = /^-- older code: (runs|stops)\n/

/** Whether statements of the code before this clause can fail after it: something they name is gone, or takes less than it did. */
function narrows(clause: string): boolean {
  if (/\b(?:drop|rename)\b|\badd\s+constraint\b|\balter\s+column\s+\S+\s+(?:type|set\s+not\s+null)\b/i.test(clause))
    return true
  return /\badd\b/i.test(clause) && /\bnot\s+null\b/i.test(clause) && !/\bdefault\b/i.test(clause)
}

/** The fault of the first line of a migration. Null: none. */
function problemOf(text: string): string | null {
  const says = HEADER.exec(text)?.[1]
  if (says === undefined) return 'its first line is neither `-- older code: runs` nor `-- older code: stops`'
  const narrowing = text.replaceAll(/--.*$/gm, '').split(/[,;]/).find(narrows)
  return says === 'runs' && narrowing !== undefined ? `it says runs, and has ${narrowing.trim()}` : null
}

test('each migration says whether older code runs on its schema', async () => {
  const files = textsOf(await readTree(), /^migrations\/\d{4}_.*\.sql$/)
  assert.ok(files.length > 20)
  assert.deepEqual(
    files.map(({ path }) => path.slice('migrations/'.length)).filter((file) => file > '0022' && file < '0104'),
    [],
    'numbers of files from before version 1.0.0, by which their databases are known',
  )
  const problems = files.flatMap(({ path, text }) => {
    const problem = problemOf(text)
    return problem === null ? [] : [`${path}: ${problem}`]
  })
  assert.deepEqual(problems, [])
})

const judged: readonly (readonly [string, boolean])[] = [
  ['create table a (b int not null);', true],
  ['alter table a add column b text;', true],
  ["alter table a add column b text not null default 'x';", true],
  ["alter table a add column b text default 'x' not null;", true],
  ['alter table a add column b text not null;', false],
  ['alter table a add b text not null;', false],
  ['alter table a alter column b set not null;', false],
  ['alter table a alter column b type bigint;', false],
  ['alter table a rename column b to c;', false],
  ['alter table a drop column b;', false],
  ['alter table a add constraint c check (b > 0);', false],
  ['drop view a;', false],
  ['-- We drop nothing.\ncreate index a on b (c);', true],
]
for (const [statement, runs] of judged) {
  test(`older code ${runs ? 'may run' : 'stops'} after ${statement}`, () => {
    assert.equal(problemOf(`-- older code: runs\n${statement}\n`) === null, runs)
    assert.equal(problemOf(`-- older code: stops\n${statement}\n`), null)
    assert.notEqual(problemOf(statement), null)
  })
}
