import type { Sql } from '../platform/postgres/database.ts'
import type { Tenant } from '../values/caller.ts'
import { type OrderKey, orderKeyOf } from './reference.ts'
import { readReferenceKey } from './store.ts'

/** Returns the order key of a request by its `Idempotency-Key`. */
export type OrderKeys = (tenant: Tenant, idempotency_key: string) => Promise<OrderKey>

/** Creates `OrderKeys` of a database. It reads the reference key at the first request and keeps it, because it never changes. */
export function createOrderKeys({ sql }: { sql: Sql }): OrderKeys {
  let key: Buffer | null = null
  return async (tenant, idempotency_key) => {
    key ??= await readReferenceKey(sql)
    return orderKeyOf(key, tenant, idempotency_key)
  }
}
