import pino, { type Logger, type LoggerOptions } from 'pino'

export type Log = Logger

/**
 * The service's log: one JSON line for each event, on standard output. The caller chooses the fields. Numbers and secrets have types that
 * print themselves masked (`Msisdn`, `Secret`). Of an error the log has the class, the code and the place, because a message of the
 * database may quote a value.
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
  // The messages of the classes 22 and 23 quote values.
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
