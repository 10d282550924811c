import { getSystemErrorMap } from 'node:util'
import { BackupRefused } from '../app/backups/backup-refused.ts'
import { ConfigError } from '../platform/config.ts'
import { EmbeddedPostgresError } from '../platform/postgres/embedded/account.ts'
import { isBusy, isConnectionLost, PostgresError, violatedConstraint } from '../platform/postgres/failures.ts'
import { DatabaseUnreachableError } from '../platform/postgres/servers/check-connection.ts'
import { MigrationRefused } from '../platform/postgres/upkeep/migrate.ts'
import { CommandError } from './command.ts'

/** Errors with a message for the person who typed the command or wrote the settings. */
const userErrors = [
  CommandError,
  ConfigError,
  EmbeddedPostgresError,
  DatabaseUnreachableError,
  MigrationRefused,
  BackupRefused,
]

/** The SQLSTATE of a write for which the database's disk has no space. */
const DISK_FULL = '53100'
/** The SQLSTATE of a connection beyond max_connections. */
const TOO_MANY_CONNECTIONS = '53300'

/**
 * The message on standard error for any error of a command: a sentence, never a stack trace, and never a value that the
 * database quotes. `fault`: a defect of ours, whose details go to the log.
 */
export function explainError(error: unknown): { message: string; exit_code: number; fault: boolean } {
  const told = (message: string, exit_code = 1) => ({ message, exit_code, fault: false })
  if (error instanceof CommandError) return told(error.message, error.exitCode)
  if (userErrors.some((kind) => error instanceof kind)) return told((error as Error).message)
  // Every table with a merchant's data has a foreign key to `merchants`, so the database reports an unknown merchant.
  if (violatedConstraint(error)?.endsWith('_merchant_id_fkey')) return told('There is no such merchant.')
  if (error instanceof PostgresError && error.code === '57014') {
    return told(
      'The database statement took longer than 5 seconds and was cancelled. Ask for less, or try again later.',
    )
  }
  if (error instanceof PostgresError && error.code === DISK_FULL) {
    return told(
      "The database's disk is full, so this was not written. Free space or enlarge the disk, then run the command again.",
    )
  }
  if (isBusy(error)) {
    return told('Another operation has locked the same account. Nothing was done. Run the command again in a moment.')
  }
  if (error instanceof PostgresError && error.code === TOO_MANY_CONNECTIONS) {
    return told(
      'The database takes no more connections: others use all that its max_connections allows. Raise it, or end what uses them. ' +
        'The command may have taken effect in part: check before you repeat it.',
    )
  }
  if (isConnectionLost(error)) {
    return told(
      'The connection to the database was lost. The command may have taken effect: check before you repeat it.',
    )
  }
  return ofTheSystem(error) ?? { message: ofUs(error), exit_code: 1, fault: true }
}

/** The message for an operating-system error about a file, folder or address. Null for any other error. */
function ofTheSystem(error: unknown): { message: string; exit_code: number; fault: boolean } | null {
  if (!(error instanceof Error)) return null
  const { errno, code, syscall, path, address, port } = error as NodeJS.ErrnoException & {
    address?: string
    port?: number
  }
  if (typeof errno !== 'number' || syscall === undefined) return null
  const why = getSystemErrorMap().get(errno)?.[1] ?? code ?? 'it was refused'
  if (syscall === 'listen' || syscall === 'bind') {
    return {
      message:
        `Cannot listen on port ${port} of ${address}: ${why}. ` +
        'Change PORT and HOST, or METRICS_PORT and METRICS_HOST for the metrics.',
      exit_code: 1,
      fault: false,
    }
  }
  if (path === undefined) return null
  const verb = syscall === 'mkdir' ? 'made' : ['write', 'rename', 'unlink'].includes(syscall) ? 'written' : 'opened'
  return { message: `${path} cannot be ${verb}: ${why}.`, exit_code: 1, fault: false }
}

function ofUs(error: unknown): string {
  const { name, message, code } =
    error instanceof Error ? (error as Error & { code?: unknown }) : { name: 'Error', message: '' }
  // The database's messages may quote values, so only its error code is shown.
  const what = error instanceof PostgresError ? `the database refused a statement (${error.code})` : message
  return (
    `Internal error of bandama: ${what.split('\n')[0] || `${name} ${String(code ?? '')}`.trim()}. ` +
    'Run the command with LOG_LEVEL=debug to see where it happened.'
  )
}
