import { createHash } from 'node:crypto'
import pg from 'pg'
import { Connection, destroyConnection, sessionSettings } from './driver/connection.ts'
import { copyBytesOf } from './driver/copy-rows.ts'
import { Names } from './driver/names.ts'
import { sendOneByOne } from './driver/one-by-one.ts'
import { parserOf } from './driver/parse-values.ts'
import { type Answer, createPipeline } from './driver/pipeline.ts'
import { sendAsBatch, takesBatches } from './driver/pipeline-batch.ts'
import {
  Json,
  Recordset,
  type Send,
  Statement,
  type Template,
  type Value,
  type Write,
  type Written,
} from './driver/statement.ts'
import { Tables, UnknownTable } from './driver/tables.ts'
import { admit, openServers } from './failover.ts'
import { failureOf, isConnectionLost, isReadOnly, isRefusedForAnother } from './failures.ts'

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
  const { url, connections, name, sharded = false, answer_ms = ANSWER_MS, one_by_one = !batches } = options
  const { enqueue, flush } = createPipeline(one_by_one ? sendOneByOne : sendAsBatch)
  const servers = openServers(url)
  const clients = new Set<Connection>()
  const tables = new Tables()
  const pool = new pg.Pool({
    Client: Connection as never,
    current: servers.current,
    max: connections,
    idleTimeoutMillis: 0,
    application_name: name,
    ...sessionSettings,
    keepAlive: true,
    types: { getTypeParser: parserOf },
    async onConnect(client: Connection) {
      clients.add(client)
      client.once('end', () => {
        clients.delete(client)
        if (client.silent) leaveServer(client.server)
      })
      // The statements that a lost connection fails report it; without this listener the loss of an idle one would end the process.
      client.on('error', () => {})
      const admitted = admit(client, servers).then(() => {
        if (!tables.areKnown) return tables.read((text) => client.query(text))
      })
      watch(client, admitted)
      // Before the pool hears of it, which would wait for the server to say goodbye.
      await admitted.catch((error) => {
        destroyConnection(client)
        throw error
      })
    },
  } as unknown as pg.PoolConfig)
  pool.on('error', () => {})

  /** Where there is another server to go to, nobody waits for one that says nothing. */
  function watch(client: pg.ClientBase, answered: Promise<unknown>): void {
    if (servers.count > 1 && Number.isFinite(answer_ms)) (client as Connection).watch(answer_ms, answered)
  }

  /** Leaves a server. Its connections are cut: their statements would not be answered either. */
  function leaveServer(server: string): void {
    servers.leave(server)
    if (servers.count === 1) return
    for (const client of clients) if (client.server === server) destroyConnection(client)
  }

  const names = new Map<string, string>()
  /** A statement is prepared on each connection under one name; its texts are those in the code, so they are few. */
  function nameOf(text: string): string {
    let known = names.get(text)
    if (known === undefined) {
      known = createHash('sha256').update(text).digest('hex').slice(0, 32)
      names.set(text, known)
    }
    return known
  }

  /** Tries the servers one after the other: nothing was sent yet, so nobody need be told. */
  async function connect(): Promise<pg.PoolClient> {
    const failures: unknown[] = []
    for (;;) {
      const server = servers.current()
      try {
        return await pool.connect()
      } catch (error) {
        const failure = failureOf(error)
        if (!isConnectionLost(failure)) throw failure
        failures.push(failure)
        // That one is there and takes no writes says more than that another is away.
        if (failures.length === servers.count) throw failures.find(isReadOnly) ?? failure
        servers.leave(server)
      }
    }
  }

  /** Connections on which the catalogue is read again: what they are given meanwhile is sent behind what has to wait for it. */
  const reading = new WeakMap<pg.ClientBase, Promise<void>>()

  async function query(client: pg.PoolClient, write: Write): Promise<Answer> {
    const read = reading.get(client)
    if (read !== undefined) return read.then(() => query(client, write))
    try {
      return queryNow(client, write(tables))
    } catch (error) {
      if (!(error instanceof UnknownTable)) throw error
      return queryOfYoungTable(client, write)
    }
  }

  function queryNow(client: pg.PoolClient, statement: Written): Promise<Answer> {
    if (statement.values === null) return enqueue(client, { ...statement, name: '' })
    const answer = enqueue(client, { ...statement, name: nameOf(statement.text) })
    watch(client, answer)
    return answer
  }

  /** Of a table that is younger than the pool, or is not there. */
  function queryOfYoungTable(client: pg.PoolClient, write: Write): Promise<Answer> {
    const read = tables.read((text) => queryNow(client, { text, values: [] }))
    reading.set(client, read)
    const answer = read.then(() => queryNow(client, write(tables)))
    // Those that wait for it come behind, in the same turn.
    const done = () => void reading.delete(client)
    read.then(done, done)
    return answer
  }

  const send: Send = async (statement) => {
    const client = await connect()
    try {
      const result = await query(client, statement)
      client.release()
      return rowsOf(result)
    } catch (error) {
      client.release(isConnectionLost(error))
      throw error
    }
  }

  type Track = (sent: Promise<unknown>) => void

  /** Runs a transaction: begins, works and commits; when anything of it fails, nothing is written. */
  async function transact<Result>(
    options: string,
    work: (inside: Send, track: Track) => Promise<Result> | Result,
  ): Promise<Result> {
    const client = await connect()
    const inFlight: Promise<unknown>[] = []
    let failure: { error: unknown } | null = null
    let over = false
    const inside: Send = async (statement) => {
      if (over) throw new Error('The transaction of this statement has ended.')
      try {
        return rowsOf(await query(client, statement))
      } catch (error) {
        // One refused for another's sake can be heard of before that one.
        if (failure === null || (isRefusedForAnother(failure.error) && !isRefusedForAnother(error))) failure = { error }
        throw error
      }
    }
    /** Its failure is that of the transaction, and told by it. */
    const track: Track = (sent) => void inFlight.push(sent.catch(() => {}))
    try {
      track(inside(order(`begin ${options}`.trim())))
      const result = await work(inside, track)
      over = true
      // Known to have failed: it need not be tried. A statement that fails on its way turns the commit into a rollback.
      if (failure !== null) throw (failure as { error: unknown }).error
      const committed = query(client, order('commit'))
      track(committed)
      await Promise.all(inFlight)
      if (failure !== null) throw (failure as { error: unknown }).error
      const { command } = await committed
      // A transaction that failed unseen is rolled back by its commit.
      if (command !== 'COMMIT') throw new Error(`The transaction ended with ${command}.`)
      client.release()
      return result
    } catch (error) {
      over = true
      // Behind what failed it would be passed over.
      flush(client)
      const lost = await query(client, order('rollback')).then(
        () => false,
        () => true,
      )
      // Statements behind the one that failed are refused for its sake, and may be heard of first.
      const cause = isRefusedForAnother(error) && failure !== null ? (failure as { error: unknown }).error : error
      client.release(lost || isConnectionLost(cause))
      throw cause
    }
  }

  async function begin<Result>(...args: [Work<Result>] | [string, Work<Result>]): Promise<Result> {
    const [options, work] = args.length === 1 ? ['', args[0]] : args
    const acts = new Set<() => void>()
    const result = await transact(options, (inside, track) => {
      const tx = Object.assign(writer(inside, sharded), {
        send: (statement: Statement<readonly object[]>) => track(statement.then()),
        afterCommit: (act: () => void) => void acts.add(act),
      }) as unknown as Tx
      return work(tx)
    })
    for (const act of acts) act()
    return result
  }

  let ended: Promise<void> | undefined
  async function end(timeout: number | null): Promise<void> {
    const drained = pool.end()
    if (timeout === null) return drained
    const timer = setTimeout(() => {
      for (const client of clients) destroyConnection(client)
    }, timeout * 1_000)
    await drained.finally(() => clearTimeout(timer))
  }

  return Object.assign(writer(send, sharded), {
    begin,
    end(options: { timeout?: number } = {}) {
      ended ??= end(options.timeout ?? null)
      return ended
    },
  }) as Sql
}

type Work<Result> = (tx: Tx) => Promise<Result> | Result

/** A statement without values. */
function order(text: string): Write {
  return () => ({ text, values: [] })
}

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

function rowsOf({ rows, count }: Answer): Awaited<ReturnType<Send>> {
  return Object.defineProperty(rows, 'count', { value: count }) as never
}

/**
 * Rows as one parameter, for `json_to_recordset`: a statement on a thousand rows has the same text as one on a single
 * row, so it is prepared once. Fields keep their column names; a `Date` travels as text, an absent field as null.
 */
export function records(db: Db, rows: readonly object[]): Json {
  return db.json(rows)
}
