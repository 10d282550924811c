import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NameMatch } from '../port.ts'
import { compareNames } from './compare-names.ts'

const cases: readonly (readonly [written: string, held: string, result: NameMatch, why: string])[] = [
  ['Awa Koné', 'Awa Koné', 'match', 'the same'],
  ['AWA KONE', 'Awa Koné', 'match', 'case and accents'],
  ['Awa Kone\u0301', 'Awa Koné', 'match', 'an accent apart from its letter'],
  ['Koné Awa', 'Awa Koné', 'match', 'the order of parts'],
  ['  Awa   Koné ', 'Awa\tKoné', 'match', 'spaces'],
  ['Ａｗａ Koné', 'Awa Koné', 'match', 'wide letters'],
  ['Mme Awa Koné', 'Awa Koné', 'match', 'a form of address'],
  ['El Hadj Moussa Traoré', 'Moussa Traoré', 'match', 'a title'],
  ['Jean de la Croix Assi', 'Jean Croix Assi', 'match', 'particles'],
  ['Awa Koné épouse Bamba', 'Awa Koné Bamba', 'match', 'how a married name is joined'],
  ['Awa Koné épse Bamba', 'Awa Koné', 'close', 'a married name more'],
  ['N’Guessan Aya', "N'Guessan Aya", 'match', 'two apostrophes'],
  ['NGuessan Aya', 'N’Guessan Aya', 'match', 'no apostrophe'],
  ['N Guessan Aya', 'Aya N’GUESSAN', 'match', 'a space for the apostrophe'],
  ["N'Dri Kouassi", 'Kouassi Ndri', 'match', 'the same of a shorter name'],
  ['Jean-Marie Kouadio', 'Jean Marie Kouadio', 'match', 'a hyphen'],
  ['Jeanmarie Kouadio', 'Jean-Marie Kouadio', 'match', 'written together'],
  ['Œdipe Assi', 'Oedipe Assi', 'match', 'a ligature'],
  ['Awa Koné', 'Awa Mariam Koné', 'match', 'a middle name more'],
  ['Awa Mariam Fatou Koné', 'Koné Awa', 'match', 'middle names fewer, in the other order'],
  ['Awa', 'Awa', 'match', 'one part, and the same'],
  ['De', 'De', 'match', 'a name that is a particle'],
  ['Awa Koné', 'Awa Koné Traoré', 'close', 'a family name more'],
  ['Koné Awa', 'Koné Awa Mariam', 'close', 'a first name more at the end'],
  ['Awa', 'Awa Koné', 'close', 'one part of two'],
  ['Awa Koné', 'Koné', 'close', 'the operator holds one part'],
  ['A. Koné', 'Awa Koné', 'close', 'an initial'],
  ['Awa Koné', 'A Koné', 'close', 'an initial on the other side'],
  ['Koffi Yao', 'Kofi Yao', 'close', 'a double letter'],
  ['Kouaido Jean', 'Kouadio Jean', 'close', 'letters swapped'],
  ['Wattara Moussa', 'Ouattara Moussa', 'close', 'two writings of one sound'],
  ['Kwamé Yao', 'Kouamé Yao', 'close', 'the same within a name'],
  ['Coulibali Issa', 'Coulibaly Issa', 'close', 'another spelling of a long name'],
  ['Awa Mariam Koné', 'Awa Fatou Koné', 'close', 'three parts, one of them another'],
  ['Issa Koné', 'Awa Koné', 'no_match', 'the family name alone'],
  ['Awa Traoré', 'Awa Koné', 'no_match', 'the first name alone'],
  ['Awa Kané', 'Awa Koné', 'no_match', 'a short name differs by a letter'],
  ['Awa Koné', 'Issa Diallo', 'no_match', 'nothing in common'],
  ['Awa Awa', 'Awa Koné', 'no_match', 'a part counts once'],
  ['I. Koné', 'Awa Koné', 'no_match', 'another initial'],
  ['A. K.', 'Awa Koné', 'no_match', 'initials alone'],
  ['Awa K.', 'Koné A.', 'no_match', 'initials against one another'],
  ['---', 'Awa Koné', 'no_match', 'no letter'],
  ['', 'Awa Koné', 'no_match', 'nothing'],
  ['Awa Koné', '', 'unknown', 'the operator holds nothing'],
  ['Awa Koné', 'A*** K***', 'unknown', 'the operator hides all but initials'],
  ['Awa Koné', '***', 'unknown', 'the operator hides everything'],
]

test('a name is compared with the one that an operator holds', () => {
  for (const [written, held, result, why] of cases) assert.equal(compareNames(written, held), result, why)
})

test('a comparison gives the same result in both orders of the names', () => {
  for (const [written, held, result, why] of cases) {
    if (result !== 'unknown' && written.replace(/[^\p{L}]/gu, '').length > 2)
      assert.equal(compareNames(held, written), result, why)
  }
})

test('very long names are compared quickly, and never throw', () => {
  const hostile = ['x'.repeat(100_000), 'ab '.repeat(50_000), '\u0301'.repeat(10_000), '\ud800 Koné', '1 2 3', '‮Awa']
  const began = process.cpuUsage()
  for (const one of hostile) for (const other of hostile) compareNames(one, other)
  assert.ok(process.cpuUsage(began).user < 1_000_000, 'a second of the processor')
})
