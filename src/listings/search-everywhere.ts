import { recordAct, WHOLE_SERVICE } from '../audit-log/record-act.ts'
import type { Db, Sql } from '../platform/postgres/database.ts'
import type { Actor } from '../values/actor.ts'
import { type Everywhere, readAnywhere, readEverywhere, readQuotedAnywhere } from './find-everywhere-store.ts'
import { operationOf } from './find-operations.ts'
import { QUOTED_MAX } from './find-store.ts'
import { allOf, type ListedOperation, type OperationFilters, type OperationKind } from './listed-operation.ts'
import { findByMeanings, HITS_MAX, onDay, readSearch, type SearchHit } from './search-meanings.ts'

/** An operation with its merchant. */
export type OperationSomewhere = ListedOperation & { merchant_id: number }

/** The facts that every found operation must have besides the meaning of the text. Null: any. */
export type Narrowing = {
  readonly merchant_id: number | null
  /** In francs. */
  readonly amount: number | null
  /** `YYYY-MM-DD` */
  readonly day: string | null
}

export type Sought = {
  readonly livemode: boolean
  /** The text, as it was typed. */
  readonly typed: string
  readonly narrowing: Narrowing
  /** Only operations of these kinds. */
  readonly kinds: readonly OperationKind[]
}

export type EverywhereResult = {
  readonly hits: readonly SearchHit<OperationSomewhere>[]
  /** Whether more operations match than are shown. The person should narrow the search. */
  readonly is_cut: boolean
  /** Whether only the newest operations of some kind were read. A day or a merchant reads the others. */
  readonly is_recent: boolean
}

/**
 * Finds all that a text may mean among the operations of all merchants in one mode, for the staff. It reads a limited number of rows and says
 * when it left some out. A search by a phone number, or by four digits that may end one, is written into the audit log first, with the number
 * masked.
 * @param reads the database to search, which may be a standby
 */
export async function searchEverywhere(
  { sql, reads }: { sql: Sql; reads: Db },
  { livemode, typed, narrowing, kinds }: Sought,
  by: Actor,
): Promise<EverywhereResult> {
  const { merchant_id, amount, day } = narrowing
  const where: Everywhere = { livemode, merchant_id }
  const narrowed: Partial<OperationFilters> = {
    ...(amount === null ? {} : { amount_min: amount, amount_max: amount }),
    ...(day === null ? {} : onDay(day)),
  }
  await recordNumber(sql, { livemode, typed, merchant_id }, by)
  let [is_cut, is_recent] = [false, false]
  const hits = await findByMeanings<OperationSomewhere>(typed, {
    async read(kind, id) {
      if (!kinds.includes(kind)) return []
      const rows = await readAnywhere(reads, where, kind, id)
      return rows.map((row) => ({ ...operationOf(kind)(row), merchant_id: row.merchant_id }))
    },
    readQuoted: (reference) => readQuotedAnywhere(reads, where, reference, QUOTED_MAX),
    async find(kind, filters) {
      if (!kinds.includes(kind)) return []
      const found = await readEverywhere(reads, where, { ...allOf(kind), ...narrowed, ...filters }, HITS_MAX)
      is_cut ||= found.is_cut
      is_recent ||= found.is_recent
      return found.rows.map((row) => ({ ...operationOf(kind)(row), merchant_id: row.merchant_id }))
    },
  })
  return { hits: hits.filter(({ operation }) => isNarrowed(operation, narrowing)), is_cut, is_recent }
}

/**
 * Whether an operation matches the amount and the day. A search by id or by an operator's reference does not apply them, and the typed text
 * may contradict them.
 */
function isNarrowed({ amount, created_at }: ListedOperation, narrowing: Narrowing): boolean {
  return (
    (narrowing.amount === null || narrowing.amount === amount) &&
    (narrowing.day === null || narrowing.day === created_at.toISOString().slice(0, 10))
  )
}

async function recordNumber(
  sql: Sql,
  { livemode, typed, merchant_id }: { livemode: boolean; typed: string; merchant_id: number | null },
  actor: Actor,
): Promise<void> {
  const { number, last4 } = readSearch(typed.trim())
  const sought = number === null ? (last4 === null ? null : { last4 }) : { number: number.masked }
  if (sought === null) return
  const after = merchant_id === null ? sought : { ...sought, merchant_id }
  await sql.begin(async (tx) => {
    recordAct(tx, { merchant_id: WHOLE_SERVICE, livemode }, { actor, act: 'number.search', after })
  })
}
