import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import { writeAmount, writeDate, writeNumber } from '../../platform/http/pages/write-values.ts'
import { failureMessages } from '../../values/failure-codes.ts'
import { failureSentences } from './failure-sentences.ts'
import { sayIn } from './say.ts'
import { sentences } from './sentences.ts'

describe('every sentence', () => {
  const all = Object.entries({ ...sentences, ...failureSentences } as Record<string, readonly [string, string]>)

  test('has the same gaps in both languages', () => {
    const gaps = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([gap]) => gap).sort()
    for (const [name, [fr, en]] of all) assert.deepEqual(gaps(fr), gaps(en), name)
  })

  test('differs between the languages', () => {
    const same = all.filter(([, [fr, en]]) => fr === en).map(([name]) => name)
    assert.deepEqual(
      same,
      ['total', 'description', 'date'].filter((name) => same.includes(name)),
    )
  })

  test('is used by a page', async () => {
    const folder = new URL('.', import.meta.url)
    const files = (await readdir(folder)).filter((file) => /(?<!\.test)\.ts$/.test(file) && file !== 'sentences.ts')
    const code = (await Promise.all(files.map((file) => readFile(new URL(file, folder), 'utf8')))).join('\n')
    const unsaid = Object.keys(sentences).filter((name) => !code.includes(`'${name}'`))
    assert.deepEqual(unsaid, [])
  })

  test('of a failure exists for each code', () => {
    assert.deepEqual(Object.keys(failureSentences).sort(), Object.keys(failureMessages).sort())
  })
})

test('sayIn fills gaps with the exact values, and leaves a gap inside a value alone', () => {
  const say = sayIn('fr')
  assert.equal(say('back_to', { merchant: '{merchant} $& <b>' }), 'Retourner chez {merchant} $& <b>')
})

test('French punctuation and numbers do not stand alone on a line', () => {
  assert.equal(sayIn('fr')('test_band'), 'Mode test\u00a0: aucun argent ne bouge.')
  assert.match(sayIn('fr')('number_hint'), /07\u00a000\u00a000\u00a000\u00a000/)
})

const amounts: [number, string][] = [
  [5, '5 F CFA'],
  [500, '500 F CFA'],
  [10_000, '10 000 F CFA'],
  [1_999_999, '1 999 999 F CFA'],
]
for (const [francs, written] of amounts) {
  test(`${francs} is written ${written}, with spaces that do not break`, () => {
    const text = writeAmount(francs)
    assert.equal(text.replace(/[\u202f\u00a0]/g, ' '), written)
    assert.doesNotMatch(text, / /)
  })
}

test('dates are in the time of Abidjan, in any time zone of the server', () => {
  const at = new Date('2026-11-20T23:06:59Z')
  assert.equal(writeDate(at, 'fr'), '20 novembre 2026 à 23:06')
  assert.equal(writeDate(at, 'en'), '20 November 2026 at 23:06')
})

test('a complete number is shown in pairs of digits, and any other text as typed', () => {
  assert.equal(writeNumber('0700000017'), '07 00 00 00 17')
  assert.equal(writeNumber('07-00.00 0017'), '07 00 00 00 17')
  assert.equal(writeNumber('+225 0700000017'), '+225 0700000017')
  assert.equal(writeNumber('07 00'), '07 00')
})
