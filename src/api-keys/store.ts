import type { Db, Tx } from '../platform/postgres/database.ts'
import { given, sameRow } from '../platform/postgres/rows.ts'
import type { Scope, Tenant } from '../values/caller.ts'
import type { PageWanted } from '../values/page.ts'

/** A key as the database keeps it, with what its merchant may do now. */
export type StoredKey = Tenant & {
  readonly key_id: string
  readonly scope: Scope
  readonly secret_hash: Buffer
  readonly allowed_addresses: readonly string[]
  /** False: it was revoked, or a second person has not confirmed it yet. */
  readonly working: boolean
  readonly last_used_at: Date | null
  readonly merchant_active: boolean
}

/** A key of its merchant and mode. */
export type KeyOfTenant = Tenant & { readonly key_id: string }

/** A call with a key, at a moment and from an address. */
export type KeyUse = KeyOfTenant & { readonly address: string; readonly used_at: Date }

/** A key that was used, rightly but for the address it came from. */
export type AddressRefusal = Tenant & { readonly key_id: string; readonly address: string; readonly refused_at: Date }

/** The key, and the lookup through which it finds its merchant, on its way with it. */
export async function insertKey(
  tx: Tx,
  key: Pick<StoredKey, 'merchant_id' | 'livemode' | 'key_id' | 'scope' | 'secret_hash' | 'allowed_addresses'> &
    Pick<ListedKey, 'name' | 'created_by' | 'needs_confirmation'>,
): Promise<void> {
  tx.send(tx`
    insert into api_key_lookup (key_id, merchant_id, livemode)
    values (${key.key_id}, ${key.merchant_id}, ${key.livemode})`)
  await tx`
    insert into api_keys (merchant_id, livemode, key_id, scope, secret_hash, allowed_addresses, name, created_by,
                          needs_confirmation)
    values (${key.merchant_id}, ${key.livemode}, ${key.key_id}, ${key.scope}, ${key.secret_hash},
            ${key.allowed_addresses as string[]}::text[]::cidr[], ${key.name}, ${key.created_by},
            ${key.needs_confirmation})`
}

/**
 * Everything that decides about a call, of all keys asked for, in one statement. This is where a key that came without
 * a merchant finds its own, hence no filter on one. A key that is not in the answer does not exist.
 */
export async function selectKeys(db: Db, keyIds: readonly string[]): Promise<StoredKey[]> {
  return db<StoredKey[]>`
    select k.key_id, k.merchant_id, k.livemode, k.scope, k.secret_hash,
           k.allowed_addresses::text[] as allowed_addresses,
           k.revoked_at is null and (not k.needs_confirmation or k.confirmed_at is not null) as working,
           k.last_used_at,
           m.active as merchant_active
      from api_key_lookup l
      join api_keys k on (k.merchant_id, k.livemode, k.key_id) = (l.merchant_id, l.livemode, l.key_id)
      join merchant_standing m on m.merchant_id = k.merchant_id
     where l.key_id = any(${keyIds as string[]}::text[])`
}

/** A key of a tenant, or with null of any, for the team, which knows only the id it was told. Null when there is none. */
export async function findKey(db: Db, key_id: string, tenant: Tenant | null): Promise<KeyOfTenant | null> {
  const [row] = await db<KeyOfTenant[]>`
    select merchant_id, livemode, key_id
      from api_key_lookup
     where key_id = ${key_id} ${ofTenant(db, tenant)}`
  return row ?? null
}

export type LockedKey = KeyOfTenant &
  Pick<ListedKey, 'created_by' | 'needs_confirmation' | 'confirmed_by'> & {
    revoked: boolean
    allowed_addresses: string[]
  }

/** A key that is there, locked for the rest of the transaction: no key is ever deleted. */
export async function lockKey(tx: Tx, { merchant_id, livemode, key_id }: KeyOfTenant): Promise<LockedKey> {
  const [row] = await tx<LockedKey[]>`
    select merchant_id, livemode, key_id, revoked_at is not null as revoked,
           allowed_addresses::text[] as allowed_addresses, created_by, needs_confirmation, confirmed_by
      from api_keys
     where merchant_id = ${merchant_id} and livemode = ${livemode} and key_id = ${key_id}
       for no key update`
  return row!
}

