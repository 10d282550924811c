/** The first character of a CSV for Excel, which reads a file without it as Windows-1252 and spoils its accents. */
export const UTF8_MARK = '\ufeff'

/**
 * A line of a CSV (RFC 4180: CR LF at the end).
 * @param separator French spreadsheets split at semicolons, and put a line with commas into one cell
 */
export function csvLine(fields: readonly (string | number)[], separator: ',' | ';' = ','): string {
  return `${fields.map((field) => (typeof field === 'number' ? String(field) : fieldOf(field))).join(separator)}\r\n`
}

/**
 * A line for a person's spreadsheet, which by a double click makes 123 of `000123`, 3E10 a number, `1/2` a day and `+225…` a number without its
 * sign. Such a text becomes a formula of one text, `="000123"`: Excel and LibreOffice then show exactly its characters, and find them.
 */
export function spreadsheetLine(fields: readonly (string | number)[], separator: ',' | ';'): string {
  const line = fields.map((field) => {
    if (typeof field === 'number') return String(field)
    return looksLikeValue(field) ? `"=""${field}"""` : fieldOf(field)
  })
  return `${line.join(separator)}\r\n`
}

/**
 * Whether a spreadsheet in French or English may read a text as a number, a day, a time or a truth value: digits and signs, with no other words
 * than currencies and months. Such a text has no quotation mark. Excel takes at most 255 characters of text in a formula.
 */
function looksLikeValue(text: string): boolean {
  if (truth.test(text)) return true
  if (text.length > 255 || !/\p{Nd}/u.test(text) || !/^[\p{Nd}\p{L}\p{Zs}\p{Sc}.,:/%+\-()'’]+$/u.test(text))
    return false
  return (text.match(/\p{L}+/gu) ?? []).every((word) => wordOfValue.test(word))
}

const truth = /^(?:true|false|vrai|faux)$/i
const wordOfValue =
  /^(?:e|am|pm|f|f?cfa|xof|(?:jan|f[eé]v|feb|mar|avr|apr|ma[iy]|ju[inl]|ao[uû]|aug|sep|oct|nov|d[eé]c)\p{L}*)$/iu

/** A text that needs no escape, as nearly all: without a separator, a quotation mark, a space at its ends, or a formula sign at its beginning. */
const plain = /^[^\s=+\-@\uff0b\uff0d\uff1d\uff20",;|'](?:[^",;|\t\r\n']*[^\s",;|'])?$/

/**
 * Writes a text as a field. Strangers can write a reference, and a spreadsheet reads a text that begins with = + - or @ as a formula, so an
 * apostrophe goes in front. It also goes after each character that a spreadsheet may use as its separator, such as the semicolon in
 * French ones.
 */
function fieldOf(text: string): string {
  if (plain.test(text)) return text
  const safe = text
    .replace(/(?<=(?:^|[,;|\t\r\n])[\s"]*)(?=[=+\-@\uff0b\uff0d\uff1d\uff20])/g, "'")
    .replace(/^(?=[\t\r\n])/, "'")
  return /[",;|\t\r\n']|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
