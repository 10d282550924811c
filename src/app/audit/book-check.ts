import type { Tx } from '../../platform/postgres/database.ts'

/** A promise that holds at every moment, and the query for rows that break it. */
export type BookCheck = {
  /** The promise, as shown in the report. */
  check: string
  /** Returns the rows that break the promise, each named by an id or a key. Reads whole tables in one snapshot. */
  contradictions(tx: Tx): PromiseLike<readonly { example: string }[]>
}

/** The entries of money that others hold for us. Those by operator are of versions before external accounts. */
export const held = (tx: Tx) => tx`(account like 'held:%' or account like 'operator:%' or account = 'bank')`
