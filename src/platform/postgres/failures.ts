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

/** The connection failed or was lost. A running statement may have been executed or not. */
export class ConnectionLost extends Error {
  override name = 'ConnectionLost'
  /** The code of the socket's error, if it had one. */
  readonly code: string

  constructor(cause: unknown) {
    super('The connection to the database was lost.', { cause })
    this.code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'CONNECTION_LOST'
  }
}

/** Returns our class for an error of the driver, which distinguishes a lost connection from a refused statement only by its text. */
export function failureOf(error: unknown): unknown {
  if (error instanceof pg.DatabaseError) return new PostgresError(asOnTheMachine(error))
  return error instanceof RangeError || error instanceof TypeError ? error : new ConnectionLost(error)
}

/** The name of the constraint that a write violated, or null for another error. Never parse the message instead. */
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

/** The code with which a standby refuses writes. */
export const READ_ONLY = '25006'

/** Whether a server refused a statement or a connection because it does not accept writes. */
export function isReadOnly(error: unknown): boolean {
  return (error instanceof PostgresError || error instanceof ConnectionLost) && error.code === READ_ONLY
}

/** Whether the connection failed or was lost, which is not the fault of a statement. */
export function isConnectionLost(error: unknown): boolean {
  // Class 08 and 57P0x: the server is shutting down. FATAL: it closes this connection. 25006: it is a standby now.
  const ends = (known: PostgresError) => known.severity === 'FATAL' || /^(08|57P0|25006)/.test(known.code)
  return error instanceof ConnectionLost || (error instanceof PostgresError && ends(error))
}

/**
 * Whether a statement was refused because an earlier one of its transaction had failed: by the server, by us (`refusedForAnother`),
 * or because the statement that prepares it had been refused for that reason (26000).
 */
export function isRefusedForAnother(error: unknown): boolean {
  return error instanceof PostgresError && ['25P02', '26000'].includes(error.code)
}

/** The error of a statement that the server skipped, because an earlier one in the same packet failed. */
export function refusedForAnother(): PostgresError {
  return new PostgresError({ message: 'A statement that left together with this one failed before it.', code: '25P02' })
}

/** Whether a lock was not granted in time (`lock_timeout`): another transaction holds it, and the statement itself is right. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof PostgresError && error.code === '55P03'
}

/**
 * Whether a transaction failed because others work on the same rows: by a lock time-out, a deadlock, or a conflict. It wrote nothing, and
 * may succeed a moment later.
 */
export function isBusy(error: unknown): boolean {
  return error instanceof PostgresError && ['55P03', '40P01', '40001'].includes(error.code)
}
