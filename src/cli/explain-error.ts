import { getSystemErrorMap } from 'node:util'
import { ConfigError } from '../platform/config.ts'
import { EmbeddedPostgresError } from '../platform/postgres/embedded/account.ts'
import { isBusy, isConnectionLost, PostgresError, violatedConstraint } from '../platform/postgres/failures.ts'
import { DatabaseUnreachableError } from '../platform/postgres/servers/check-connection.ts'
import { CommandError } from './command.ts'

/** Errors whose message is written for the person who typed the command or set the variables. */
const userErrors = [CommandError, ConfigError, EmbeddedPostgresError, DatabaseUnreachableError]

/**
 * The message on standard error for anything that a command throws: a sentence, never a trace, and never a value that the
 * database quotes. `fault`: the error is ours, and the log keeps more of it.
 */
export function explainError(error: unknown): { message: string; exit_code: number; fault: boolean } {
  const told = (message: string, exit_code = 1) => ({ message, exit_code, fault: false })
  if (error instanceof CommandError) return told(error.message, error.exitCode)
  if (userErrors.some((kind) => error instanceof kind)) return told((error as Error).message)
  // Every table of a merchant's data has a foreign key to it, so the database says when there is no such merchant.
  if (violatedConstraint(error)?.endsWith('_merchant_id_fkey')) return told('There is no such merchant.')
  if (error instanceof PostgresError && error.code === '57014') {
    return told('The database took longer than 5 seconds and was stopped. Ask for less, or try again later.')
  }
  if (isBusy(error)) {
    return told(
      'Another operation holds the same account just now. Nothing was done: it is safe to run the command again in a moment.',
    )
  }
  if (isConnectionLost(error)) {
    return told(
      'The connection to the database was lost meanwhile. The act may have been carried out: look before you repeat it.',
    )
  }
  return ofTheSystem(error) ?? { message: ofUs(error), exit_code: 1, fault: true }
}

/** The message for a file, a folder or an address that the operating system refuses. Null for any other error. */
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
        'PORT and HOST, and for the metrics METRICS_PORT and METRICS_HOST, name another.',
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
  // The database quotes values in its messages; its code says what it was.
  const what = error instanceof PostgresError ? `the database refused a statement (${error.code})` : message
  return (
    `This is a fault of bandama: ${what.split('\n')[0] || `${name} ${String(code ?? '')}`.trim()}. ` +
    'LOG_LEVEL=debug before the command shows where it happened.'
  )
}
