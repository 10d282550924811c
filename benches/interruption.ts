import { constants } from 'node:os'

type Ending = { /** Ends it now, once. */ now(): Promise<void> }

const endings: (() => Promise<void>)[] = []

/** Registers a clean-up, to run when its bench ends or is interrupted. */
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

/** From now on, a signal runs the clean-ups of all benches, the last registered first, before it ends this process. */
export function endOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, async () => {
      for (const end of endings.splice(0).reverse()) await end().catch(() => {})
      process.exit(128 + constants.signals[signal])
    })
  }
}
