import type { SheetCell } from '../platform/tables/read-csv.ts'

/** Returns the text of a cell in one line. */
export function textOf(cell: SheetCell | undefined): string {
  const text = cell?.text ?? ''
  if (/^[!-~](?:[ -~]*[!-~])?$/.test(text)) return text
  return text
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .toWellFormed()
}
