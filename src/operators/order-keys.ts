import { type Hmac, hmacSha256 } from '../platform/hmac.ts'
import type { Sql } from '../platform/postgres/database.ts'
import type { Tenant } from '../values/caller.ts'
import { type OrderKey, orderKeyOf } from './reference.ts'
import { readReferenceKey } from './store.ts'

/** Returns the order key of a request by its `Idempotency-Key`. */
export type OrderKeys = (tenant: Tenant, idempotency_key: string) => Promise<OrderKey>

/** Creates `OrderKeys` of a database. It reads the reference key at the first request and keeps it, because it never changes. */
export function createOrderKeys({ sql }: { sql: Sql }): OrderKeys {
  let hmac: Hmac | null = null
  return async (tenant, idempotency_key) => {
    hmac ??= hmacSha256(await readReferenceKey(sql))
    return orderKeyOf(hmac, tenant, idempotency_key)
  }
}
