import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openTestDatabase } from '../../tests/harness/database.ts'
import { comparablePerson, comparableReference } from './comparable.ts'

const E_ACUTE = '\u00e9'
const E_AND_ACUTE = 'e\u0301'

describe('two references are one', () => {
  const pairs: Record<string, [string, string]> = {
    'when a letter is composed in one and not in the other': [`r${E_ACUTE}f`, `r${E_AND_ACUTE}f`],
    'when one has a joiner inside': ['order-1', 'order\u200d-1'],
    'when one ends in a variation selector': ['order-1', 'order-1\ufe0f'],
    'when an invisible character parts a letter from its accent': [E_ACUTE, 'e\u034f\u0301'],
  }
  for (const [name, [one, other]] of Object.entries(pairs)) {
    test(name, () => assert.equal(comparableReference(one), comparableReference(other)))
  }
})

test('two references differ in case, width and spaces', () => {
  assert.equal(new Set(['a 1', 'A 1', 'a1', '\uff41 1'].map(comparableReference)).size, 4)
})

test('a wide letter, a ligature and a Hangul filler do not make a different person', () => {
  assert.equal(comparablePerson('\uff21wa \ufb01\u3164\u034f'), 'Awa fi')
})

/** Every code point except surrogates. */
const points = Array.from({ length: 0x10ffff }, (_, at) => at + 1).filter((point) => point < 0xd800 || point > 0xdfff)

test('the same characters are invisible for the database and for the code', async () => {
  await using db = await openTestDatabase()
  const [row] = await db.sql.begin(async (tx) => {
    // More than a million calls, which on a busy machine take longer than the usual statement timeout.
    await tx`set local statement_timeout = '1min'`
    return tx<{ invisible: number[] }[]>`
      select array_agg(point order by point) as invisible
        from (select generate_series(1, 55295) as point union all select generate_series(57344, 1114111)) as every
       where comparable_reference('e' || chr(point)) = 'e'`
  })
  const invisible = points.filter((point) => /\p{Default_Ignorable_Code_Point}/u.test(String.fromCodePoint(point)))
  assert.ok(invisible.length > 4_000)
  assert.deepEqual(row!.invisible, invisible)
})

test('the database composes and folds as the code does', async () => {
  await using db = await openTestDatabase()
  // Only blocks that every supported server knows; older servers do not know newer versions of Unicode.
  const blocks = [
    [0x21, 0x24f],
    [0x370, 0x3ff],
    [0x600, 0x6ff],
    [0x1e00, 0x20ff],
    [0xac00, 0xacff],
    [0xf900, 0xffef],
  ]
  const inBlocks = points.filter((point) => blocks.some(([first, last]) => point >= first! && point <= last!))
  const written = inBlocks.map((point) => `e${String.fromCodePoint(point)}\u0301`)
  const rows = await db.sql<{ written: string; reference: string; person: string }[]>`
    select written, comparable_reference(written) as reference, comparable_person(written) as person
      from json_array_elements_text(${JSON.stringify(written)}::json) as written`
  assert.equal(rows.length, written.length)
  for (const row of rows) {
    assert.equal(row.reference, comparableReference(row.written))
    assert.equal(row.person, comparablePerson(row.written))
  }
})

test('a comparable text is its own comparable form', () => {
  for (const point of points) {
    const text = `a${String.fromCodePoint(point)}\u0301`
    for (const form of [comparableReference, comparablePerson]) assert.equal(form(form(text)), form(text))
  }
})
