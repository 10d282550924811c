import type { Log } from './log.ts'

export type PeriodicTask = { stop(): Promise<void> }

/**
 * Does something again and again, `pause_ms` after it ended, until stopped. An exception is logged and does not end it.
 * `stop` waits for the turn that is under way, which is told by its signal.
 */
export function runEvery(
  name: string,
  pause_ms: number,
  log: Log,
  turn: (stopping: AbortSignal) => Promise<unknown>,
): PeriodicTask {
  const stopping = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let under_way: Promise<void> = Promise.resolve()

  const next = async () => {
    try {
      await turn(stopping.signal)
    } catch (error) {
      log.warn({ error, task: name }, 'periodic task failed, retrying')
    }
    if (!stopping.signal.aborted) timer = setTimeout(start, pause_ms)
  }
  const start = () => {
    under_way = next()
  }
  start()

  return {
    async stop() {
      stopping.abort()
      clearTimeout(timer)
      await under_way
    },
  }
}
