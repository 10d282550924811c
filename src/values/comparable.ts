/** Characters that no reader sees (Unicode: Default_Ignorable_Code_Point): soft hyphens, joiners, variation selectors, fillers. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu

/**
 * The form in which two references are compared: canonically composed (NFC), without invisible characters. Case, width and
 * spaces still count. The database has the same function, `comparable_reference`.
 */
export function comparableReference(text: string): string {
  return text.replace(INVISIBLE, '').normalize('NFC')
}

/**
 * The form in which two names of people or two references of a bank are compared: as `comparableReference`, and other
 * writings of one letter (wide, superscript, ligature) are that letter (NFKC). The database has the same function,
 * `comparable_person`. Case and spaces are for the caller to fold.
 */
export function comparablePerson(text: string): string {
  return text.replace(INVISIBLE, '').normalize('NFKC')
}
