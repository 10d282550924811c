import { eachShard } from '../platform/each-shard.ts'
import type { Log } from '../platform/log.ts'
import type { Sql } from '../platform/postgres/database.ts'
import type { KeyOfTenant } from './store.ts'

/** The most keys with an unwritten note. Notes of further keys are dropped meanwhile. */
const WAITING_MAX = 1_000

/** Milliseconds between two writes of notes, so that a stranger with a leaked key costs one write a second. */
const WRITE_EVERY_MS = 1_000

export type KeyNotes<Note> = {
  /** Records something about a key; the last record counts. Never waits and never fails, because the answer does not depend on it. */
  record(note: Note): void
  /** Writes the notes that wait. */
  close(): Promise<void>
}

/**
 * Records one fact of each key without delaying requests: the last refused address, or the last call.
 * @param what the name of the fact, for the log
 */
export function createKeyNotes<Note extends KeyOfTenant>(
  { sql, log, what }: { sql: Sql; log: Log; what: string },
  update: (db: Sql, notes: readonly Note[]) => Promise<void>,
): KeyNotes<Note> {
  let waiting = new Map<string, Note>()
  let timer: NodeJS.Timeout | null = null
  let writing: Promise<void> = Promise.resolve()

  async function write(): Promise<void> {
    timer = null
    const notes = [...waiting.values()]
    waiting = new Map()
    if (notes.length === 0) return
    try {
      await eachShard(sql, notes, (some) => update(sql, some))
    } catch (error) {
      log.warn({ error, notes: notes.length }, `api-keys: ${what} not recorded`)
    }
  }

  return {
    record(note) {
      if (waiting.size >= WAITING_MAX && !waiting.has(note.key_id)) return
      waiting.set(note.key_id, note)
      timer ??= setTimeout(() => {
        // One write after the other, so that an older note is never written over a newer one.
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
