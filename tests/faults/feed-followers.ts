import { setTimeout as sleep } from 'node:timers/promises'
import { createClock } from '../../src/platform/clock.ts'
import type { Sql } from '../../src/platform/postgres/database.ts'
import { isConnectionLost } from '../../src/platform/postgres/failures.ts'
import type { Tenant } from '../../src/values/caller.ts'
import { emitEvents } from '../../src/webhooks/emit.ts'
import type { Feed } from '../contract/feed.ts'
import type { Seed } from '../harness/seed.ts'
import { payments } from '../harness/webhooks.ts'

const clock = createClock()

/** The share of transactions that are rolled back, of calls that are cut, and of events at which a follower dies. */
const UNDONE = 0.05
const CUT = 0.5
const DEATH = 0.005

class Undone extends Error {}

export type Writers = {
  /** The events of transactions that were committed for certain. */
  readonly written: number
  stop(): Promise<void>
}

/** Starts writers that commit their transactions in another order than they made their events. */
export function startWriters(sql: Sql, tenant: Tenant, { count, seed }: { count: number; seed: Seed }): Writers {
  let written = 0
  let stopping = false

  async function writeOnce(): Promise<void> {
    const events = payments(tenant, seed.between(1, 4))
    await sql.begin(async (tx) => {
      await emitEvents(tx, events, clock.now())
      await tx`select pg_current_xact_id()`
      await sleep(seed.between(0, 20))
      if (seed.chance(UNDONE)) throw new Undone()
    })
    written += events.length
  }

  async function write(): Promise<void> {
    while (!stopping) {
      try {
        await writeOnce()
      } catch (error) {
        if (error instanceof Undone) continue
        if (!isConnectionLost(error)) throw error
        await sleep(50)
      }
    }
  }
  const working = Promise.all(Array.from({ length: count }, write))
  // A writer that fails makes `stop` fail.
  working.catch(() => {})
  return {
    get written() {
      return written
    },
    async stop() {
      stopping = true
      await working
    },
  }
}

/** A program that follows the feed, and keeps only its cursor and the events that it handled when it dies. */
export type Follower = {
  /** The events that it handled, in their order, repeated ones too. */
  readonly handled: readonly string[]
  /** The times at which it was told of a restore. */
  readonly restored: readonly string[]
  readonly cuts: number
  readonly deaths: number
  /** @throws the answer that no follower may get */
  stop(): Promise<void>
}

export function startFollower({
  addressOf,
  key,
  seed,
}: {
  addressOf: () => string
  key: string
  seed: Seed
}): Follower {
  const handled: string[] = []
  const restored: string[] = []
  const stopping = new AbortController()
  let [cuts, deaths] = [0, 0]
  let cursor = 'begin'

  /** Null: it was cut, nobody listened, or the database was away. */
  async function ask(): Promise<Feed | null> {
    const cut = new AbortController()
    const timer = seed.chance(CUT) ? setTimeout(() => cut.abort(), seed.between(0, 100)) : undefined
    try {
      const answer = await fetch(`${addressOf()}/x/events?after=${cursor}&wait=2&limit=100`, {
        headers: { Authorization: `Bearer ${key}` },
        signal: AbortSignal.any([cut.signal, stopping.signal]),
      })
      if (answer.status === 200) return (await answer.json()) as Feed
      const text = await answer.text()
      if (answer.status < 500) throw new Refused(`${answer.status} ${text}`)
      return null
    } catch (error) {
      if (error instanceof Refused) throw error
      if (cut.signal.aborted) cuts += 1
      return null
    } finally {
      clearTimeout(timer)
    }
  }

  /** Handles the events of a page, and keeps the cursor of each. It dies between the two now and then, and handles that event again. */
  function handle({ data, next, restored_at }: Feed): void {
    if (restored_at !== null) restored.push(restored_at)
    for (const event of data) {
      handled.push(event.id)
      if (seed.chance(DEATH)) {
        deaths += 1
        return
      }
      cursor = event.cursor
    }
    cursor = next
  }

  async function follow(): Promise<void> {
    while (!stopping.signal.aborted) {
      const page = await ask()
      if (page === null) await sleep(20)
      else handle(page)
    }
  }
  const working = follow()
  working.catch(() => {})
  return {
    handled,
    restored,
    get cuts() {
      return cuts
    },
    get deaths() {
      return deaths
    },
    async stop() {
      stopping.abort()
      await working
    },
  }
}

class Refused extends Error {}
