/** Invisible characters (Unicode: Default_Ignorable_Code_Point): soft hyphens, joiners, variation selectors, fillers. */
export const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu

/** Texts of ASCII alone, as nearly all are: no character of theirs is invisible or has another form. */
const ASCII = /^[\x00-\x7f]*$/

export function isAscii(text: string): boolean {
  return ASCII.test(text)
}

/**
 * Returns the form in which references are compared: canonically composed (NFC), without invisible characters. Case, width and spaces
 * count. The database has the same function, `comparable_reference`.
 */
export function comparableReference(text: string): string {
  return isAscii(text) ? text : text.replace(INVISIBLE, '').normalize('NFC')
}

/**
 * Returns the form in which names of people and references of a bank are compared: as `comparableReference`, and wide letters, superscripts
 * and ligatures become plain letters (NFKC). The database has the same function, `comparable_person`. The caller folds case and spaces.
 */
export function comparablePerson(text: string): string {
  return isAscii(text) ? text : text.replace(INVISIBLE, '').normalize('NFKC')
}
