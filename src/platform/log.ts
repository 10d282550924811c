import pino, { type Logger, type LoggerOptions } from 'pino'

export type Log = Logger

/**
 * The service's log: one JSON line an event on standard output. Fields are opted in by whoever logs; numbers and secrets
 * travel in types that print themselves masked (`Msisdn`, `Secret`), and an error is reduced to its kind, code and
 * place, because the message of a database error quotes the row it refused.
 */
export function createLog(level: string, name: string, to: NodeJS.WritableStream = process.stdout): Log {
  const settings: LoggerOptions = {
    level,
    base: { service: name, pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { error: describeError, err: describeError },
  }
  return pino(settings, to)
}

function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { name: 'unknown' }
  const known = error as Error & { code?: unknown; constraint_name?: unknown; cause?: unknown }
  const fromDatabase = known.name === 'PostgresError'
  return {
    name: known.name,
    ...(typeof known.code === 'string' ? { code: known.code } : {}),
    ...(typeof known.constraint_name === 'string' ? { constraint: known.constraint_name } : {}),
    ...(fromDatabase ? {} : { message: known.message }),
    stack: known.stack
      ?.split('\n')
      .slice(1, 8)
      .map((line) => line.trim()),
    ...(known.cause === undefined ? {} : { cause: describeError(known.cause) }),
  }
}
