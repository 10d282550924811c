import type { Actor } from './actor.ts'

/** The scopes of an API key. A `collect` key cannot send money. */
export type Scope = 'collect' | 'payout'

/**
 * The owner of the rows that a query may touch: one merchant in one mode. Every statement on a merchant's data filters on both, so an object
 * of another merchant or of the other mode is not found.
 */
export type Tenant = { readonly merchant_id: number; readonly livemode: boolean }

/** Returns one text for a merchant in a mode, as the key of a map. */
export function tenantKey({ merchant_id, livemode }: Tenant): string {
  return `${merchant_id}/${livemode}`
}

/** Returns only the tenant of an object with more fields. */
export function tenantOf({ merchant_id, livemode }: Tenant): Tenant {
  return { merchant_id, livemode }
}

/** Returns one text for a row of a merchant in a mode, as the key of a map: rows of two merchants never share it. */
export function rowKey(tenant: Tenant, id: string): string {
  return `${tenantKey(tenant)}/${id}`
}

/** Returns each merchant and mode of these once. */
export function distinctTenants(tenants: readonly Tenant[]): Tenant[] {
  return [...new Map(tenants.map((tenant) => [tenantKey(tenant), tenantOf(tenant)])).values()]
}

/** The caller with a valid API key. */
export type Caller = Tenant & {
  readonly key_id: string
  readonly scope: Scope
  /** False: the merchant's account is deactivated. It may read but not operate. */
  readonly merchant_active: boolean
}

/** The author of a request that both can make: an API key, or a person of the merchant in the console. */
export type Asker = Tenant & Pick<Caller, 'merchant_active'> & ({ readonly key_id: string } | { readonly actor: Actor })

/** Returns the asker as rows store it: `key:…`, or the person. */
export function makerOf(asker: Asker): string {
  return 'key_id' in asker ? `key:${asker.key_id}` : asker.actor.person
}
