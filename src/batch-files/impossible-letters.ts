/** Signs that no name has, and that appear when a file is read in another code page than it was written in. */
const impossible = [
  // The mark of lost letters, and control characters.
  /[\ufffd?\u0080-\u009f]/,
  // Symbols but those that people type for an apostrophe or a number, and quotation marks, superscripts and fractions.
  /[^\P{S}`´°+^~]|[¡¿«»‚„†‡…‰‹›•·¶§ªº]|\p{No}/u,
  // Letters that names here do not have: É, é, è of a Macintosh or of DOS are ƒ, Ž, Š in Windows, and è of Windows is Þ in DOS.
  /[ƒŽžŠšØøÅåÐðÞþ]|\p{L}[ÆÀÒÓ]|Ÿ\p{L}/u,
  // An apostrophe or an ë of a Macintosh, and an ï of Windows in DOS.
  /\p{L}[Õ–—“”]|\p{Ll}‘(?!\p{Lu})|[AEIOUYaeiouy]´\p{Ll}/u,
  // An accented capital after a small letter, or between a capital and a small letter.
  /[\p{Ll}\p{Lu}][À-ÖØ-ÞŒŸ](?=\p{Ll})|\p{Ll}[À-ÖØ-ÞŒŸ]/u,
  // A small accented letter before a capital, or behind two of them: È of a Macintosh is é in Windows.
  /[ß-öø-ÿœ]\p{Lu}|\p{Lu}{2}[ß-öø-ÿœ](?!\p{Ll})/u,
  // UTF-8 read as Windows-1252; its apostrophe also as DOS.
  /ÔÇ|Ã(?:[°´\s]|$)|Â[°´\u00a0]|Ã[\u0080-\u00bf\u0152\u0153\u0178\u2018-\u201e]|â€/,
  // Letters written as signs, for a web page or an address.
  /&(?:#x?[\da-f]{2,6}|[a-z]{2,8});|\\|%[\da-f]{2}/i,
]

/** A lost letter, or an é of DOS or a Macintosh, within a word of a title. Titles have signs and capitals of their own. */
const misread = /\p{L}[‚ŽƒŠ…‡‰\ufffd\u0080-\u009f]\p{L}|Ã[\u00a0-\u00bf]/u

/** Whether a name has letters that no name has. */
export function hasImpossibleLetters(name: string): boolean {
  const composed = name.normalize('NFC')
  return impossible.some((signs) => signs.test(composed)) || hasOtherScript(composed)
}

/** Whether a title shows that its file was read in another code page than it was written in. */
export function isMisread(title: string): boolean {
  return misread.test(title)
}

/** Whether a name has letters of another script than ours, such as a Cyrillic one that looks like a Latin one. */
function hasOtherScript(name: string): boolean {
  return /(?!\u02bc)(?=\p{L})\P{Script=Latin}/u.test(name)
}

/** Whether a name has a letter that code pages write differently. */
export function hasAccents(name: string): boolean {
  return /[^\u0020-\u007e]/.test(name)
}
