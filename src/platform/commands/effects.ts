import type { Tx } from '../postgres/database.ts'
import { type LockRank, lockOrder } from './lock-order.ts'

/** A kind of change, with the function that writes many of them at once. */
type Kind<Row> = {
  readonly rank: LockRank
  readonly apply: (tx: Tx, rows: readonly Row[], now: Date) => unknown
  /** Whether `apply` returns further effects, which must be known before the next rank begins. */
  readonly reacts: boolean
}

/** One change as data. `applyEffects` writes it. */
export type Effect = { readonly kind: Kind<never>; readonly row: unknown }

/**
 * Declares a change of new rows, or of rows that the transaction has already locked.
 * @param rank the rank of these rows in the lock order
 * @param write writes many at once. It need not await its statements: a failed statement fails the transaction anyway
 * @returns a function that makes one such effect
 */
export function defineEffect<Row>(
  rank: LockRank,
  write: (tx: Tx, rows: readonly Row[], now: Date) => Promise<void> | void,
): (row: Row) => Effect {
  return effectOf({ rank, apply: write, reacts: false })
}

/**
 * Declares a change of rows that are not locked yet.
 * @param rank the rank of these rows in the lock order
 * @param react locks all the rows, decides, and returns the effects, which have the same rank or a later one
 * @returns a function that makes one such effect
 */
export function defineReaction<Row>(
  rank: LockRank,
  react: (tx: Tx, rows: readonly Row[], now: Date) => Promise<readonly Effect[]>,
): (row: Row) => Effect {
  return effectOf({ rank, apply: react, reacts: true })
}

function effectOf<Row>(kind: Kind<Row>): (row: Row) => Effect {
  return (row) => ({ kind: kind as unknown as Kind<never>, row })
}

/**
 * Applies effects in the lock order, whatever their order in the list. Each kind is written once, with all its rows.
 * The effects that reactions return are included.
 * @param now the time of the transaction
 * @throws when a reaction returns an effect that comes before its own rows in the lock order
 */
export async function applyEffects(tx: Tx, effects: readonly Effect[], now: Date): Promise<void> {
  const pending = new Map<Kind<never>, unknown[]>()
  const underWay: Promise<unknown>[] = []

  function add(added: readonly Effect[], after: LockRank | null): void {
    for (const { kind, row } of added) {
      if (after !== null && placeOf(kind.rank) < placeOf(after)) {
        throw new Error(`${kind.rank} would be locked after ${after}: see lock-order.ts.`)
      }
      const rows = pending.get(kind)
      if (rows === undefined) pending.set(kind, [row])
      else rows.push(row)
    }
  }

  add(effects, null)
  while (pending.size > 0) {
    const kind = firstOf(pending.keys())
    const rows = pending.get(kind)!
    pending.delete(kind)
    const applied = kind.apply(tx, rows as never[], now)
    if (kind.reacts) add((await applied) as readonly Effect[], kind.rank)
    else if (applied instanceof Promise) {
      // A failure is reported at the end. Until then the transaction goes on sending.
      applied.catch(() => {})
      underWay.push(applied)
      // An awaited statement is sent one microtask later. The following statements must be sent after it.
      await null
    }
  }
  await Promise.all(underWay)
}

function firstOf(kinds: Iterable<Kind<never>>): Kind<never> {
  let first: Kind<never> | undefined
  for (const kind of kinds) if (first === undefined || placeOf(kind.rank) < placeOf(first.rank)) first = kind
  return first!
}

function placeOf(rank: LockRank): number {
  return lockOrder.indexOf(rank)
}
