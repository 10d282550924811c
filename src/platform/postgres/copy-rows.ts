import pg from 'pg'
import { isoText } from '../clock.ts'

/** Rows for a table as COPY takes them: lines of tab-separated fields. */
export type CopyText = string

/**
 * Rows as the text that COPY reads, where each field goes straight to the type of its column. A `Date` travels as text, bytes in hex, an object as JSON; null and what is absent become null.
 */
export function copyTextOf<Row extends object>(columns: readonly (keyof Row)[], rows: readonly Row[]): CopyText {
  const fields: string[] = []
  for (const row of rows) {
    for (const column of columns) fields.push(fieldOf(row[column]), '\t')
    fields[fields.length - 1] = '\n'
  }
  return fields.join('')
}

function fieldOf(value: unknown): string {
  if (value === null || value === undefined) return '\\N'
  if (typeof value === 'string') return escapeField(value)
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  if (typeof value === 'boolean') return value ? 't' : 'f'
  if (value instanceof Date) return isoText(value)
  if (value instanceof Uint8Array) return `\\\\x${value.toHex()}`
  if (typeof value === 'object') return escapeField(JSON.stringify(value))
  throw new TypeError(`A ${typeof value} is no field of a row.`)
}

const SPECIAL = /[\\\t\n\r]/
const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }

function escapeField(text: string): string {
  return SPECIAL.test(text) ? text.replaceAll(/[\\\t\n\r]/g, (special) => ESCAPES[special]!) : text
}

/** Has a connection copy rows into a table; `text` is the order. The promise is settled when the server has them. */
export function copyIn(client: pg.ClientBase, text: string, rows: CopyText): Promise<pg.QueryResult> {
  return new Promise((resolve, reject) => {
    const query = new CopyQuery(text, rows, (error, result) => (error === null ? resolve(result) : reject(error)))
    client.query(query as unknown as pg.Submittable)
  })
}

type Wire = { query(text: string): void; sendCopyFromChunk(chunk: Buffer): void; endCopyFrom(): void }
type Done = (error: Error | null, result: pg.QueryResult) => void

/**
 * A COPY that leaves with its rows at once instead of waiting to be asked for them, so that it shares a packet with the
 * statements around it. Rows for a COPY that was refused are passed over by the server, as its protocol says. A query of the
 * driver's own kind, because in a pipeline it takes no other.
 */
class CopyQuery extends (pg.Query as unknown as new (text: string, values: undefined, done: Done) => object) {
  readonly #text: string
  readonly #rows: CopyText

  constructor(text: string, rows: CopyText, done: Done) {
    super(text, undefined, done)
    this.#text = text
    this.#rows = rows
  }

  submit(connection: Wire): null {
    connection.query(this.#text)
    connection.sendCopyFromChunk(Buffer.from(this.#rows))
    connection.endCopyFrom()
    return null
  }

  handleCopyInResponse(): void {
    // The rows are on their way.
  }
}
