import type { Db, Tx } from '../platform/postgres/database.ts'
import { given, sameRow } from '../platform/postgres/rows.ts'
import type { Scope, Tenant } from '../values/caller.ts'
import type { PageWanted } from '../values/page.ts'
import { type KeyMarks, type KeyStatus, keyStatus } from './states.ts'

/** A key as stored, with the current permission of its merchant. */
export type StoredKey = Tenant & {
  readonly key_id: string
  readonly scope: Scope
  readonly secret_hash: Buffer
  readonly allowed_addresses: readonly string[]
  readonly status: KeyStatus
  readonly last_used_at: Date | null
  readonly merchant_active: boolean
}

/** A key of its merchant and mode. */
export type KeyOfTenant = Tenant & { readonly key_id: string }

/** A call with a key, at a moment and from an address. */
export type KeyUse = KeyOfTenant & { readonly address: string; readonly used_at: Date }

/** A valid key that was used from an address that is not allowed. */
export type AddressRefusal = Tenant & { readonly key_id: string; readonly address: string; readonly refused_at: Date }

/** Inserts a key, and the row by which it finds its merchant. */
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
 * Reads the facts that decide calls, for many keys in one statement. Here a key finds its merchant, so there is no filter on one. A key
 * that is not in the answer does not exist.
 */
export async function selectKeys(db: Db, keyIds: readonly string[]): Promise<StoredKey[]> {
  const rows = await db<(Omit<StoredKey, 'status'> & KeyMarks)[]>`
    select k.key_id, k.merchant_id, k.livemode, k.scope, k.secret_hash,
           k.allowed_addresses::text[] as allowed_addresses, k.revoked_at, k.needs_confirmation, k.confirmed_at,
           k.last_used_at,
           m.active as merchant_active
      from api_key_lookup l
      join api_keys k on (k.merchant_id, k.livemode, k.key_id) = (l.merchant_id, l.livemode, l.key_id)
      join merchant_standing m on m.merchant_id = k.merchant_id
     where l.key_id = any(${keyIds as string[]}::text[])`
  return rows.map(({ revoked_at, needs_confirmation, confirmed_at, ...key }) => {
    return { ...key, status: keyStatus({ revoked_at, needs_confirmation, confirmed_at }) }
  })
}

/** Reads a key of a tenant, or with null of any, for staff. Null when there is none. */
export async function findKey(db: Db, key_id: string, tenant: Tenant | null): Promise<KeyOfTenant | null> {
  const [row] = await db<KeyOfTenant[]>`
    select merchant_id, livemode, key_id
      from api_key_lookup
     where key_id = ${key_id} ${ofTenant(db, tenant)}`
  return row ?? null
}

export type LockedKey = KeyOfTenant &
  Pick<
    ListedKey,
    'name' | 'scope' | 'created_by' | 'widened_by' | 'needs_confirmation' | 'confirmed_by' | 'revoked_by'
  > & {
    status: KeyStatus
    allowed_addresses: string[]
  }

/** Locks an existing key for the rest of the transaction. Keys are never deleted. */
export async function lockKey(tx: Tx, { merchant_id, livemode, key_id }: KeyOfTenant): Promise<LockedKey> {
  const [row] = await tx<(Omit<LockedKey, 'status'> & Pick<ListedKey, 'revoked_at' | 'confirmed_at'>)[]>`
    select merchant_id, livemode, key_id, name, scope, revoked_at, revoked_by, allowed_addresses::text[] as allowed_addresses,
           created_by, widened_by, needs_confirmation, confirmed_at, confirmed_by
      from api_keys
     where merchant_id = ${merchant_id} and livemode = ${livemode} and key_id = ${key_id}
       for no key update`
  const { revoked_at, confirmed_at, ...key } = row!
  return { ...key, status: keyStatus({ ...key, revoked_at, confirmed_at }) }
}

export async function writeRevoked(tx: Tx, { merchant_id, livemode, key_id, revoked_by }: LockedKey): Promise<void> {
  await tx`
    update api_keys
       set revoked_at = (select clock_now()), revoked_by = ${revoked_by}
     where merchant_id = ${merchant_id} and livemode = ${livemode} and key_id = ${key_id}`
}

/** Records the second person of a key that sends money. The database refuses its maker. */
export async function writeConfirmed(
  tx: Tx,
  { merchant_id, livemode, key_id, confirmed_by }: LockedKey,
): Promise<void> {
  await tx`
    update api_keys
       set confirmed_at = (select clock_now()), confirmed_by = ${confirmed_by}
     where merchant_id = ${merchant_id} and livemode = ${livemode} and key_id = ${key_id}`
}

/** Takes the confirmation from a key that waits for a second person again, other than the one who widened its addresses. */
export async function writeUnconfirmed(
  tx: Tx,
  { merchant_id, livemode, key_id, widened_by }: LockedKey,
): Promise<void> {
  await tx`
    update api_keys
       set confirmed_at = null, confirmed_by = null, widened_by = ${widened_by}
     where merchant_id = ${merchant_id} and livemode = ${livemode} and key_id = ${key_id}`
}

/** Whether a key with these blocks of addresses could be used from more addresses than before. */
export async function isWider(db: Db, before: readonly string[], after: readonly string[]): Promise<boolean> {
  const [row] = await db<{ wider: boolean }[]>`
    select is_wider(${before as string[]}::text[]::cidr[], ${after as string[]}::text[]::cidr[]) as wider`
  return row!.wider
}

/** Sets the addresses from which a key can be used. Empty: any. */
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

/** Writes noted refusals, at most one for each key. A late older one does not replace a newer one. */
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

/** Writes noted last calls, at most one for each key, as `updateLastRefusals` does. */
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

/** A key in lists, without its secret. */
export type ListedKey = KeyOfTenant & {
  /** Null: made by a command. */
  readonly name: string | null
  readonly scope: Scope
  readonly allowed_addresses: readonly string[]
  readonly created_at: Date
  readonly created_by: string | null
  /** The person who last let it be used from more addresses, since it needs a second person. Null: nobody did. */
  readonly widened_by: string | null
  /** The key works only once a second person has confirmed it. */
  readonly needs_confirmation: boolean
  readonly confirmed_at: Date | null
  readonly confirmed_by: string | null
  readonly revoked_at: Date | null
  readonly revoked_by: string | null
  /** The time of its last call, to the minute. */
  readonly last_used_address: string | null
  readonly last_used_at: Date | null
  /** The address of its last refused call. */
  readonly last_refused_address: string | null
  readonly last_refused_at: Date | null
}

/** Lists keys after the given one, by merchant, mode and key id, which is their primary key. */
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

/** Lists keys of one tenant before the given one, newest first. */
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

/** Reads one key of a tenant. Null when there is none. */
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
           created_by, widened_by, needs_confirmation, confirmed_at, confirmed_by, revoked_at, revoked_by,
           host(last_used_address) as last_used_address, last_used_at,
           host(last_refused_address) as last_refused_address, last_refused_at`
}

function ofTenant(db: Db, tenant: Tenant | null) {
  return tenant === null ? db`` : db`and merchant_id = ${tenant.merchant_id} and livemode = ${tenant.livemode}`
}
