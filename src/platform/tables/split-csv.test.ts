import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type CsvRow, CsvSplitter } from './split-csv.ts'

/** Splits pieces one after the other. Null: a quotation mark is not closed. */
function rowsOf(pieces: readonly string[]): CsvRow[] | null {
  const splitter = new CsvSplitter(';', 64)
  const rows = pieces.flatMap((piece) => splitter.push(piece) ?? [])
  const last = splitter.end()
  return last === null ? null : [...rows, ...last]
}

test('rows have their cells and the lines on which they begin', () => {
  const text = 'a;b\r\n"c;""d""\n";e\r\rf\n;'
  assert.deepEqual(rowsOf([text]), [
    { line: 1, cells: ['a', 'b'] },
    { line: 2, cells: ['c;"d"\n', 'e'] },
    { line: 4, cells: [''] },
    { line: 5, cells: ['f'] },
    { line: 6, cells: ['', ''] },
  ])
  assert.equal(rowsOf(['a;"b\nc;d']), null)
})

test('any split of a text gives the same rows', () => {
  const text = fc
    .array(fc.constantFrom('a', ';', '"', '\r', '\n', 'é'), { maxLength: 40 })
    .map((signs) => signs.join(''))
  fc.assert(
    fc.property(text, fc.array(fc.nat(40), { maxLength: 8 }), (whole, cuts) => {
      const at = [
        0,
        ...cuts.map((cut) => Math.min(cut, whole.length)).toSorted((one, other) => one - other),
        whole.length,
      ]
      const pieces = at.slice(1).map((end, nth) => whole.slice(at[nth], end))
      assert.deepEqual(rowsOf(pieces), rowsOf([whole]))
    }),
    { numRuns: 3_000 },
  )
})
