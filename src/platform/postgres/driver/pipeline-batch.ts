import pg from 'pg'
import { failureOf, PostgresError, refusedForAnother } from '../failures.ts'
import { askDriver } from './one-by-one.ts'
import { parserOf } from './parse-values.ts'
import type { Enqueued } from './pipeline.ts'
import type { WireValue } from './statement.ts'

/** A statement, with the part of its answer that has arrived. */
type Part = Enqueued & {
  columns: Columns
  rows: object[]
  tag: string
  /** The error of our decoder for its rows. The server executed the statement all the same. */
  unreadable: unknown
}

type Column = { readonly name: string; readonly parse: (text: string) => unknown }
type Columns = readonly Column[]

/** Sends statements in one packet, which the server answers at once. */
export function sendAsBatch(client: pg.ClientBase, statements: readonly Enqueued[]): void {
  const [first] = statements
  if (first!.statement.values === null) {
    askDriver(client, first!.statement).then(first!.resolve, (error) => first!.reject(failureOf(error)))
  } else client.query(new PipelineBatch(statements) as unknown as pg.Submittable)
}

/**
 * Whether a driver has all methods that a batch uses. Some are private, so a new version may lack them; statements are then sent one by
 * one (`sendOneByOne`).
 */
export function takesBatches({ Query, Connection }: { Query: unknown; Connection: unknown }): boolean {
  return hasMethods(Query, OVERRIDDEN) && hasMethods(Connection, CALLED)
}

function hasMethods(kind: unknown, names: readonly string[]): boolean {
  return typeof kind === 'function' && names.every((name) => typeof kind.prototype?.[name] === 'function')
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

/** The driver calls these on a query. */
const OVERRIDDEN = [
  'submit',
  'handleRowDescription',
  'handleDataRow',
  'handleCopyInResponse',
  'handleCommandComplete',
  'handleEmptyQuery',
  'handleError',
  'handleReadyForQuery',
]

/** A batch calls these on the driver's connection. */
const CALLED = ['parse', 'bind', 'describe', 'execute', 'close', 'sendCopyFromChunk', 'endCopyFrom', 'sync']

/** The prepared statements of a connection, with the columns of their rows. The server refuses a plan whose columns have changed. */
const prepared = new WeakMap<Wire, Map<string, Columns>>()

/** The driver's private class. Without it this file must still load. */
const DriverQuery = (pg.Query ?? Object) as unknown as new (text: string) => object

/**
 * Statements that share one `Sync`, so that the server answers all of them at once. It extends the driver's own class, because the driver's
 * pipeline takes no other. The driver passes on the server's messages in order, so each belongs to the first statement without an end.
 */
class PipelineBatch extends DriverQuery {
  readonly #parts: readonly Part[]
  #known: Map<string, Columns> | undefined
  #at = 0

  constructor(statements: readonly Enqueued[]) {
    super('')
    this.#parts = statements.map(partOf)
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
   * A statement was refused, and the server skips the later ones. Or the connection was lost, and nobody knows which were executed.
   * The answered statements are done, except the last one of the batch: a deferred constraint may still refuse it until the server is ready
   * for the next query.
   */
  handleError(error: unknown): void {
    const failure = failureOf(error)
    const done = Math.min(this.#at, this.#parts.length - 1)
    // Its prepared plan may be invalid, because its columns have changed.
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

function partOf({ statement, resolve, reject }: Enqueued): Part {
  return { statement, resolve, reject, columns: [], rows: [], tag: '', unreadable: null }
}

function submitPart(wire: Wire, known: ReadonlyMap<string, Columns>, part: Part): void {
  const { text, values, copied, name } = part.statement
  const columns = known.get(name)
  if (columns === undefined) {
    // The name may exist from an earlier failure. Closing an unknown name is not an error.
    wire.close({ type: 'S', name })
    wire.parse({ name, text, types: [] })
  } else part.columns = columns
  wire.bind({ portal: '', statement: name, values: values! })
  if (columns === undefined) wire.describe({ type: 'P', name: '' })
  wire.execute({ portal: '', rows: 0 })
  if (copied !== undefined) {
    wire.sendCopyFromChunk(copied.bytes)
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

/** Reads the command and the number of rows from a tag such as `INSERT 0 5`, `SELECT 3` or `COMMIT`. */
function readTag(tag: string): { command: string; count: number } {
  return { command: tag.replace(/[ \d]+$/, ''), count: Number(/\d+$/.exec(tag)?.[0] ?? 0) }
}
