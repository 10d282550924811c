import type { Log } from './log.ts'

export type PeriodicTask = { stop(): Promise<void> }

/**
 * Repeats a task until stopped, with a pause of `pause_ms` after each run. It logs an exception and continues.
 * `stop` aborts the signal of the current run, and waits for its end.
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
