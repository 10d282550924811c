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
 * Writes statements. `` sql`select …` `` is a statement, sent when awaited; `sql(columns)` puts names into
 * its text.
 */
export interface Db {
  /** Whether merchants' rows are spread over machines (`SHARDED`): then no transaction may write rows of two merchants. */
  readonly sharded: boolean
  // biome-ignore lint/suspicious/noExplicitAny: a caller that reads the rows says what they are.
  <Rows extends readonly object[] = Record<string, any>[]>(
    strings: TemplateStringsArray,
    ...values: readonly Value[]
  ): Statement<Rows>
  (names: string | readonly string[]): Names
  json(value: object): Json
  /** The statement of `insertRows`, which is for everybody: rows into a table by COPY. */
  copy(table: string, rows: readonly object[]): Statement<object[]>
  /** A text from elsewhere than a template, such as a file of statements. It takes no values. */
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  unsafe(text: string): Statement<Record<string, any>[]>
}

/** The database, outside any transaction. Only code that opens a transaction of its own takes it. */
export interface Sql extends Db {
  /**
   * Does the work in one transaction: committed when it returns, rolled back when it throws or a statement failed, even
   * one whose failure it caught. A connection that is lost takes its transaction with it: every later statement of it is
   * refused. Lost during the commit, it leaves open whether that happened.
   */
  begin<Result>(work: (tx: Tx) => Promise<Result> | Result): Promise<Result>
  /** @param options of the transaction, such as `read only` */
  begin<Result>(options: string, work: (tx: Tx) => Promise<Result> | Result): Promise<Result>
  /** Closes the pool when the statements under way have ended, or after `timeout` seconds in any case. */
  end(options?: { timeout?: number }): Promise<void>
}

/** An open transaction. Code that must commit with its caller takes it first; no network call ever does. */
export interface Tx extends Db {
  readonly [insideTransaction]: true
  /**
   * Sends a statement whose rows nobody needs, without waiting for it: it travels with what follows, at the latest with
   * the commit. When it fails, so does the transaction.
   */
  send(statement: Statement<readonly object[]>): void
  /** Does something when the transaction is committed, once however often it is asked for. It must not throw. */
  afterCommit(act: () => void): void
}

declare const insideTransaction: unique symbol

export type DatabaseOptions = {
  /** Of one server, or of several, of which the one that takes writes is used. */
  url: string
  /** Connections kept at most. */
  connections: number
  /** Shown in the server's list of activity, to know who holds what. */
  name: string
  /** On when merchants' rows are spread over machines. */
  sharded?: boolean
  /** Milliseconds that a server may say nothing, where the URL names another one. Infinity: as long as a statement takes. */
  answer_ms?: number
  /** Sends statements one by one, as is done with a driver that does not take batches. For tests: it is slow. */
  one_by_one?: boolean
}

/** Of the driver that is installed. */
const batches = takesBatches(pg)
if (!batches) {
  process.emitWarning(
    'This version of pg does not take batches: statements go one by one, which is several times slower.',
  )
}

/** More than a statement may take, and less than a caller of ours waits. */
const ANSWER_MS = 8_000

/**
 * Opens a pool. A statement may run 5 s, wait 2 s for a lock and leave a transaction idle 10 s, then the server ends it:
 * one stuck caller never holds the others. Francs (bigint) arrive as numbers, checked to be exact; times as `Date`.
 */
export function openDatabase(options: DatabaseOptions): Sql {
  const { sharded = false, answer_ms = ANSWER_MS, one_by_one = !batches } = options
  const tables = new Tables()
  const pool = new ConnectionPool({
    ...options,
    answer_ms,
    async onConnected(connection) {
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
