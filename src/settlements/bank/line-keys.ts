import { foldBankReference } from '../../values/bank-reference.ts'
import { comparablePerson } from '../../values/comparable.ts'
import { Msisdn } from '../../values/msisdn.ts'
import type { SettlementRow } from '../settlement.ts'
import type { BankLine } from './read-lines.ts'

// The parts of a line and of a settlement by which the two are found to be of one transfer, as they are compared.

/** Our ids in a text, as banks write them: in capitals, or with the line below taken away. */
function settlementIdsIn(text: string): string[] {
  const found = [...text.matchAll(/(?<![0-9a-z])stl[ _-]?([0-9a-hjkmnp-tv-z]{26})(?![0-9a-z])/gi)]
  return [...new Set(found.map(([, letters]) => `stl_${letters!.toLowerCase()}`))]
}

/** The ids that a line names. */
export function namedIn({ label, reference }: BankLine): string[] {
  return settlementIdsIn(`${label} ${reference ?? ''}`)
}

/** The reference that paid a settlement, as two of them are compared. */
export function referenceOf({ bank_reference }: SettlementRow): string {
  return foldBankReference(bank_reference ?? '')
}

/** Signs of a reference from which on it is no chance that a label has it. */
export const REFERENCE_SURE = 5
/** Words of a reference at most, as those of a label are counted: `VIR-2026-0042` has three. */
const REFERENCE_WORDS_MAX = 8

/** The parts of a label that may be a reference, from the beginning of a word to the end of one, as `bareReference` writes them. */
export function referencesIn(label: string): string[] {
  const words = [...label.matchAll(/[\p{L}\p{N}]+/gu)]
  const parts = words.flatMap((first, at) =>
    words.slice(at, at + REFERENCE_WORDS_MAX).map((last) => label.slice(first.index, last.index + last[0].length)),
  )
  return parts.map((part) => bareReference(foldBankReference(part)))
}

/** A folded reference without its signs: in a label a bank often leaves them out. */
export function bareReference(folded: string): string {
  return folded.replace(/[^\p{L}\p{N}]/gu, '')
}

/** The accounts that a cell may mean, without spaces: as it stands, or the whole number of a wallet. */
export function accountsIn({ account }: BankLine): string[] {
  const e164 = Msisdn.parse(account)?.e164
  return [bareAccount(account), ...(e164 === undefined ? [] : [bareAccount(e164)])].filter((bare) => bare !== '')
}

/** An account without spaces and signs. */
export function bareAccount(text: string): string {
  return text.replace(/[^0-9a-z]/gi, '').toUpperCase()
}

/** A name without accents, case and signs. */
export function foldName(name: string): string {
  return comparablePerson(name)
    .normalize('NFD')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase()
}
