/** Replaces characters that the standard PDF fonts do not have (outside Windows-1252) by question marks. */
export function printable(text: string): string {
  const simple = text.normalize('NFC')
  return simple.replace(
    /[^\x20-\x7e\xa0-\xff\u0152\u0153\u0160\u0161\u0178\u017d\u017e\u2013\u2014\u2018-\u201e\u2022\u2026\u20ac]/gu,
    '?',
  )
}
