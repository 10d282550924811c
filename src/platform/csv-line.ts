/** A line of a CSV (RFC 4180: commas, CR LF at the end). */
export function csvLine(fields: readonly (string | number)[]): string {
  return `${fields.map((field) => (typeof field === 'number' ? String(field) : fieldOf(field))).join(',')}\r\n`
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
