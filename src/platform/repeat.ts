import type { Log } from './log.ts'

export type Repeated = { stop(): Promise<void> }

/**
 * Does something again and again, `pause_ms` after it ended, until stopped. An exception is logged and does not end it.
 * `stop` waits for the turn that is under way.
 */
export function repeat(name: string, pause_ms: number, log: Log, turn: () => Promise<unknown>): Repeated {
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  let under_way: Promise<void> = Promise.resolve()

  const next = async () => {
    try {
      await turn()
    } catch (error) {
      log.warn({ error, task: name }, 'a repeated task failed and will be tried again')
    }
    if (!stopped) timer = setTimeout(start, pause_ms)
  }
  const start = () => {
    under_way = next()
  }
  start()

  return {
    async stop() {
      stopped = true
      clearTimeout(timer)
      await under_way
    },
  }
}
