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
 * Almost every text: without a separator, a quote or space around it, and a sign of a formula not in front, so that nothing of the below applies.
 */
const plain = /^[^\s=+\-@\uff0b\uff0d\uff1d\uff20",;|'](?:[^",;|\t\r\n']*[^\s",;|'])?$/

/**
 * A text as a field. A reference is written by the merchant's customers as much as by the merchant, and a spreadsheet takes
 * what begins with = + - or @ for a formula: an apostrophe in front makes it a text. So it does behind whatever a
 * spreadsheet may cut at when it takes another separator for ours, as the French ones do with the semicolon.
 */
function fieldOf(text: string): string {
  if (plain.test(text)) return text
  const safe = text
    .replace(/(?<=(?:^|[,;|\t\r\n])[\s"]*)(?=[=+\-@\uff0b\uff0d\uff1d\uff20])/g, "'")
    .replace(/^(?=[\t\r\n])/, "'")
  return /[",;|\t\r\n']|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
