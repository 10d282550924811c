import postgres from 'postgres'

/** The database, outside any transaction. Only code that opens a transaction of its own takes it. */
export type Sql = postgres.Sql<{ bigint: number }>

/** An open transaction. Code that must commit with its caller takes it first; no network call ever does. */
export type Tx = postgres.TransactionSql<{ bigint: number }>

/** What a read that may stand inside or outside a transaction takes. */
export type Db = Sql | Tx

export type DatabaseOptions = {
  url: string
  /** Connections kept at most. */
  connections: number
  /** Shown in the server's list of activity, to know who holds what. */
  name: string
  /** Off when a pooler in transaction mode stands between (its prepared statements belong to another connection). */
  prepare?: boolean
}

/**
 * Opens a pool. A statement may run 5 s, wait 2 s for a lock and leave a transaction idle 10 s, then the server ends it:
 * one stuck caller never holds the others. Francs (bigint) arrive as numbers, checked to be exact; times as `Date`.
 */
export function openDatabase({ url, connections, name, prepare = true }: DatabaseOptions): Sql {
  return postgres(url, {
    max: connections,
    prepare,
    connect_timeout: 2,
    idle_timeout: 0,
    max_lifetime: null,
    backoff: (tries) => Math.min(0.05 * 2 ** tries, 1),
    connection: {
      application_name: name,
      statement_timeout: 5_000,
      lock_timeout: 2_000,
      idle_in_transaction_session_timeout: 10_000,
      // Every statement of the service reaches its rows by a key. Left to guess, the planner of a prepared statement that
      // first met an empty table goes on reading it whole when it holds a million rows.
      enable_seqscan: 'off',
      enable_hashjoin: 'off',
      enable_mergejoin: 'off',
      jit: 'off',
    },
    types: {
      bigint: { to: 20, from: [20], serialize: (value: number) => String(value), parse: parseBigint },
    },
    onnotice: () => {},
  }) as Sql
}

function parseBigint(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new Error(`The database returned ${text}, which no exact number can hold.`)
  return value
}

/** The name of the constraint a write broke, or null when the error is another one. Never read the message for this. */
export function violatedConstraint(error: unknown): string | null {
  return error instanceof postgres.PostgresError ? (error.constraint_name ?? null) : null
}

/** Whether the database could not be reached or went away, which is no statement's fault. */
export function isConnectionLost(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  // Class 08 and 57P0x: the server says that it is going away.
  return /^(CONNECT|ECONN|ENOTFOUND|EAI_|ETIMEDOUT|EPIPE|08|57P0)/.test(code)
}

/** Whether a lock was not had in time (`lock_timeout`): somebody else holds it, and nothing is wrong with the statement. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof postgres.PostgresError && error.code === '55P03'
}

/** PostgreSQL's type `json`: parsed once, as it is read. */
const JSON_TYPE = 114

/**
 * Rows as one parameter, for `json_to_recordset`: a statement on a thousand rows has the same text as one on a single
 * row, so it is prepared once. Fields keep their column names; a `Date` travels as text, an absent field as null.
 */
export function records(db: Db, rows: readonly object[]) {
  return db.typed(rows as never, JSON_TYPE)
}
