import { createHash } from 'node:crypto'
import type pg from 'pg'
import type { Answer, Pipeline } from './pipeline.ts'
import type { Send, Write, Written } from './statement.ts'
import { type Tables, UnknownTable } from './tables.ts'

/** Called with every running statement of a connection. */
type Watch = (connection: pg.ClientBase, answered: Promise<unknown>) => void

/** Completes statements with the column types of the tables, and sends them. */
export class Queries {
  readonly #pipeline: Pipeline
  readonly #tables: Tables
  readonly #watch: Watch
  /** The name of each text, under which each connection prepares it. The texts are those in the code, so they are few. */
  readonly #names = new Map<string, string>()
  /** Connections on which the catalogue is being read again. Their new statements are sent after those that wait for it. */
  readonly #reading = new WeakMap<pg.ClientBase, Promise<void>>()

  constructor(pipeline: Pipeline, tables: Tables, watch: Watch) {
    this.#pipeline = pipeline
    this.#tables = tables
    this.#watch = watch
  }

  /** Sends a statement on a connection. @throws as `enqueue` does; UnknownTable if the table does not exist */
  async query(client: pg.ClientBase, write: Write): Promise<Answer> {
    const read = this.#reading.get(client)
    if (read !== undefined) return read.then(() => this.query(client, write))
    try {
      return this.#queryNow(client, write(this.#tables))
    } catch (error) {
      if (!(error instanceof UnknownTable)) throw error
      return this.#queryOfYoungTable(client, write)
    }
  }

  /** Sends a statement in a separate packet, after the collected statements of its connection. */
  queryBehind(client: pg.ClientBase, write: Write): Promise<Answer> {
    this.#pipeline.flush(client)
    return this.query(client, write)
  }

  #queryNow(client: pg.ClientBase, statement: Written): Promise<Answer> {
    const { enqueue } = this.#pipeline
    if (statement.values === null) return enqueue(client, { ...statement, name: '' })
    const answer = enqueue(client, { ...statement, name: this.#nameOf(statement.text) })
    this.#watch(client, answer)
    return answer
  }

  /** Handles a table that is newer than the pool, or does not exist. */
  #queryOfYoungTable(client: pg.ClientBase, write: Write): Promise<Answer> {
    const read = this.#tables.read((text) => this.#queryNow(client, { text, values: [] }))
    this.#reading.set(client, read)
    const answer = read.then(() => this.#queryNow(client, write(this.#tables)))
    // The statements that wait for it follow in the same turn.
    const done = () => void this.#reading.delete(client)
    read.then(done, done)
    return answer
  }

  #nameOf(text: string): string {
    let known = this.#names.get(text)
    if (known === undefined) {
      known = createHash('sha256').update(text).digest('hex').slice(0, 32)
      this.#names.set(text, known)
    }
    return known
  }
}

/** A statement without values. */
export function order(text: string): Write {
  return () => ({ text, values: [] })
}

/** The rows of an answer, in the form that the caller gets. */
export function rowsOf({ rows, count }: Answer): Awaited<ReturnType<Send>> {
  return Object.defineProperty(rows, 'count', { value: count }) as never
}
