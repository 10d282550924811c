import type { Sql } from '../platform/postgres/database.ts'
import { createReadThroughCache } from '../platform/postgres/read-through-cache.ts'
import type { MerchantSettings } from './fees.ts'
import { selectSettings } from './store.ts'

/** Merchants remembered at most. */
const MERCHANTS_KEPT_MAX = 100_000

/**
 * Reads what of a merchant decides how its operations are made: at most a second old, answered without a promise when
 * it is in memory, and otherwise read for everybody who waits in one statement.
 */
export function createMerchantSettings({
  sql,
}: {
  sql: Sql
}): (merchantId: number) => MerchantSettings | Promise<MerchantSettings> {
  const find = createReadThroughCache<number, MerchantSettings>({
    async load(merchantIds) {
      const found = await selectSettings(sql, merchantIds)
      return merchantIds.map((merchantId) => found.get(merchantId) ?? null)
    },
    max_entries: MERCHANTS_KEPT_MAX,
    max_missing_entries: 1_000,
  })
  return (merchantId) => {
    const settings = find(merchantId)
    return settings instanceof Promise ? settings.then(existing) : existing(settings)
  }
}

/** Callers were admitted for this merchant, so its absence is a fault. */
function existing(settings: MerchantSettings | null): MerchantSettings {
  if (settings === null) throw new Error('The settings of a merchant that does not exist were asked for.')
  return settings
}
