import pg from 'pg'
import { failureOf, PostgresError, refusedForAnother } from '../failures.ts'
import { parserOf } from './parse-values.ts'
import type { WireValue } from './statement.ts'

/** One statement on its way to the server. */
export type Outgoing = {
  readonly text: string
  readonly values: readonly WireValue[]
  /** The rows of a COPY. */
  readonly copied?: Buffer | undefined
  /** Under which it is prepared, once for each connection; the same name means the same text. */
  readonly name: string
}

/** The server's answer: `command` in its own words (`INSERT`, `COMMIT`), `count` rows returned or touched. */
export type Answer = { readonly command: string; readonly count: number; readonly rows: readonly object[] }

type Part = {
  readonly statement: Outgoing
  columns: Columns
  rows: object[]
  tag: string
  /** Why its rows cannot be read; the server knows nothing of that. */
  unreadable: unknown
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: unknown) => void
}

type Column = { readonly name: string; readonly parse: (text: string) => unknown }
type Columns = readonly Column[]

const gathering = new WeakMap<pg.ClientBase, Part[]>()

/**
 * Sends a statement with all that its connection is given in the same turn of the event loop: in one packet, for which the
 * server answers once. Of statements that leave together, those behind one that fails are not tried (`isRefusedForAnother`).
 * Without a transaction around it, one must leave alone.
 *
 * @throws what `failureOf` makes of it; a RangeError when a row holds a number that ours cannot
 */
export function sendTogether(client: pg.ClientBase, statement: Outgoing): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const part: Part = { statement, columns: [], rows: [], tag: '', unreadable: null, resolve, reject }
    const gathered = gathering.get(client)
    if (gathered !== undefined) {
      gathered.push(part)
      return
    }
    gathering.set(client, [part])
    process.nextTick(() => leave(client))
  })
}

/** Sends what is gathered for a connection, for what is to stand behind it. */
export function leave(client: pg.ClientBase): void {
  const parts = gathering.get(client)
  if (parts === undefined) return
  gathering.delete(client)
  client.query(new Packet(parts) as unknown as pg.Submittable)
}

/** The driver's connection, which writes the messages of the protocol. */
type Wire = {
  readonly stream: { cork(): void; uncork(): void }
  parse(message: { name: string; text: string; types: [] }): void
  bind(message: { portal: string; statement: string; values: readonly WireValue[] }): void
  describe(message: { type: 'P'; name: string }): void
  execute(message: { portal: string; rows: number }): void
  close(message: { type: 'S'; name: string }): void
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
  sync(): void
}

/** The statements prepared on a connection, and the columns of their rows: the server refuses a plan whose columns have changed. */
const prepared = new WeakMap<Wire, Map<string, Columns>>()

/**
 * Statements that share one `Sync`: the server sends what it has to say of all of them at once and is ready for more once.
 * A query of the driver's own kind, because in a pipeline it takes no other. The driver hands us the server's messages in their order,
 * so they are of the first part that is not at its end.
 */
class Packet extends (pg.Query as unknown as new (text: string) => object) {
  readonly #parts: readonly Part[]
  #known: Map<string, Columns> | undefined
  #at = 0

  constructor(parts: readonly Part[]) {
    super('')
    this.#parts = parts
  }

  submit(wire: Wire): null {
    let known = prepared.get(wire)
    if (known === undefined) {
      known = new Map()
      prepared.set(wire, known)
    }
    this.#known = known
    wire.stream.cork()
    for (const part of this.#parts) submitPart(wire, known, part)
    wire.sync()
    wire.stream.uncork()
    return null
  }

  handleRowDescription({ fields }: { fields: readonly { name: string; dataTypeID: number }[] }): void {
    this.#parts[this.#at]!.columns = fields.map(({ name, dataTypeID }) => ({ name, parse: parserOf(dataTypeID) }))
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    const part = this.#parts[this.#at]!
    try {
      part.rows.push(rowOf(part.columns, fields))
    } catch (error) {
      part.unreadable ??= error
    }
  }

  handleCopyInResponse(): void {
    // The rows are on their way.
  }

  handleCommandComplete({ text }: { text: string }): void {
    const part = this.#parts[this.#at]!
    this.#known!.set(part.statement.name, part.columns)
    part.tag = text
    this.#at += 1
  }

  handleEmptyQuery(): void {
    this.handleCommandComplete({ text: '' })
  }

  /**
   * One of these was refused, and those behind it are passed over; or the connection is lost, and nobody knows what became of them.
   * Every answered statement is done, but for the last: a statement alone is committed, or refused by a deferred constraint, only
   * when the server is ready for more.
   */
  handleError(error: unknown): void {
    const failure = failureOf(error)
    const done = Math.min(this.#at, this.#parts.length - 1)
    // Perhaps it cannot be carried out any more as it was prepared: its columns have changed.
    const failed = this.#parts[this.#at]?.statement
    if (failed !== undefined) this.#known?.delete(failed.name)
    const refused = failure instanceof PostgresError
    this.#parts.forEach((part, at) => {
      if (at < done) settle(part)
      else part.reject(refused && at > this.#at ? refusedForAnother() : failure)
    })
  }

  handleReadyForQuery(): void {
    for (const part of this.#parts) settle(part)
  }
}

function submitPart(wire: Wire, known: ReadonlyMap<string, Columns>, part: Part): void {
  const { text, values, copied, name } = part.statement
  const columns = known.get(name)
  if (columns === undefined) {
    // The name is taken when the statement failed before. Closing one that is not there is no error.
    wire.close({ type: 'S', name })
    wire.parse({ name, text, types: [] })
  } else part.columns = columns
  wire.bind({ portal: '', statement: name, values })
  if (columns === undefined) wire.describe({ type: 'P', name: '' })
  wire.execute({ portal: '', rows: 0 })
  if (copied !== undefined) {
    wire.sendCopyFromChunk(copied)
    wire.endCopyFrom()
  }
}

function rowOf(columns: Columns, fields: readonly (string | null)[]): object {
  const row: Record<string, unknown> = {}
  columns.forEach(({ name, parse }, at) => {
    const text = fields[at]!
    row[name] = text === null ? null : parse(text)
  })
  return row
}

function settle({ tag, rows, unreadable, resolve, reject }: Part): void {
  if (unreadable !== null) reject(unreadable)
  else resolve({ ...readTag(tag), rows })
}

/** `INSERT 0 5`, `SELECT 3`, `COMMIT`: a word or two, and the rows where there can be any. */
function readTag(tag: string): { command: string; count: number } {
  return { command: tag.replace(/[ \d]+$/, ''), count: Number(/\d+$/.exec(tag)?.[0] ?? 0) }
}
