import pg from 'pg'

// Failures of the database, in our words.

type Complaint = {
  message: string
  code?: string | undefined
  severity?: string | undefined
  constraint?: string | undefined
}

/** The database refused a statement. The message may quote the statement's values. */
export class PostgresError extends Error {
  override name = 'PostgresError'
  /** SQLSTATE. */
  readonly code: string
  readonly severity: string
  readonly constraint_name: string | undefined

  constructor({ message, code = 'XX000', severity = 'ERROR', constraint }: Complaint) {
    super(message)
    this.code = code
    this.severity = severity
    this.constraint_name = constraint
  }
}

/** The database could not be reached or went away. A statement under way may have been carried out or not. */
export class ConnectionLost extends Error {
  override name = 'ConnectionLost'
  /** Of the socket, when it had one. */
  readonly code: string

  constructor(cause: unknown) {
    super('The connection to the database was lost.', { cause })
    this.code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'CONNECTION_LOST'
  }
}

/** The failure in our words: the driver tells a lost connection from a refused statement by the text only. */
export function failureOf(error: unknown): unknown {
  if (error instanceof pg.DatabaseError) return new PostgresError(asOnTheMachine(error))
  return error instanceof RangeError || error instanceof TypeError ? error : new ConnectionLost(error)
}

/** The name of the constraint a write broke, or null when the error is another one. Never read the message for this. */
export function violatedConstraint(error: unknown): string | null {
  return error instanceof PostgresError ? (error.constraint_name ?? null) : null
}

/**
 * The refusal of a machine of Citus reaches us through its coordinator. It passes on the message and, except for a COPY, the code, but
 * never the name of a constraint (`ReportResultError` in its connection/remote_commands.c and `ReportCopyError` in its
 * commands/multi_copy.c). We read both from the message there.
 */
function asOnTheMachine({ message, severity, code = INTERNAL_ERROR, constraint }: Complaint): Complaint {
  // Only there: messages of other kinds may quote a value.
  const refused = code === INTERNAL_ERROR || code.startsWith('23')
  const violation = refused ? / violates (unique|foreign key|check) constraint "([^"]+)"$/.exec(message) : null
  const told = code === INTERNAL_ERROR && noPartition.test(message) ? '23514' : code
  if (violation === null) return { message, severity, code: told, constraint }
  const [, kind, name] = violation
  return {
    message,
    severity,
    code: code === INTERNAL_ERROR ? violations[kind!]! : code,
    constraint: (constraint ?? name!).replace(part, ''),
  }
}

const INTERNAL_ERROR = 'XX000'

const violations: Record<string, string> = { unique: '23505', 'foreign key': '23503', check: '23514' }

const noPartition = /^no partition of relation "[^"]+" found for row$/

/** There each part of a table has constraints of its own, named with the number of the part, which begins at 102008. */
const part = /_\d{6,}$/

/** The code with which a server refuses writes: it is a standby, or has become one. */
export const READ_ONLY = '25006'

/** Whether a server takes no writes, told by a statement or when it was connected to. */
export function isReadOnly(error: unknown): boolean {
  return (error instanceof PostgresError || error instanceof ConnectionLost) && error.code === READ_ONLY
}

/** Whether the database could not be reached or went away, which is no statement's fault. */
export function isConnectionLost(error: unknown): boolean {
  // Class 08 and 57P0x: the server says that it is going away; FATAL: it ends this connection; 25006: it is a standby now.
  const ends = (known: PostgresError) => known.severity === 'FATAL' || /^(08|57P0|25006)/.test(known.code)
  return error instanceof ConnectionLost || (error instanceof PostgresError && ends(error))
}

/**
 * Whether a statement was refused because one before it in its transaction had failed: by the server, which says so, by us
 * (`refusedForAnother`), or because what would have prepared it was refused so (26000).
 */
export function isRefusedForAnother(error: unknown): boolean {
  return error instanceof PostgresError && ['25P02', '26000'].includes(error.code)
}

/** For a statement that the server passed over, because it had left together with one that failed. */
export function refusedForAnother(): PostgresError {
  return new PostgresError({ message: 'A statement that left together with this one failed before it.', code: '25P02' })
}

/** Whether a lock was not had in time (`lock_timeout`): somebody else holds it, and nothing is wrong with the statement. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof PostgresError && error.code === '55P03'
}

/**
 * Whether a transaction was given up because others work on the same rows: a lock that was not had in time, a circle of waits, or a conflict
 * of two. It did nothing, and a moment later it may pass.
 */
export function isBusy(error: unknown): boolean {
  return error instanceof PostgresError && ['55P03', '40P01', '40001'].includes(error.code)
}
