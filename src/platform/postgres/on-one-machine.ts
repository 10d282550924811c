import type { Db, Statement } from './database.ts'

type OfMerchant = { readonly merchant_id: number }

/** A fault of ours: a caller has forgotten to ask merchant by merchant (`tenantOf` of a group, `eachShard`). */
export class MixedMerchants extends Error {
  override name = 'MixedMerchants'

  constructor() {
    super('A statement was to find rows of two merchants, which may be on two machines (SHARDED).')
  }
}

/**
 * Behind the condition by which a statement finds rows by a list of keys: `and p.merchant_id = $2`, the merchant whose keys they all
 * are, where merchants are spread over machines (`SHARDED`). Citus finds the machine of a statement by a value and not by what is in
 * a list, and locks rows only on a machine that it has found. Elsewhere nothing: the keys say it already.
 * @param table of the rows, by its name in the statement
 * @throws MixedMerchants when the keys are of two merchants
 */
export function onOneMachine(db: Db, table: string, keys: readonly OfMerchant[]): Statement<object[]> {
  if (!db.sharded) return db``
  const [first, ...others] = keys
  if (first === undefined) return db`and false`
  if (others.some(({ merchant_id }) => merchant_id !== first.merchant_id)) throw new MixedMerchants()
  return db`and ${db(`${table}.merchant_id`)} = ${first.merchant_id}`
}
