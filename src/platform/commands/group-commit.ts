import type { Sql, Tx } from '../postgres/database.ts'
import { createBatcher, ofOneMerchant } from './batching/batcher.ts'
import { ACK_BATCHING, type Batching } from './batching/batching.ts'

/**
 * How long a group waits to fill when there is much to do. `background`: 25 milliseconds, up to a hundred on a busy machine.
 * `acknowledgement`, for notes of what is done already: 100. `polling`, for the same question again and again: 50, however many ask.
 */
export type GroupPurpose = 'background' | 'acknowledgement' | 'polling'

const batchings: Readonly<Record<GroupPurpose, Batching>> = {
  background: { ms: 25, enough: 256, most: 100 },
  acknowledgement: ACK_BATCHING,
  polling: { ms: 50, enough: Number.POSITIVE_INFINITY },
}

/**
 * Instead of the first two where each group is one merchant's (`SHARDED`): it waits for no others, and the groups of many merchants would take
 * turns at those intervals until leases end.
 */
const SHARDED_BATCHING: Batching = { ms: 10, enough: 32 }

export type GroupOptions<Item> = {
  /** The merchant whose rows an item concerns: where `SHARDED` asks for it a group is one merchant's. Absent: the rows are nobody's. */
  tenantOf?: (item: Item) => { readonly merchant_id: number }
  /** The owner of an item's locks. When one is not had in time, owners are tried again apart, and only the one whose it is fails. */
  ownerOf?: (item: Item) => string
  /** The party that takes turns in front of the database; absent: owners do. */
  turnOf?: (item: Item) => string
  /** Absent: a group never waits for items that have not come yet. */
  for?: GroupPurpose
  /** Items of a group at most; absent: 256. */
  size?: number
  /** Groups under way at once; absent: one. */
  concurrency?: number
  /** Items waiting at most; beyond it `Overloaded` is thrown at once. Absent: no bound, for callers that are bounded themselves. */
  waiting_max?: number
}

/**
 * Group commit: gathers the items of many callers and has the work of all of them done in one transaction. Each caller has its answer,
 * of which there is one for each item in their order, once that is committed. When the transaction fails, each item is tried alone, so
 * that one that cannot be done fails no other.
 * @param committed called after the commit, before anybody has an answer
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

/** The same for work that is one statement, such as a read, or that opens its transactions itself. */
export function createGroupCall<Item, Answer>(
  sql: Sql,
  options: GroupOptions<Item> & { run: (items: readonly Item[]) => Promise<Answer[]> },
): (item: Item) => Promise<Answer> {
  const {
    run,
    tenantOf,
    ownerOf,
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
    ...apart,
  })
}
