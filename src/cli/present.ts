import { groupDigits } from '../values/group-digits.ts'
import type { Table } from './command.ts'
import { COLUMNS } from './help.ts'

/** Formats an answer for people: one field per line, and a list as a table. */
export function present(answer: object, table?: Table): string {
  const fields = answer as Record<string, unknown>
  if (table === undefined) return inLines(fields)
  const rows = fields[table.rows] as readonly Record<string, unknown>[]
  const { [table.rows]: _, has_more, after, ...others } = fields
  const parts = [rows.length === 0 ? table.empty : inTable(rows, table.columns)]
  if (Object.keys(others).length > 0) parts.unshift(inLines(others))
  if (has_more === true) parts.push(`There are more: repeat the command with --after ${String(after)}`)
  return parts.join('\n\n')
}

/**
 * One field per line. A nested object is indented below its name. Texts are printed unchanged, so that they can be
 * copied.
 */
function inLines(fields: Record<string, unknown>, indent = ''): string {
  return Object.entries(fields)
    .map(([name, value]) => {
      if (name === 'livemode') return `${indent}mode: ${cellOf(name, value)}`
      if (Array.isArray(value) && value.some(isRecord)) {
        const items = value.map((item) => inLines(item as Record<string, unknown>, `${indent}    `).trimStart())
        return `${indent}${name}:\n${items.map((item) => `${indent}  - ${item}`).join('\n')}`
      }
      if (Array.isArray(value) && isLong(value)) {
        return `${indent}${name}:\n${value.map((item) => `${indent}  ${asText(name, item, WHOLE)}`).join('\n')}`
      }
      if (isRecord(value) && Object.keys(value).length > 0) return `${indent}${name}:\n${inLines(value, `${indent}  `)}`
      return `${indent}${name}: ${asText(name, value, WHOLE)}`
    })
    .join('\n')
}

/** Whether a list is too long for one line, or its items are sentences; then each item gets its own line. */
function isLong(items: readonly unknown[]): boolean {
  if (items.length > 1 && items.every((item) => String(item).endsWith('.'))) return true
  return items.reduce<number>((sum, item) => sum + String(item).length + 2, 0) > COLUMNS
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
}

/** Characters of an ISO time to show: to the second, or in a table (`SHORT`) to the minute. */
const WHOLE = 19
const SHORT = 16

/** Fields with numbers that are identifiers or machine values. They are not grouped by thousands. */
const NOT_COUNTED = /(?:^|_)(?:id|port|pid|status|rank)$/

function asText(name: string, value: unknown, timeLength: number): string {
  if (value === null || value === undefined) return 'none'
  if (value instanceof Date) return asTime(value.toISOString(), timeLength)
  if (typeof value === 'number') return NOT_COUNTED.test(name) ? String(value) : grouped(value)
  if (typeof value === 'string') return ISO_TIME.test(value) ? asTime(value, timeLength) : value
  if (typeof value === 'boolean') return String(value)
  if (Array.isArray(value))
    return value.length === 0 ? 'none' : value.map((item) => asText(name, item, timeLength)).join(', ')
  return JSON.stringify(value)
}

const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/

/** `2026-11-24 08:12:03 UTC`; in a table, whose head says UTC, `2026-11-24 08:12`. */
function asTime(iso: string, length: number): string {
  return `${iso.slice(0, length).replace('T', ' ')}${length === WHOLE ? ' UTC' : ''}`
}

/** Groups thousands as amounts are written in Côte d'Ivoire: `25 000`. */
function grouped(value: number): string {
  return groupDigits(value, ' ')
}

type Column = { title: string; right: boolean; cells: string[]; width: number }

/** A table as wide as a terminal. The last column is shortened when it does not fit. */
function inTable(rows: readonly Record<string, unknown>[], names: readonly string[]): string {
  const columns = names.map((declared): Column => {
    const [name = '', called] = declared.split(':')
    const values = rows.map((row) => (name === 'merchant' ? whose(row) : row[name]))
    const cells = values.map((value) => cellOf(name, value))
    const timed = values.some((value) => value instanceof Date || (typeof value === 'string' && ISO_TIME.test(value)))
    const title = `${called ?? titleOf(name)}${timed ? ' (UTC)' : ''}`
    const width = Math.max(title.length, ...cells.map((cell) => cell.length))
    return { title, right: values.some((value) => typeof value === 'number'), cells, width }
  })
  const spare = COLUMNS - columns.reduce((sum, { width }) => sum + width + 2, -2)
  const last = columns.at(-1)!
  if (spare < 0) last.width = Math.max(last.title.length, last.width + spare)
  const line = (cellIn: (column: Column) => string) =>
    columns
      .map((column) => {
        const cell = shortened(cellIn(column), column.width)
        return column.right ? cell.padStart(column.width) : cell.padEnd(column.width)
      })
      .join('  ')
      .trimEnd()
  return [line(({ title }) => title), ...rows.map((_, at) => line(({ cells }) => cells[at]!))].join('\n')
}

/** A merchant and a mode as `--merchant` and `--mode` name them: `1 test`. */
function whose({ merchant_id, livemode }: Record<string, unknown>): string {
  if (merchant_id === null) return 'nobody'
  return `${String(merchant_id)} ${livemode === true ? 'live' : 'test'}`
}

function titleOf(name: string): string {
  if (name === 'livemode') return 'mode'
  return name.replace(/_(?:id|at)$/, '').replaceAll('_', ' ')
}

function cellOf(name: string, value: unknown): string {
  if (name === 'livemode') return value === true ? 'live' : 'test'
  if (value === null || value === undefined || (Array.isArray(value) && value.length === 0)) return '-'
  if (value === true) return 'yes'
  if (value === false) return 'no'
  return asText(name, value, SHORT)
}

function shortened(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`
}
