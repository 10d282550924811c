import type { Log } from '../platform/log.ts'

/** Milliseconds after which a hanging shutdown is aborted. */
const SHUTDOWN_TIMEOUT_MS = 40_000

/** Milliseconds in which a start that is told to end must notice it. Each of its waits for others may be longer. */
const START_TIMEOUT_MS = 5_000

/** Call it when a process begins to stop. It ends the process in any case. */
export function enforceShutdownTimeout(log: Log): void {
  endAfter(SHUTDOWN_TIMEOUT_MS, () => log.fatal('shutdown timed out, exiting'))
}

/**
 * Call it when a process is told to end during its start. It ends the process in any case, as a kill would, after which every next start
 * works. Returns a function for a start that has noticed.
 */
export function enforceStartTimeout(log: Log): () => void {
  return endAfter(START_TIMEOUT_MS, () => log.fatal('start did not stop in time, exiting'))
}

function endAfter(milliseconds: number, say: () => void): () => void {
  const timer = setTimeout(() => {
    say()
    process.exit(1)
  }, milliseconds)
  timer.unref()
  return () => clearTimeout(timer)
}
