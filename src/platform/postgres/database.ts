import pg from 'pg'
import { copyBytesOf } from './driver/copy-rows.ts'
import { sendOneByOne } from './driver/one-by-one.ts'
import { createPipeline } from './driver/pipeline.ts'
import { sendAsBatch, takesBatches } from './driver/pipeline-batch.ts'
import { Queries, rowsOf } from './driver/queries.ts'
import { Json, Recordset, type Send, Statement, type Template, type Value, type Write } from './driver/statement.ts'
import { Names, Tables } from './driver/tables.ts'
import { transact } from './driver/transaction.ts'
import { isConnectionLost } from './failures.ts'
import { ConnectionPool } from './servers/pool.ts'

export { Json, Recordset, Statement, type Template }

/**
 * Makes statements. `` sql`select …` `` is a statement, sent when it is awaited; `sql(columns)` inserts names into
 * its text.
 */
export interface Db {
  /** Whether merchants' rows are spread over several databases (`SHARDED`). If so, no transaction may write rows of two merchants. */
  readonly sharded: boolean
  // biome-ignore lint/suspicious/noExplicitAny: a caller that reads the rows declares their type.
  <Rows extends readonly object[] = Record<string, any>[]>(
    strings: TemplateStringsArray,
    ...values: readonly Value[]
  ): Statement<Rows>
  (names: string | readonly string[]): Names
  json(value: object): Json
  /** Writes rows into a table by COPY. Features call `insertRows` instead. */
  copy(table: string, rows: readonly object[]): Statement<object[]>
  /** A statement, or several, whose text is not a template, such as a migration. It takes no values. */
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  unsafe(text: string): Statement<Record<string, any>[]>
}

/** The database, outside any transaction. Only code that opens a transaction of its own takes it. */
export interface Sql extends Db {
  /**
   * Does the work in one transaction. Commits when the work returns. Rolls back when it throws, or when a statement failed, even if the
   * work caught the failure. If the connection is lost, the transaction is lost too, and every later statement of it is refused. If it
   * is lost during the commit, nobody knows whether the transaction committed.
   */
  begin<Result>(work: (tx: Tx) => Promise<Result> | Result): Promise<Result>
  /** @param options the options of the transaction, such as `read only` */
  begin<Result>(options: string, work: (tx: Tx) => Promise<Result> | Result): Promise<Result>
  /** Closes the pool when the running statements have ended, or after `timeout` seconds. */
  end(options?: { timeout?: number }): Promise<void>
}

/** An open transaction. A function that must commit with its caller takes it as its first parameter; a network call never takes one. */
export interface Tx extends Db {
  readonly [insideTransaction]: true
  /**
   * Sends a statement without waiting for its result: together with the next statements, at the latest with the commit. If it fails,
   * the transaction fails. A function of a `store.ts` that takes a `Tx` and returns `void` writes in this way.
   */
  send(statement: Statement<readonly object[]>): void
  /** Calls `act` after the commit, once however often it was passed. `act` must not throw. */
  afterCommit(act: () => void): void
}

declare const insideTransaction: unique symbol

export type DatabaseOptions = {
  /** The URL of one server, or of several: the pool uses the one that accepts writes. */
  url: string
  /** The most connections. */
  connections: number
  /** The name of our connections in `pg_stat_activity`. */
  name: string
  /** Whether merchants' rows are spread over several databases. */
  sharded?: boolean
  /** Milliseconds after which the pool leaves a silent server, if the URL names another one. Infinity: never. */
  answer_ms?: number
  /** A statement that each new connection executes before a caller gets it. If it fails, the connection is closed and its caller gets the error. */
  greeting?: string
  /** Sends statements one by one, as with a driver that takes no batches. For tests: it is slow. */
  one_by_one?: boolean
}

/** Whether the installed driver takes batches. */
const batches = takesBatches(pg)
if (!batches) {
  process.emitWarning(
    'This version of pg does not take batches: statements go one by one, which is several times slower.',
  )
}

/** Longer than the time limit of a statement, and shorter than our callers wait. */
const ANSWER_MS = 8_000

/**
 * Opens a pool. The server ends a statement after 5 s, a wait for a lock after 2 s, and an idle transaction after 10 s, so that
 * one stuck caller never blocks the others. Francs (bigint) become numbers, if they are exact; times become `Date`.
 */
export function openDatabase(options: DatabaseOptions): Sql {
  const { sharded = false, answer_ms = ANSWER_MS, greeting, one_by_one = !batches } = options
  const tables = new Tables()
  const pool = new ConnectionPool({
    ...options,
    answer_ms,
    async onConnected(connection) {
      if (greeting !== undefined) await connection.query(greeting)
      if (!tables.areKnown) await tables.read((text) => connection.query(text))
    },
  })
  const pipeline = createPipeline(one_by_one ? sendOneByOne : sendAsBatch)
  const queries = new Queries(pipeline, tables, (connection, answered) => pool.watch(connection, answered))

  const send: Send = async (write) => {
    const client = await pool.connect()
    try {
      const answer = await queries.query(client, write)
      client.release()
      return rowsOf(answer)
    } catch (error) {
      client.release(isConnectionLost(error))
      throw error
    }
  }

  async function begin<Result>(...args: [Work<Result>] | [string, Work<Result>]): Promise<Result> {
    const [options, work] = args.length === 1 ? ['', args[0]] : args
    const acts = new Set<() => void>()
    const client = await pool.connect()
    const result = await transact(client, queries, options, (transaction) => {
      const tx = Object.assign(writer(transaction.send, sharded), {
        send: (statement: Statement<readonly object[]>) => transaction.track(statement.then()),
        afterCommit: (act: () => void) => void acts.add(act),
      }) as unknown as Tx
      return work(tx)
    })
    for (const act of acts) act()
    return result
  }

  return Object.assign(writer(send, sharded), {
    begin,
    end: ({ timeout }: { timeout?: number } = {}) => pool.end(timeout ?? null),
  }) as Sql
}

type Work<Result> = (tx: Tx) => Promise<Result> | Result

const EMPTY = { strings: [''], values: [] }

function writer(send: Send, sharded: boolean): Db {
  const write = (first: TemplateStringsArray | string | readonly string[], ...values: readonly Value[]) =>
    typeof first === 'object' && 'raw' in first ? new Statement(send, { strings: first, values }) : new Names(first)
  return Object.assign(write, {
    sharded,
    json: (value: object) => new Json(JSON.stringify(value)),
    copy: (table: string, rows: readonly object[]) => new Statement(() => send(copyOf(table, rows)), EMPTY),
    unsafe: (text: string) =>
      new Statement(() => send(() => ({ text, values: null })), { strings: [text], values: [] }),
  }) as unknown as Db
}

function copyOf(table: string, rows: readonly object[]): Write {
  return (tables) => {
    const { fields, text } = tables.get(table).shapeOf(rows)
    return { text, values: [], copied: { bytes: copyBytesOf(fields, rows), table, fields, rows } }
  }
}
