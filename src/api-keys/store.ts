import type { Db, Tx } from '../platform/postgres/database.ts'
import { given, sameRow } from '../platform/postgres/rows.ts'
import type { Scope, Tenant } from '../values/caller.ts'

/** A key as the database keeps it, with what its merchant may do now. */
export type StoredKey = Tenant & {
  readonly key_id: string
  readonly scope: Scope
  readonly secret_hash: Buffer
  readonly allowed_addresses: readonly string[]
  readonly revoked: boolean
  readonly merchant_active: boolean
}

/** A key with whose it is. */
export type KeyOfTenant = Tenant & { readonly key_id: string }

/** A key that was used, rightly but for the address it came from. */
export type AddressRefusal = Tenant & { readonly key_id: string; readonly address: string; readonly refused_at: Date }

/** The key, and the lookup through which it finds its merchant, on its way with it. */
export async function insertKey(
  tx: Tx,
  key: Pick<StoredKey, 'merchant_id' | 'livemode' | 'key_id' | 'scope' | 'secret_hash' | 'allowed_addresses'>,
): Promise<void> {
  tx.send(tx`
    insert into api_key_lookup (key_id, merchant_id, livemode)
    values (${key.key_id}, ${key.merchant_id}, ${key.livemode})`)
  await tx`
    insert into api_keys (merchant_id, livemode, key_id, scope, secret_hash, allowed_addresses)
    values (${key.merchant_id}, ${key.livemode}, ${key.key_id}, ${key.scope}, ${key.secret_hash},
            ${key.allowed_addresses as string[]}::text[]::cidr[])`
}

/**
 * Everything that decides about a call, of all keys asked for, in one statement. This is where a key that came without
 * a merchant finds its own, hence no filter on one. A key that is not in the answer does not exist.
 */
export async function selectKeys(db: Db, keyIds: readonly string[]): Promise<StoredKey[]> {
  return db<StoredKey[]>`
    select k.key_id, k.merchant_id, k.livemode, k.scope, k.secret_hash,
           k.allowed_addresses::text[] as allowed_addresses,
           k.revoked_at is not null as revoked,
           m.active as merchant_active
      from api_key_lookup l
      join api_keys k on (k.merchant_id, k.livemode, k.key_id) = (l.merchant_id, l.livemode, l.key_id)
      join merchant_standing m on m.merchant_id = k.merchant_id
     where l.key_id = any(${keyIds as string[]}::text[])`
}

/** The merchant and mode of a key, for the team, which knows only the id it was told. Null when there is none. */
export async function findKey(db: Db, key_id: string): Promise<KeyOfTenant | null> {
  const [row] = await db<KeyOfTenant[]>`
    select merchant_id, livemode, key_id
      from api_key_lookup
     where key_id = ${key_id}`
  return row ?? null
}

export type LockedKey = KeyOfTenant & { revoked: boolean; allowed_addresses: string[] }

/** A key that is there, locked for the rest of the transaction: no key is ever deleted. */
export async function lockKey(tx: Tx, { merchant_id, livemode, key_id }: KeyOfTenant): Promise<LockedKey> {
  const [row] = await tx<LockedKey[]>`
    select merchant_id, livemode, key_id, revoked_at is not null as revoked,
           allowed_addresses::text[] as allowed_addresses
      from api_keys
     where merchant_id = ${merchant_id} and livemode = ${livemode} and key_id = ${key_id}
       for no key update`
  return row!
}

export async function markRevoked(tx: Tx, { merchant_id, livemode, key_id }: KeyOfTenant): Promise<void> {
  await tx`
    update api_keys
       set revoked_at = (select clock_now())
     where merchant_id = ${merchant_id} and livemode = ${livemode} and key_id = ${key_id}`
}

/** Where a key may be used from; empty: from anywhere. */
export async function updateAllowedAddresses(
  tx: Tx,
  { merchant_id, livemode, key_id }: KeyOfTenant,
  blocks: readonly string[],
): Promise<void> {
  await tx`
    update api_keys
       set allowed_addresses = ${blocks as string[]}::text[]::cidr[]
     where merchant_id = ${merchant_id} and livemode = ${livemode} and key_id = ${key_id}`
}

/** The refusals that waited, one for each key at most. An older one that comes late does not hide a newer one. */
export async function updateLastRefusals(db: Db, refusals: readonly AddressRefusal[]): Promise<void> {
  const rows = refusals.map(({ merchant_id, livemode, key_id, address, refused_at }) => {
    return { merchant_id, livemode, key_id, last_refused_address: address, last_refused_at: refused_at }
  })
  await db`
    update api_keys k
       set last_refused_address = r.last_refused_address, last_refused_at = r.last_refused_at
      from ${given(db, 'api_keys r', rows, ['merchant_id', 'livemode', 'key_id', 'last_refused_address', 'last_refused_at'])}
     where ${sameRow(db, 'k', 'r', rows, 'key_id')}
       and (k.last_refused_at is null or k.last_refused_at < r.last_refused_at)`
}

/** A key as the team's list shows it: nothing that it could be used with. */
export type ListedKey = KeyOfTenant & {
  readonly scope: Scope
  readonly allowed_addresses: readonly string[]
  readonly created_at: Date
  readonly revoked_at: Date | null
  /** Where it was last used from without being allowed to. */
  readonly last_refused_address: string | null
  readonly last_refused_at: Date | null
}

/** Keys by merchant, mode and name, which is their primary key, after this one. */
export function selectKeysAfter(
  db: Db,
  { tenant, after, limit }: { tenant: Tenant | null; after: KeyOfTenant | null; limit: number },
): Promise<ListedKey[]> {
  const ofTenant =
    tenant === null ? db`` : db`and merchant_id = ${tenant.merchant_id} and livemode = ${tenant.livemode}`
  const following =
    after === null
      ? db``
      : db`and (merchant_id, livemode, key_id) > (${after.merchant_id}, ${after.livemode}, ${after.key_id})`
  return db<ListedKey[]>`
    select merchant_id, livemode, key_id, scope, allowed_addresses::text[] as allowed_addresses, created_at, revoked_at,
           host(last_refused_address) as last_refused_address, last_refused_at
      from api_keys
     where true ${ofTenant} ${following}
     order by merchant_id, livemode, key_id
     limit ${limit}`
}
