import { setTimeout as sleep } from 'node:timers/promises'
import { createGroupCall } from '../../platform/commands/group-commit.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { type Tenant, tenantKey } from '../../values/caller.ts'
import { findNews, type Waiting } from './feed-store.ts'
import type { Position } from './position.ts'

/** Milliseconds between two questions to the database. All who wait ask in one statement. */
const ASK_EVERY_MS = 100
/** The most who ask in one statement. */
const ASK_TOGETHER = 2_000
/** The most calls of one merchant and mode that wait in a process. */
const WAITS_MAX = 8

/** The wait of one call for events. */
export type FeedWait = {
  /** Whether the time is over, a ninth call of the merchant has come, or the process stops. */
  isOver(): boolean
  /** Resolves when an event is settled behind the place, or the wait is over. */
  untilNews(place: Position): Promise<void>
  /** Ends the wait. Call it when the call is answered. */
  end(): void
}

export type FeedWaits = {
  /** Begins the wait of a call. It ends the oldest of the merchant if eight wait. */
  begin(tenant: Tenant, seconds: number): FeedWait
  /** Ends all waits, and every later one at once, because the process stops. */
  stop(): void
}

type Place = { isEnded: boolean }

/** Makes the waits of a process. */
export function createFeedWaits({ sql }: { sql: Sql }): FeedWaits {
  const hasNews = createGroupCall<Waiting, boolean>(sql, {
    for: 'polling',
    size: ASK_TOGETHER,
    run: (waiting) => findNews(sql, waiting),
  })
  /** The waits of each merchant and mode, the oldest first. */
  const waits = new Map<string, Set<Place>>()
  let stopping = false

  return {
    begin(tenant, seconds) {
      const until = performance.now() + seconds * 1_000
      const name = tenantKey(tenant)
      const others = waits.get(name) ?? new Set()
      const place: Place = { isEnded: false }
      waits.set(name, others.add(place))
      if (others.size > WAITS_MAX) end(others.values().next().value!)

      function end(ended: Place): void {
        ended.isEnded = true
        others.delete(ended)
        if (others.size === 0 && waits.get(name) === others) waits.delete(name)
      }
      const isOver = () => place.isEnded || stopping || performance.now() >= until
      return {
        isOver,
        async untilNews(behind) {
          while (!isOver()) {
            // At the same moments for all who wait.
            await sleep(ASK_EVERY_MS - (performance.now() % ASK_EVERY_MS))
            if (isOver() || (await hasNews({ ...tenant, ...behind }))) return
          }
        },
        end: () => end(place),
      }
    },
    stop() {
      stopping = true
    },
  }
}
