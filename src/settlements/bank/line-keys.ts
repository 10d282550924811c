import { foldBankReference } from '../../values/bank-reference.ts'
import { comparablePerson } from '../../values/comparable.ts'
import { Msisdn } from '../../values/msisdn.ts'
import type { SettlementRow } from '../settlement.ts'
import type { BankLine } from './read-lines.ts'

// The parts of a line and of a settlement that are compared to find a settlement's transfer.

/** Finds our ids in a text, also in capitals or without the underscore, as banks write them. */
function settlementIdsIn(text: string): string[] {
  const found = [...text.matchAll(/(?<![0-9a-z])stl[ _-]?([0-9a-hjkmnp-tv-z]{26})(?![0-9a-z])/gi)]
  return [...new Set(found.map(([, letters]) => `stl_${letters!.toLowerCase()}`))]
}

/** Returns the settlement ids that a line names. */
export function namedIn({ label, reference }: BankLine): string[] {
  return settlementIdsIn(`${label} ${reference ?? ''}`)
}

/**
 * Returns the beginnings of our ids that a line names without their ends, which banks cut off or part: at least 14 characters, of which ten say
 * the time of the id to the millisecond.
 */
export function begunIn({ label, reference }: BankLine): string[] {
  const text = `${label} ${reference ?? ''}`
  const found = [...text.matchAll(/(?<![0-9a-z])stl[ _-]?([0-9a-hjkmnp-tv-z]{10,25})(?![0-9a-z])/gi)]
  return [...new Set(found.map(([, letters]) => `stl_${letters!.toLowerCase()}`))]
}

/** Returns the bank reference of a settlement in the form in which references are compared. Empty when it has none. */
export function referenceOf({ bank_reference }: SettlementRow): string {
  return foldBankReference(bank_reference ?? '')
}

/** The fewest characters of a reference whose occurrence in a label is no coincidence. */
export const REFERENCE_SURE = 5
/** The most words of a reference: `VIR-2026-0042` has three. */
const REFERENCE_WORDS_MAX = 8

/** Returns the sequences of words in a label that may be a reference, in the form of `bareReference`. */
export function referencesIn(label: string): string[] {
  const words = [...label.matchAll(/[\p{L}\p{N}]+/gu)]
  const parts = words.flatMap((first, at) =>
    words.slice(at, at + REFERENCE_WORDS_MAX).map((last) => label.slice(first.index, last.index + last[0].length)),
  )
  return parts.map((part) => bareReference(foldBankReference(part)))
}

/** Removes the punctuation of a folded reference, because banks often leave it out in labels. */
export function bareReference(folded: string): string {
  return folded.replace(/[^\p{L}\p{N}]/gu, '')
}

/** Returns the accounts that a line's cell may mean, without spaces: the text itself, and the international number of a wallet. */
export function accountsIn({ account }: BankLine): string[] {
  const e164 = Msisdn.parse(account)?.e164
  return [bareAccount(account), ...(e164 === undefined ? [] : [bareAccount(e164)])].filter((bare) => bare !== '')
}

/** Removes spaces and punctuation from an account. */
export function bareAccount(text: string): string {
  return text.replace(/[^0-9a-z]/gi, '').toUpperCase()
}

/** Removes accents, case and punctuation from a name. */
export function foldName(name: string): string {
  return comparablePerson(name)
    .normalize('NFD')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase()
}
