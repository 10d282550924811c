import { createHash } from 'node:crypto'
import type pg from 'pg'
import type { Answer, Pipeline } from './pipeline.ts'
import type { Send, Write, Written } from './statement.ts'
import { type Tables, UnknownTable } from './tables.ts'

/** Calls `watch` with every statement that is under way on a connection. */
type Watch = (connection: pg.ClientBase, answered: Promise<unknown>) => void

/** Writes statements by the types of the tables, and sends them. */
export class Queries {
  readonly #pipeline: Pipeline
  readonly #tables: Tables
  readonly #watch: Watch
  /** Names of texts. A statement is prepared on each connection under one; its texts are those in the code, so they are few. */
  readonly #names = new Map<string, string>()
  /** Connections on which the catalogue is read again: what they are given meanwhile is sent behind what has to wait for it. */
  readonly #reading = new WeakMap<pg.ClientBase, Promise<void>>()

  constructor(pipeline: Pipeline, tables: Tables, watch: Watch) {
    this.#pipeline = pipeline
    this.#tables = tables
    this.#watch = watch
  }

  /** Sends a statement on a connection. @throws as `enqueue` does; UnknownTable when there is no such table */
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

  /** Sends a statement that stands behind all that is gathered for its connection, and not among it. */
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

  /** Of a table that is younger than the pool, or is not there. */
  #queryOfYoungTable(client: pg.ClientBase, write: Write): Promise<Answer> {
    const read = this.#tables.read((text) => this.#queryNow(client, { text, values: [] }))
    this.#reading.set(client, read)
    const answer = read.then(() => this.#queryNow(client, write(this.#tables)))
    // Those that wait for it come behind, in the same turn.
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

/** The rows of an answer, as who sent the statement has them. */
export function rowsOf({ rows, count }: Answer): Awaited<ReturnType<Send>> {
  return Object.defineProperty(rows, 'count', { value: count }) as never
}
