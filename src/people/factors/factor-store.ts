import type { Db, Tx } from '../../platform/postgres/database.ts'
import type { Passkey } from './passkey.ts'

/** `secret` is sealed. */
export type TotpRow = { secret: Buffer; last_step: number | null }

/**
 * Locks a person's phone: of two concurrent requests with one code, the second sees the step that the first used. Null when there is
 * none yet.
 */
export async function lockTotp(tx: Tx, person_id: string): Promise<TotpRow | null> {
  const [row] = await tx<TotpRow[]>`
    select secret, last_step
      from person_totp
     where person_id = ${person_id}
       for no key update`
  return row ?? null
}

export async function markStep(tx: Tx, person_id: string, step: number): Promise<void> {
  await tx`
    update person_totp
       set last_step = ${step}
     where person_id = ${person_id}`
}

/** Puts a sealed secret in force, with the step of its first code. */
export async function putInForce(tx: Tx, person_id: string, secret: Buffer, step: number): Promise<void> {
  await tx`
    insert into person_totp (person_id, secret, last_step)
    values (${person_id}, ${secret}, ${step})
    on conflict (person_id) do update
       set secret = excluded.secret, confirmed_at = excluded.confirmed_at, last_step = excluded.last_step`
}

export async function setPassword(tx: Tx, person_id: string, hash: string): Promise<void> {
  await tx`
    insert into person_passwords (person_id, hash)
    values (${person_id}, ${hash})
    on conflict (person_id) do update set hash = excluded.hash, changed_at = default, refused = 0`
}

export async function findPassword(db: Db, person_id: string): Promise<string | null> {
  const [row] = await db<{ hash: string }[]>`
    select hash
      from person_passwords
     where person_id = ${person_id}`
  return row?.hash ?? null
}

/** Counts a wrong password, and returns the number since the last sign-in. Null when the person has no password. */
export async function countRefusal(tx: Tx, person_id: string): Promise<number | null> {
  const [row] = await tx<{ refused: number }[]>`
    update person_passwords
       set refused = refused + 1
     where person_id = ${person_id}
    returning refused`
  return row?.refused ?? null
}

/** Resets the count of wrong passwords, and returns what it was. */
export async function clearRefusals(tx: Tx, person_id: string): Promise<number> {
  const [row] = await tx<{ refused: number }[]>`
    with before as (
      select person_id, refused
        from person_passwords
       where person_id = ${person_id} and refused > 0
         for update
    )
    update person_passwords p
       set refused = 0
      from before b
     where p.person_id = b.person_id
    returning b.refused`
  return row?.refused ?? 0
}

/** Stores recovery codes. They replace all earlier ones, used or not. */
export async function replaceRecoveryCodes(tx: Tx, person_id: string, hashes: readonly Buffer[]): Promise<void> {
  await tx`
    delete from recovery_codes
     where person_id = ${person_id}`
  await tx`
    insert into recovery_codes (person_id, code_hash)
    select ${person_id}, code_hash
      from unnest(${hashes as Buffer[]}::bytea[]) as code_hash`
}

/** Uses a recovery code. False when no unused one matches. Of two concurrent requests, one succeeds. */
export async function takeRecoveryCode(tx: Tx, person_id: string, hash: Buffer): Promise<boolean> {
  const taken = await tx`
    update recovery_codes
       set used_at = clock_now()
     where person_id = ${person_id} and code_hash = ${hash} and used_at is null
    returning person_id`
  return taken.length === 1
}

export async function countRecoveryCodes(db: Db, person_id: string): Promise<number> {
  const [row] = await db<{ unused: number }[]>`
    select count(*)::integer as unused
      from recovery_codes
     where person_id = ${person_id} and used_at is null`
  return row!.unused
}

export type StoredPasskey = Passkey & { person_id: string; name: string; created_at: Date; last_used_at: Date | null }

/** The most passkeys of a person. */
export const PASSKEYS_MAX = 20

export async function listPasskeys(db: Db, person_id: string): Promise<StoredPasskey[]> {
  return db<StoredPasskey[]>`
    select credential_id, person_id, public_key, sign_count, transports, name, created_at, last_used_at
      from person_passkeys
     where person_id = ${person_id}
     order by created_at, credential_id
     limit ${PASSKEYS_MAX}`
}

/** Reads the person of a passkey. Null when the passkey is unknown. */
export async function findPasskeyOwner(db: Db, credential_id: string): Promise<string | null> {
  const [row] = await db<{ person_id: string }[]>`
    select person_id
      from person_passkeys
     where credential_id = ${credential_id}`
  return row?.person_id ?? null
}

/** Locks a passkey, so that concurrent answers raise its signature count one after the other. */
export async function lockPasskey(tx: Tx, credential_id: string): Promise<StoredPasskey | null> {
  const [row] = await tx<StoredPasskey[]>`
    select credential_id, person_id, public_key, sign_count, transports, name, created_at, last_used_at
      from person_passkeys
     where credential_id = ${credential_id}
       for no key update`
  return row ?? null
}

export async function markPasskeyUsed(tx: Tx, credential_id: string, sign_count: number): Promise<void> {
  await tx`
    update person_passkeys
       set sign_count = ${sign_count}, last_used_at = clock_now()
     where credential_id = ${credential_id}`
}

/** Inserts a passkey. False when it is registered already. */
export async function insertPasskey(
  tx: Tx,
  { credential_id, person_id, public_key, sign_count, transports, name }: Passkey & { person_id: string; name: string },
): Promise<boolean> {
  const inserted = await tx`
    insert into person_passkeys (credential_id, person_id, public_key, sign_count, transports, name)
    values (${credential_id}, ${person_id}, ${public_key}, ${sign_count}, ${transports}::text[], ${name})
    on conflict (credential_id) do nothing
    returning credential_id`
  return inserted.length === 1
}

export async function deletePasskey(tx: Tx, person_id: string, credential_id: string): Promise<boolean> {
  const deleted = await tx`
    delete from person_passkeys
     where person_id = ${person_id} and credential_id = ${credential_id}
    returning credential_id`
  return deleted.length === 1
}
