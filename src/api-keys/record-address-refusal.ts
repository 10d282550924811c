import { eachShard } from '../platform/each-shard.ts'
import type { Log } from '../platform/log.ts'
import type { Sql } from '../platform/postgres/database.ts'
import { type AddressRefusal, updateLastRefusals } from './store.ts'

/** Keys whose refusal waits to be written, at most; the refusals of others are not noted while as many wait. */
const WAITING_MAX = 1_000

/** Refusals are written together this often, so that a stranger with a leaked key costs one write a second. */
const WRITE_EVERY_MS = 1_000

export type AddressRefusals = {
  /** Notes the last refusal of a key. Never waits and never fails: the answer does not depend on it. */
  record(refusal: AddressRefusal): void
  /** Writes what waits. */
  close(): Promise<void>
}

/** Keeps for each key the last address it was refused from, beside the requests. */
export function createAddressRefusals({ sql, log }: { sql: Sql; log: Log }): AddressRefusals {
  let waiting = new Map<string, AddressRefusal>()
  let timer: NodeJS.Timeout | null = null
  let writing: Promise<void> = Promise.resolve()

  async function write(): Promise<void> {
    timer = null
    const refusals = [...waiting.values()]
    waiting = new Map()
    if (refusals.length === 0) return
    try {
      await eachShard(sql, refusals, (some) => updateLastRefusals(sql, some))
    } catch (error) {
      log.warn({ error, refusals: refusals.length }, 'address refusals not recorded')
    }
  }

  return {
    record(refusal) {
      if (waiting.size >= WAITING_MAX && !waiting.has(refusal.key_id)) return
      waiting.set(refusal.key_id, refusal)
      timer ??= setTimeout(() => {
        // One write after the other, so that an older refusal is never written over a newer one.
        writing = writing.then(write)
      }, WRITE_EVERY_MS).unref()
    },
    async close() {
      if (timer !== null) clearTimeout(timer)
      await writing
      await write()
    },
  }
}
