import type { Db } from './database.ts'
import type { Statement } from './statement.ts'

/**
 * Behind the condition by which a statement finds rows by a list of keys: `and p.merchant_id = $2`, the merchant whose keys they all
 * are, where merchants are spread over machines (`SHARDED`). Citus finds the machine of a statement by a value and not by what is in
 * a list, and locks rows only on a machine that it has found. Elsewhere nothing: the keys say it already.
 * @param table of the rows, by its name in the statement
 * @throws when the keys are of two merchants; then the caller has forgotten to ask merchant by merchant
 */
export function onOneMachine(
  db: Db,
  table: string,
  keys: readonly { readonly merchant_id: number }[],
): Statement<object[]> {
  if (!db.sharded) return db``
  const [first, ...others] = keys
  if (first === undefined) return db`and false`
  if (others.some(({ merchant_id }) => merchant_id !== first.merchant_id)) {
    throw new Error('A statement was to find rows of two merchants, and merchants are on different machines (SHARDED).')
  }
  return db`and ${db(`${table}.merchant_id`)} = ${first.merchant_id}`
}
