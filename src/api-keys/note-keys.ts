import { eachShard } from '../platform/each-shard.ts'
import type { Log } from '../platform/log.ts'
import type { Sql } from '../platform/postgres/database.ts'
import type { KeyOfTenant } from './store.ts'

/** Keys for which a note waits to be written, at most; those of others are dropped while as many wait. */
const WAITING_MAX = 1_000

/** Notes are written together this often, so that a stranger with a leaked key costs one write a second. */
const WRITE_EVERY_MS = 1_000

export type KeyNotes<Note> = {
  /** Keeps the last note of a key. Never waits and never fails: the answer does not depend on it. */
  record(note: Note): void
  /** Writes what waits. */
  close(): Promise<void>
}

/**
 * Keeps for each key the last note of a kind, beside the requests: the address that it was refused from, or its last call.
 * @param what the notes, for the log
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
      log.warn({ error, notes: notes.length }, `${what} not recorded`)
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
