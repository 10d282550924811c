import { comparablePerson, INVISIBLE } from './comparable.ts'

/**
 * Returns a bank's reference of a transfer as it is stored: trimmed, with single spaces, without invisible characters. Null when it is
 * empty, longer than 140 characters, or not printable. The database compares references by `bank_reference_in`, which ignores spaces and
 * letter case.
 */
export function bankReferenceIn(text: string): string | null {
  // A right-to-left override is not dropped: the reader would see another text.
  const written = text.replace(/\s+/g, ' ').replace(INVISIBLE, (sign) => (sign === '\u202e' ? sign : ''))
  const reference = comparablePerson(written).replace(/ +/g, ' ').trim()
  if (/\p{C}/u.test(written)) return null
  return reference.length >= 1 && reference.length <= 140 ? reference : null
}

/** Returns the form in which references are compared: without spaces, in capitals. The database has the same function, `bank_reference_in`. */
export function foldBankReference(reference: string): string {
  return comparablePerson(reference).replace(/\s/g, '').toUpperCase()
}
