import { comparablePerson } from './comparable.ts'

/**
 * A bank's reference of a transfer, as it is kept: single spaces inside and none around, without invisible characters. Null: empty,
 * longer than 140 characters, or not printable. The database compares two of them by `bank_reference_in`, which ignores spaces and
 * letter case.
 */
export function bankReferenceIn(text: string): string | null {
  const written = text.replace(/\s+/g, ' ')
  const reference = comparablePerson(written).replace(/ +/g, ' ').trim()
  // Such as one that turns the direction of writing: a reader would not see the text that is there.
  if (/\p{C}/u.test(written)) return null
  return reference.length >= 1 && reference.length <= 140 ? reference : null
}

/** A reference as two of them are compared: without spaces, in capitals. The database has the same function, `bank_reference_in`. */
export function foldBankReference(reference: string): string {
  return comparablePerson(reference).replace(/\s/g, '').toUpperCase()
}
