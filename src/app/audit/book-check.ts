import type { Tx } from '../../platform/postgres/database.ts'

/** A promise that the books keep at every moment, and the query for what breaks it. */
export type BookCheck = {
  /** The promise, as the report names it. */
  check: string
  /** The rows that contradict it, each named by an id or a key; none when it holds. Reads whole tables in one snapshot. */
  contradictions(tx: Tx): PromiseLike<readonly { example: string }[]>
}
