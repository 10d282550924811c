import type { Log } from '../platform/log.ts'

/** Milliseconds after which a shutdown that hangs is ended. */
const SHUTDOWN_TIMEOUT_MS = 40_000

/** To be called when a process begins to stop: ends it in any case. */
export function enforceShutdownTimeout(log: Log): void {
  const timer = setTimeout(() => {
    log.fatal('shutdown timed out, exiting')
    process.exit(1)
  }, SHUTDOWN_TIMEOUT_MS)
  timer.unref()
}
