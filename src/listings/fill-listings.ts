import { setTimeout as sleep } from 'node:timers/promises'
import { eachShard } from '../platform/each-shard.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'
import { readOpenWrites } from '../platform/postgres/open-writes.ts'
import { firstIdAt } from '../values/ids.ts'
import { countOperations } from './figures-store.ts'
import type { ListedKind } from './listed-operation.ts'
import { deleteListed } from './rebuild-store.ts'
import * as store from './store.ts'

/** The most rows of one step, whose locks one transaction holds. */
const ROWS_OF_A_STEP = 2_000
/**
 * After each full step the worker pauses this many times the step's duration, because money comes first: behind a burst of payments it takes at
 * most a fifth of one connection. That is enough for what two cores complete.
 */
const REST = 4

/**
 * Milliseconds after which operations are listed. Until then lists read their own tables. So most operations have ended when they are
 * listed, and are written once. The delay also covers identifiers that were made before their transaction began.
 */
const LISTED_AFTER_MS = 20_000
/** Milliseconds after which the worker checks operations again, for a process that froze or had a wrong clock. */
const AGAIN_AFTER_MS = 3_600_000

/** Milliseconds of identifiers to check again after the database's clock ran ahead and was set back: the worker passed them before they were made. */
const LOOKED_BACK_MS = 600_000

/** The database's clock at one reading, and the monotonic clock, both in milliseconds. */
type Look = { readonly now: number; readonly at: number }

type Step = { readonly source: store.Source; readonly after_ms: number }

/** Events come first, because most are then about operations that are still to be listed, in the state that they have by then. */
const steps: readonly Step[] = [
  { source: 'new events', after_ms: LISTED_AFTER_MS },
  { source: 'new payments', after_ms: LISTED_AFTER_MS },
  { source: 'new payouts', after_ms: LISTED_AFTER_MS },
  { source: 'payments again', after_ms: AGAIN_AFTER_MS },
  { source: 'payouts again', after_ms: AGAIN_AFTER_MS },
]

/**
 * Lists operations in their current state, and moves them in the daily figures from the status in which they were listed to the current one.
 * One transaction does both, so that the figures always agree with the list.
 */
async function listOperations(tx: Tx, kind: ListedKind, keys: readonly store.OperationKey[]): Promise<void> {
  await store.lockCounting(tx)
  await writeAndCount(tx, kind, await store.readUnlistedOf(tx, kind, keys))
}

/**
 * Lists operations that are missing or wrong in the list, and returns the number of each, for the repair. One transaction changes list and
 * figures alike, so their difference stays the same.
 */
export async function listAgain(
  tx: Tx,
  kind: ListedKind,
  keys: readonly store.OperationKey[],
): Promise<{ missing: number; otherwise: number }> {
  await store.lockCounting(tx)
  const mislisted = await store.readMislistedOf(tx, kind, keys)
  const otherwise = mislisted.filter(({ listed_status }) => listed_status !== null)
  await deleteListed(tx, kind, otherwise)
  await writeAndCount(tx, kind, mislisted)
  return { missing: mislisted.length - otherwise.length, otherwise: otherwise.length }
}

async function writeAndCount(tx: Tx, kind: ListedKind, unlisted: readonly store.Unlisted[]): Promise<void> {
  if (unlisted.length === 0) return
  const moved = unlisted.flatMap(({ listed_status: status, ...row }) => (status === null ? [] : [{ ...row, status }]))
  await store.writeListed(tx, kind, unlisted)
  await countOperations(tx, kind, moved, -1)
  await countOperations(tx, kind, unlisted, 1)
}

/**
 * Creates the job that lists payments and payouts after the fact: it finds new ones by their identifiers, which begin with their time, and
 * moved ones by the event of each move. A later state replaces an earlier one, never the reverse. So a step may be repeated, and several
 * workers may run it at once; usually one does, and the others try later.
 *
 * A transaction that commits late has an identifier that is older than others. So the worker does not pass an identifier that may still
 * appear: a step ends 20 seconds before the start of the oldest open write transaction, because an identifier is older than its
 * transaction. If the database's clock jumps ahead, for example after a machine slept, other processes use the old time a moment longer;
 * for 20 seconds steps then end before the jump.
 * @param listed_after_ms replaces those 20 seconds in tests
 */
export function createFillListings({
  sql,
  listed_after_ms,
}: {
  sql: Sql
  listed_after_ms?: number
}): (stopping: AbortSignal) => Promise<void> {
  let looked: Look | null = null
  let jump: Look | null = null

  /** Returns the time up to which identifiers are complete, before a step's own delay: the present, or the time before a recent jump. */
  function presentOf(now: number): number {
    const look = { now, at: performance.now() }
    const expected = looked === null ? now : looked.now + look.at - looked.at
    if (jump !== null && look.at > jump.at + (listed_after_ms ?? LISTED_AFTER_MS)) jump = null
    // Of two jumps soon one after the other the earlier time counts: a process may not have heard of either.
    if (now > expected + LISTED_AFTER_MS) jump = { now: Math.min(expected, jump?.now ?? expected), at: look.at }
    looked = look
    return Math.min(now, jump?.now ?? now)
  }

  /** Takes one step in a source. True when there is more. */
  async function take({ source, after_ms }: Step): Promise<boolean> {
    return sql.begin(async (tx) => {
      if (!(await store.lockFilling(tx))) return false
      const from = await store.readProgress(tx, source)
      // Read before the rows: a current writer is among the open transactions, or has an identifier after the end of this step.
      const { now, oldest_open } = await readOpenWrites(tx)
      const horizon = Math.min(presentOf(now), oldest_open ?? now) - (listed_after_ms ?? after_ms)
      const idAt = (moment: number) => firstIdAt(store.prefixOf(source), moment)
      if (from > idAt(now)) {
        await store.writeProgress(tx, source, idAt(horizon - LOOKED_BACK_MS))
        return true
      }
      const until = idAt(horizon)
      if (until <= from) return false
      const { keys, next } = await store.readUnlisted(tx, source, { tenant: null, from, until, limit: ROWS_OF_A_STEP })
      for (const [kind, some] of Map.groupBy(keys, ({ kind }) => kind)) {
        await eachShard(sql, some, (ofShard) => sql.begin((each) => listOperations(each, kind, ofShard)))
      }
      await store.writeProgress(tx, source, next ?? until)
      return next !== null
    })
  }

  return async (stopping) => {
    for (const step of steps) {
      for (let more = true; more && !stopping.aborted; ) {
        const began = performance.now()
        more = await take(step)
        if (more) await sleep((performance.now() - began) * REST, undefined, { signal: stopping }).catch(() => {})
      }
    }
  }
}