export async function markRevoked(
  tx: Tx,
  { merchant_id, livemode, key_id }: KeyOfTenant,
  revoked_by: string,
): Promise<void> {
  await tx`
    update api_keys
       set revoked_at = (select clock_now()), revoked_by = ${revoked_by}
     where merchant_id = ${merchant_id} and livemode = ${livemode} and key_id = ${key_id}`
}

/** The second person of a key that sends money. The database refuses the one who made it. */
export async function markConfirmed(
  tx: Tx,
  { merchant_id, livemode, key_id }: KeyOfTenant,
  confirmed_by: string,
): Promise<void> {
  await tx`
    update api_keys
       set confirmed_at = (select clock_now()), confirmed_by = ${confirmed_by}
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

/** The last calls that waited, one for each key at most, as `updateLastRefusals`. */
export async function updateLastUses(db: Db, uses: readonly KeyUse[]): Promise<void> {
  const rows = uses.map(({ merchant_id, livemode, key_id, address, used_at }) => {
    return { merchant_id, livemode, key_id, last_used_address: address, last_used_at: used_at }
  })
  await db`
    update api_keys k
       set last_used_address = r.last_used_address, last_used_at = r.last_used_at
      from ${given(db, 'api_keys r', rows, ['merchant_id', 'livemode', 'key_id', 'last_used_address', 'last_used_at'])}
     where ${sameRow(db, 'k', 'r', rows, 'key_id')}
       and (k.last_used_at is null or k.last_used_at < r.last_used_at)`
}

/** A key as a list shows it: nothing that it could be used with. */
export type ListedKey = KeyOfTenant & {
  /** Null: made by a command. */
  readonly name: string | null
  readonly scope: Scope
  readonly allowed_addresses: readonly string[]
  readonly created_at: Date
  readonly created_by: string | null
  /** It works only once a second person has confirmed it. */
  readonly needs_confirmation: boolean
  readonly confirmed_at: Date | null
  readonly confirmed_by: string | null
  readonly revoked_at: Date | null
  readonly revoked_by: string | null
  /** Of its last call, to the minute. */
  readonly last_used_address: string | null
  readonly last_used_at: Date | null
  /** Where it was last used from without being allowed to. */
  readonly last_refused_address: string | null
  readonly last_refused_at: Date | null
}

/** Keys by merchant, mode and name, which is their primary key, after this one. */
export function selectKeysAfter(
  db: Db,
  { tenant, after, limit }: { tenant: Tenant | null; after: KeyOfTenant | null; limit: number },
): Promise<ListedKey[]> {
  const following =
    after === null
      ? db``
      : db`and (merchant_id, livemode, key_id) > (${after.merchant_id}, ${after.livemode}, ${after.key_id})`
  return db<ListedKey[]>`
    select ${listed(db)}
      from api_keys
     where true ${ofTenant(db, tenant)} ${following}
     order by merchant_id, livemode, key_id
     limit ${limit}`
}

/** Keys of one tenant, the newest first, those before this one. */
export function selectNewestKeys(
  db: Db,
  { merchant_id, livemode }: Tenant,
  { limit, after }: PageWanted,
): Promise<ListedKey[]> {
  const older =
    after === null
      ? db``
      : db`and (created_at, key_id) < (
             select created_at, key_id
               from api_keys
              where merchant_id = ${merchant_id} and livemode = ${livemode} and key_id = ${after})`
  return db<ListedKey[]>`
    select ${listed(db)}
      from api_keys
     where merchant_id = ${merchant_id} and livemode = ${livemode} ${older}
     order by created_at desc, key_id desc
     limit ${limit}`
}

/** One key of a tenant; null: there is none. */
export async function selectKey(db: Db, { merchant_id, livemode, key_id }: KeyOfTenant): Promise<ListedKey | null> {
  const [row] = await db<ListedKey[]>`
    select ${listed(db)}
      from api_keys
     where merchant_id = ${merchant_id} and livemode = ${livemode} and key_id = ${key_id}`
  return row ?? null
}

function listed(db: Db) {
  return db`
           merchant_id, livemode, key_id, name, scope, allowed_addresses::text[] as allowed_addresses, created_at,
           created_by, needs_confirmation, confirmed_at, confirmed_by, revoked_at, revoked_by,
           host(last_used_address) as last_used_address, last_used_at,
           host(last_refused_address) as last_refused_address, last_refused_at`
}

function ofTenant(db: Db, tenant: Tenant | null) {
  return tenant === null ? db`` : db`and merchant_id = ${tenant.merchant_id} and livemode = ${tenant.livemode}`
}
