import { constants } from 'node:os'

type Ending = { /** Ends it now, once. */ now(): Promise<void> }

const endings: (() => Promise<void>)[] = []

/** Registers a clean-up, to run when its bench is over or interrupted. */
export function atTheEnd(end: () => Promise<void>): Ending {
  endings.push(end)
  return {
    async now() {
      const at = endings.indexOf(end)
      if (at === -1) return
      endings.splice(at, 1)
      await end()
    },
  }
}

/** From now on a signal ends what benches have started, the last first, before it ends us. */
export function endOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, async () => {
      for (const end of endings.splice(0).reverse()) await end().catch(() => {})
      process.exit(128 + constants.signals[signal])
    })
  }
}
