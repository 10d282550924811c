import { plainTitle, type SheetCell, type SheetRow } from '../platform/tables/read-csv.ts'
import { type ColumnPlace, type StatementColumn, type StatementProfile, statementColumns } from './profile.ts'

/** The rows among which the titles are looked for. */
export const HEAD_ROWS = 40

/** The index of each column in its row, from 0. */
export type StatementColumns = Partial<Readonly<Record<StatementColumn, number>>>

/** Whether titles have all those of a profile. */
export function hasTitles(written: readonly string[], { titles }: StatementProfile): boolean {
  const found = new Set(written.map(titleKey))
  return titles.every((title) =>
    typeof title === 'string' ? found.has(titleKey(title)) : title.some((one) => found.has(titleKey(one))),
  )
}

/** Finds the columns of a profile. A column without its title is left out. */
export function columnsIn(written: readonly string[], { columns }: StatementProfile): StatementColumns {
  const keys = written.map(titleKey)
  const found = statementColumns.flatMap((column) => {
    const place = columns[column]
    const at = place === undefined ? -1 : placeIn(keys, place)
    return at === -1 ? [] : [[column, at] as const]
  })
  return Object.fromEntries(found)
}

function placeIn(keys: readonly string[], place: string | ColumnPlace): number {
  const { title, occurrence = 1, after } = typeof place === 'string' ? { title: place } : place
  const from = after === undefined ? 0 : keys.indexOf(titleKey(after)) + 1
  if (after !== undefined && from === 0) return -1
  for (const one of typeof title === 'string' ? [title] : title) {
    let at = from - 1
    for (let nth = 0; nth < occurrence; nth += 1) {
      at = keys.indexOf(titleKey(one), at + 1)
      if (at === -1) break
    }
    if (at !== -1) return at
  }
  return -1
}

/** Finds the profiles whose titles one row has, those with most titles first. */
export function profilesFor(written: readonly string[], profiles: readonly StatementProfile[]): StatementProfile[] {
  return profiles
    .filter((profile) => hasTitles(written, profile))
    .toSorted((one, other) => other.titles.length - one.titles.length)
}

/** The form in which titles are compared. */
export function titleKey(title: string): string {
  return plainTitle(repaired(title))
}

const strict = new TextDecoder('utf-8', { fatal: true })
const western = new TextDecoder('windows-1252')
/** The bytes of Windows-1252 by their characters. */
const bytesOf = new Map(Array.from({ length: 256 }, (_, byte) => [western.decode(Uint8Array.of(byte)), byte]))

/** Repairs a title whose UTF-8 a spreadsheet read as Windows-1252: `NumÃ©ro`. A text of other characters stays. */
function repaired(title: string): string {
  if (!/[\u00c2-\u00f4]/.test(title)) return title
  const bytes = [...title].map((sign) => bytesOf.get(sign))
  if (bytes.includes(undefined)) return title
  try {
    return strict.decode(Uint8Array.from(bytes as number[]))
  } catch {
    return title
  }
}

/**
 * Finds a value above the table: behind a title and a colon, or in the next cell. In the last row, that of the titles, only a colon counts.
 * Null when there is none.
 */
export function valueAbove(rows: readonly SheetRow[], title: string): SheetCell | null {
  const key = titleKey(title)
  for (const [nth, { cells }] of rows.entries()) {
    for (const [place, { text }] of cells.entries()) {
      const [before = '', ...behind] = text.split(':')
      if (titleKey(before) !== key) continue
      const value = behind.join(':').trim()
      if (value !== '') return { text: value }
      if (nth === rows.length - 1) continue
      const next = cells.slice(place + 1).find((cell) => cell.text.trim() !== '')
      if (next !== undefined) return next
    }
  }
  return null
}
