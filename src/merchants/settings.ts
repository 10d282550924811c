import type { Sql } from '../platform/postgres/database.ts'
import { createReadThroughCache } from '../platform/postgres/read-through-cache.ts'
import type { MerchantSettings, ReadSettings } from './fees.ts'
import { selectSettings } from './store.ts'

/** The most merchants kept in memory. */
const MERCHANTS_KEPT_MAX = 100_000

/**
 * Reads the settings that decide a merchant's operations. They are at most a second old. Settings in memory are returned without a promise;
 * others are read in one statement for all callers that wait.
 */
export function createMerchantSettings({ sql }: { sql: Sql }): ReadSettings {
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

/** @throws when the merchant does not exist: its callers were authenticated, so this is an error of the service */
function existing(settings: MerchantSettings | null): MerchantSettings {
  if (settings === null) throw new Error('The settings of a merchant that does not exist were asked for.')
  return settings
}
