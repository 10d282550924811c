/** Signs that no name has, and that appear when a file is read in another code page than it was written in. */
const impossible = [
  // The mark of lost letters, and control characters.
  /[\ufffd?\u0080-\u009f]/,
  // Symbols but those that people type for an apostrophe or a number, and quotation marks, superscripts and fractions.
  /[^\P{S}`´°+^~]|[¡¿«»‚„†‡…‰‹›•¶§ªº]|\p{No}/u,
  // Letters that names here do not have: É, é, è of a Macintosh or of DOS are ƒ, Ž, Š in Windows.
  /[ƒŽžŠš]/,
  /\p{L}[Õ–—“”]|\p{Ll}‘\p{Ll}/u,
  // An accented capital after a small letter.
  /\p{Ll}[À-ÖØ-ÞŒŸ]/u,
  // UTF-8 read as Windows-1252.
  /[ÃÂ](?:[°´\s]|$)|Ã[\u0080-\u00bf\u0152\u0153\u0178\u2018-\u201e]|â€/,
]

/** Whether a name has letters that no name has. */
export function hasImpossibleLetters(name: string): boolean {
  return impossible.some((signs) => signs.test(name)) || hasOtherScript(name)
}

/** Whether a name has letters of another script than ours, such as a Cyrillic one that looks like a Latin one. */
function hasOtherScript(name: string): boolean {
  return /(?!\u02bc)(?=\p{L})\P{Script=Latin}/u.test(name)
}

/** Whether a name has a letter that code pages write differently. */
export function hasAccents(name: string): boolean {
  return /[^\u0020-\u007e]/.test(name)
}
