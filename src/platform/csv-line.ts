/** The first character of a CSV for Excel, which reads a file without it as Windows-1252 and spoils its accents. */
export const UTF8_MARK = '\ufeff'

/**
 * A line of a CSV (RFC 4180: CR LF at the end).
 * @param separator French spreadsheets split at semicolons, and put a line with commas into one cell
 */
export function csvLine(fields: readonly (string | number)[], separator: ',' | ';' = ','): string {
  return `${fields.map((field) => (typeof field === 'number' ? String(field) : fieldOf(field))).join(separator)}\r\n`
}

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
