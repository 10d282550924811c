import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { Iban } from './iban.ts'

const example = 'CI93CI0080111301134291200589'

const writings = [
  example,
  'CI93 CI00 8011 1301 1342 9120 0589',
  'ci93ci0080111301134291200589',
  ' Ci93\u00a0cI00\u202f80111301134291200589\t',
]
for (const written of writings) {
  test(`${JSON.stringify(written)} is one account`, () => {
    assert.equal(Iban.parse(written)?.text, example)
  })
}

test('the older form with one letter and 23 digits is an account too', () => {
  // The public registry's example of the older form.
  assert.equal(Iban.parse('CI05 A000 6017 4100 1785 3001 1852')?.text, 'CI05A00060174100178530011852')
})

const refused: [why: string, written: string][] = [
  ['nothing', ''],
  ['a digit less', example.slice(0, -1)],
  ['a digit more', `${example}0`],
  ['a wrong digit', 'CI93CI0080111301134291200588'],
  ['two digits exchanged', 'CI93CI0080111301134291200598'],
  ['wrong check digits', 'CI94CI0080111301134291200589'],
  ['another country', 'FR7630006000011234567890189'],
  ['another country of 28', 'PL61109010140000071219812874'],
  ['letters in the account', 'CI93CI00801113011342912005AB'],
  ['digits only', 'CI93000080111301134291200589'],
  ['dashes', 'CI93-CI00-8011-1301-1342-9120-0589'],
  ['digits of another script', 'CI93CI008011130113429120058９'],
  ['very much', 'CI'.repeat(50_000)],
]
for (const [why, written] of refused) {
  test(`${why} is no account`, () => {
    assert.equal(Iban.parse(written), null)
  })
}

test('one changed letter or digit is always found, and so are check digits that no bank issues', () => {
  for (let at = 2; at < example.length; at += 1) {
    for (const character of '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ') {
      const changed = example.slice(0, at) + character + example.slice(at + 1)
      assert.equal(Iban.parse(changed) !== null, changed === example, changed)
    }
  }
  // For one account in ninety-seven the check digits 00, 01 or 99 have the right remainder as well.
  for (let account = 0; account < 400; account += 1) {
    const bank = `CI${String(account).padStart(22, '0')}`
    const right = Array.from({ length: 100 }, (_, check) => `CI${String(check).padStart(2, '0')}${bank}`)
    assert.equal(right.filter((text) => Iban.parse(text) !== null).length, 1, bank)
  }
})

test('an account prints itself masked in a careless log line', () => {
  const iban = Iban.parse(example)!
  for (const printed of [String(iban), `${iban}`, JSON.stringify({ iban }), inspect(iban), inspect([iban])]) {
    assert.ok(printed.includes('CI******0589'), printed)
    assert.ok(!printed.includes('8011'), printed)
  }
})
