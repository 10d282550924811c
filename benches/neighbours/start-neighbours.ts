import { once } from 'node:events'
import { startOwnProcess } from '../own-process.ts'
import type { NeighbourMessage, NeighbourOrder, NeighbourReport } from './neighbour-order.ts'
import type { StormMessage, StormOrder, StormReport } from './storm-order.ts'

/** The process of the neighbour. */
export type Neighbour = AsyncDisposable & {
  /** Where its endpoint is to be registered, followed by a path. */
  url: string
  /** Begins the calls. Resolves when each kind of call was answered and each kind of event has arrived. */
  begin(order: NeighbourOrder): Promise<void>
  /** Calls that are due from now on belong to this phase. */
  enter(phase: string): void
  /** Begins no more calls, waits for the open ones, and reports. */
  end(within_ms: number): Promise<NeighbourReport>
}

export async function startNeighbour(): Promise<Neighbour> {
  const {
    child,
    hello,
    [Symbol.asyncDispose]: dispose,
  } = await startOwnProcess<{ port: number }>('neighbours/neighbour.ts')
  const tell = (message: NeighbourMessage) => child.send(message)
  return {
    url: `http://127.0.0.1:${hello.port}`,
    async begin(order) {
      tell({ order })
      await once(child, 'message')
    },
    enter: (phase) => void tell({ phase }),
    async end(end_within_ms) {
      tell({ end_within_ms })
      const [{ report }] = (await once(child, 'message')) as [{ report: NeighbourReport }]
      return report
    },
    [Symbol.asyncDispose]: dispose,
  }
}

/** The process of the attacker. */
export type Storm = AsyncDisposable & {
  /** Writes the requests, so that sending them takes no time. */
  aim(order: StormOrder): Promise<void>
  /** Sends all of them at once; resolves when the last is answered, or after so many milliseconds. */
  fire(within_ms: number): Promise<StormReport>
}

export async function startStorm(): Promise<Storm> {
  const { child, [Symbol.asyncDispose]: dispose } = await startOwnProcess<'here'>('neighbours/storm.ts')
  const tell = (message: StormMessage) => child.send(message)
  return {
    async aim(order) {
      tell({ order })
      await once(child, 'message')
    },
    async fire(go_within_ms) {
      tell({ go_within_ms })
      const [{ report }] = (await once(child, 'message')) as [{ report: StormReport }]
      return report
    },
    [Symbol.asyncDispose]: dispose,
  }
}
