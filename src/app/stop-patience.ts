import type { Log } from '../platform/log.ts'

/** Milliseconds after which a stop that hangs is cut short. */
const STOP_PATIENCE = 40_000

/** To be called when a process begins to stop: ends it in any case. */
export function limitStop(log: Log): void {
  const cutShort = setTimeout(() => {
    log.fatal('the stop hung and was cut short')
    process.exit(1)
  }, STOP_PATIENCE)
  cutShort.unref()
}
