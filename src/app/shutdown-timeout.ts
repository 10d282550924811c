import type { Log } from '../platform/log.ts'

/** Milliseconds after which a hanging shutdown is aborted. */
const SHUTDOWN_TIMEOUT_MS = 40_000

/** Call it when a process begins to stop. It ends the process in any case. */
export function enforceShutdownTimeout(log: Log): void {
  const timer = setTimeout(() => {
    log.fatal('shutdown timed out, exiting')
    process.exit(1)
  }, SHUTDOWN_TIMEOUT_MS)
  timer.unref()
}
