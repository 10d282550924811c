import { comparablePerson } from './comparable.ts'

/**
 * What a bank calls a transfer, as it is kept: single spaces inside and none around, without characters that nobody sees. Null:
 * nothing, longer than 140 characters, or not printable. The database compares two of them by `bank_reference_in`, which counts
 * neither spaces nor letter case.
 */
export function bankReferenceIn(text: string): string | null {
  const reference = comparablePerson(text).replace(/\s+/g, ' ').trim()
  return /^[^\p{C}]{1,140}$/u.test(reference) ? reference : null
}
