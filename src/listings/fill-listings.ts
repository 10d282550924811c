import { setTimeout as sleep } from 'node:timers/promises'
import { eachShard } from '../platform/each-shard.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'
import { readOpenWrites } from '../platform/postgres/open-writes.ts'
import { firstIdAt } from '../values/ids.ts'
import { countOperations } from './figures-store.ts'
import type { ListedKind } from './listed-operation.ts'
import { deleteListed } from './rebuild-store.ts'
import * as store from './store.ts'

/** Rows of one step: they hold the locks of one transaction. */
const ROWS_OF_A_STEP = 2_000
/** After each step that found much, the filling rests so many times as long as it took: money comes first. */
const REST = 1

/**
 * Milliseconds after which operations are listed. Until then lists read them from where money writes them. So most have ended when
 * they are listed and are written once, and an identifier that was made before its transaction began is in time.
 */
const LISTED_AFTER_MS = 20_000
/** Milliseconds after which they are looked at again, for one whose process stood still, or whose clock was wrong. */
const AGAIN_AFTER_MS = 3_600_000

/** Milliseconds of identifiers that are looked at again when the database's clock ran ahead and came back: they were passed before they were made. */
const LOOKED_BACK_MS = 600_000

/** The database's clock at a look, and milliseconds of a watch that nobody sets. */
type Look = { readonly now: number; readonly at: number }

type Step = { readonly source: store.Source; readonly after_ms: number }

const steps: readonly Step[] = [
  { source: 'new payments', after_ms: LISTED_AFTER_MS },
  { source: 'new payouts', after_ms: LISTED_AFTER_MS },
  { source: 'new events', after_ms: LISTED_AFTER_MS },
  { source: 'payments again', after_ms: AGAIN_AFTER_MS },
  { source: 'payouts again', after_ms: AGAIN_AFTER_MS },
]

/**
 * Lists operations as they stand now, and counts them in the daily figures of their status: out of the one that they were listed with. One transaction, so that
 * the figures are always those of the list.
 */
async function listOperations(tx: Tx, kind: ListedKind, keys: readonly store.OperationKey[]): Promise<void> {
  await store.lockCounting(tx)
  await writeAndCount(tx, kind, await store.readUnlistedOf(tx, kind, keys))
}

/**
 * Lists operations again that are not listed, or otherwise than they stand, and returns how many were missing, and how many otherwise: for the
 * repair. One transaction, which keeps what the figures and the list differ by, as every other one.
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
 * Lists payments and payouts behind the money path: new ones by their identifiers, which begin with their time, and those that moved
 * since by the events that every move leaves. A later state takes the place of an earlier one and never the reverse, so
 * a step may be repeated, and several workers may take one at once; mostly one does, and the others come back later.
 *
 * A transaction that commits late makes an identifier appear among those that were passed. So none is passed that may still appear: a
 * step ends before the oldest transaction that writes began, and 20 seconds earlier, because an identifier is older than its transaction.
 * When the database's clock jumps ahead, as after a machine slept, other processes believe the old time for a moment longer and write
 * identifiers of it; for those 20 seconds steps end before the jump.
 * @param listed_after_ms for tests
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

  /** The end of what may be passed, before what a step holds back: the present, or the time before a jump that was just seen. */
  function presentOf(now: number): number {
    const look = { now, at: performance.now() }
    const expected = looked === null ? now : looked.now + look.at - looked.at
    if (now > expected + LISTED_AFTER_MS) jump = { now: expected, at: look.at }
    if (jump !== null && look.at > jump.at + (listed_after_ms ?? LISTED_AFTER_MS)) jump = null
    looked = look
    return Math.min(now, jump?.now ?? now)
  }

  /** One step in a source. True: there is more. */
  async function take({ source, after_ms }: Step): Promise<boolean> {
    return sql.begin(async (tx) => {
      if (!(await store.lockFilling(tx))) return false
      const from = await store.readProgress(tx, source)
      // Read before the rows are: who writes now is among the open ones, or begins with an identifier that is not passed.
      const { now, oldest_open } = await readOpenWrites(tx)
      const horizon = Math.min(presentOf(now), oldest_open ?? now) - (listed_after_ms ?? after_ms)
      const idAt = (moment: number) => firstIdAt(store.prefixOf(source), moment)
      if (from > idAt(now)) {
        await store.writeProgress(tx, source, idAt(horizon - LOOKED_BACK_MS))
        return true
      }
      const until = idAt(horizon)
      if (until <= from) return false
      const { keys, next } = await store.readUnlisted(tx, source, { from, until, limit: ROWS_OF_A_STEP })
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
