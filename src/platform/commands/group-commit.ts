import type { Sql, Tx } from '../postgres/database.ts'
import { createBatcher, ofOneMerchant } from './batching/batcher.ts'
import { ACK_BATCHING, type Batching } from './batching/batching.ts'

/**
 * How long a group waits to fill under load, in milliseconds.
 * - `background`: 25, up to 100 on a busy machine.
 * - `acknowledgement`, for records of finished work: 100.
 * - `polling`, for one question repeated again and again: 50, however many ask.
 */
export type GroupPurpose = 'background' | 'acknowledgement' | 'polling'

const batchings: Readonly<Record<GroupPurpose, Batching>> = {
  background: { ms: 25, enough: 256, most: 100 },
  acknowledgement: ACK_BATCHING,
  polling: { ms: 50, enough: Number.POSITIVE_INFINITY },
}

/**
 * Replaces `background` and `acknowledgement` when each group holds one merchant's items (`SHARDED`). A group then does
 * not wait for other merchants' items, and at the usual intervals the groups of many merchants would take turns until
 * leases expire.
 */
const SHARDED_BATCHING: Batching = { ms: 10, enough: 32 }

export type GroupOptions<Item> = {
  /**
   * The merchant whose rows an item concerns. With `SHARDED`, a group holds one merchant's items. Absent when the rows
   * belong to no merchant.
   */
  tenantOf?: (item: Item) => { readonly merchant_id: number }
  /**
   * The owner of an item's locks. When a lock times out, owners are tried again separately, and only the owner whose
   * lock is held fails.
   */
  ownerOf?: (item: Item) => string
  /** A key that all items of a group share. Items of one key are never in two groups at once. Absent: a group takes any items. */
  keyOf?: (item: Item) => string
  /** The party that takes turns, when it is not the owner. */
  turnOf?: (item: Item) => string
  /** When absent, a group never waits for further items. */
  for?: GroupPurpose
  /** Most items in a group; 256 when absent. */
  size?: number
  /** Most groups at once; one when absent. */
  concurrency?: number
  /**
   * Most waiting items; beyond it a call throws `Overloaded` at once. No bound when absent, for callers that are
   * bounded themselves.
   */
  waiting_max?: number
}

/**
 * Group commit: does the work for many callers' items in one transaction. The work returns one answer for each item, in
 * order, and each caller gets its own after the commit. When the transaction fails, each item is tried alone, so that
 * one does not fail the others.
 * @param committed called after the commit, before any caller gets an answer
 */
export function createGroupCommit<Item, Answer>(
  sql: Sql,
  {
    run,
    committed,
    ...options
  }: GroupOptions<Item> & { run: (tx: Tx, items: readonly Item[]) => Promise<Answer[]>; committed?: () => void },
): (item: Item) => Promise<Answer> {
  return createGroupCall(sql, {
    ...options,
    async run(items) {
      const answers = await sql.begin((tx) => run(tx, items))
      committed?.()
      return answers
    },
  })
}

/** Like `createGroupCommit`, for work that is one statement, such as a read, or that opens its own transactions. */
export function createGroupCall<Item, Answer>(
  sql: Sql,
  options: GroupOptions<Item> & { run: (items: readonly Item[]) => Promise<Answer[]> },
): (item: Item) => Promise<Answer> {
  const {
    run,
    tenantOf,
    ownerOf,
    keyOf,
    turnOf,
    for: purpose,
    size,
    concurrency,
    waiting_max = Number.POSITIVE_INFINITY,
  } = options
  const byTurns = sql.sharded && tenantOf !== undefined && purpose !== 'polling'
  const batching = purpose === undefined ? undefined : byTurns ? SHARDED_BATCHING : batchings[purpose]
  const apart = tenantOf === undefined ? {} : ofOneMerchant(sql, tenantOf)
  return createBatcher<Item, Answer>({
    run,
    owner: ownerOf,
    turnOf,
    batching,
    size,
    concurrency,
    waiting: waiting_max,
    ...(keyOf !== undefined && { key: keyOf }),
    ...apart,
  })
}
