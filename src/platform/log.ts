import pino, { type Logger, type LoggerOptions } from 'pino'

export type Log = Logger

/**
 * The service's log: one JSON line an event on standard output. Fields are opted in by whoever logs; numbers and secrets
 * travel in types that print themselves masked (`Msisdn`, `Secret`), and an error is reduced to its kind, code and
 * place, because a database's message about a value quotes it.
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
  // Classes 22 and 23 are about values: their messages quote them.
  const quotesARow = known.name === 'PostgresError' && /^2[23]/.test(String(known.code))
  return {
    name: known.name,
    ...(typeof known.code === 'string' ? { code: known.code } : {}),
    ...(typeof known.constraint_name === 'string' ? { constraint: known.constraint_name } : {}),
    ...(quotesARow ? {} : { message: known.message }),
    stack: known.stack
      ?.split('\n')
      .slice(1, 8)
      .map((line) => line.trim()),
    ...(known.cause === undefined ? {} : { cause: describeError(known.cause) }),
  }
}
