import { recordAct } from '../audit-log/record-act.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'
import { type Actor, SYSTEM } from '../values/actor.ts'
import type { Tenant } from '../values/caller.ts'
import type { AddressBlock } from './address-blocks.ts'
import * as store from './store.ts'

export type KeyChanged = { kind: 'changed' } | { kind: 'refused'; code: 'resource_not_found' }

/**
 * Revokes a key for ever. Every process refuses it within a second. A second revocation changes nothing.
 * @param by the person who revokes it, for the audit log
 * @param tenant only a key of this merchant and mode; null: any key, for the staff
 */
export async function revokeKey(
  sql: Sql,
  key_id: string,
  by: Actor = SYSTEM,
  tenant: Tenant | null = null,
): Promise<KeyChanged> {
  return change<never>(sql, { key_id, tenant }, async (tx, key) => {
    if (key.revoked) return null
    await store.markRevoked(tx, key, by.person)
    recordAct(tx, key, {
      actor: by,
      act: 'key.revoke',
      subject: key_id,
      before: { revoked: false },
      after: { revoked: true },
    })
    return null
  })
}

/**
 * Replaces the addresses from which a key may be used, in every process within a second. An empty list removes the restriction.
 * @param by the person who changes it, for the audit log
 * @param tenant only a key of this merchant and mode; null: any key, for the staff
 */
export async function setAllowedAddresses(
  sql: Sql,
  key_id: string,
  blocks: readonly AddressBlock[],
  by: Actor = SYSTEM,
  tenant: Tenant | null = null,
): Promise<KeyChanged> {
  const allowed_addresses = blocks.map((block) => block.text)
  return change<never>(sql, { key_id, tenant }, async (tx, key) => {
    await store.updateAllowedAddresses(tx, key, allowed_addresses)
    const before = { allowed_addresses: key.allowed_addresses }
    recordAct(tx, key, { actor: by, act: 'key.allow', subject: key_id, before, after: { allowed_addresses } })
    return null
  })
}

export type KeyConfirmed =
  | KeyChanged
  /** The key was revoked or needs no second person, or this person made it. */
  | { kind: 'refused'; code: 'key_not_to_confirm' | 'same_person' }

/** The maker's own approval at a merchant of one person (payouts/alone), for the transaction that carries it out. */
export type OwnApproval = {
  /** Locks the approval until the transaction ends. False when none is due, or it was stopped. */
  lock: (tx: Tx) => Promise<boolean>
  /** Ends the approval as carried out, after the change that it allows is written. */
  end: (tx: Tx) => Promise<void>
}

/**
 * Confirms a key that sends money, as the second person. The key works everywhere within a second. Confirming it again changes nothing.
 * @param own the maker's own approval, which this carries out; absent: nobody can confirm their own key
 */
export async function confirmKey(
  sql: Sql,
  tenant: Tenant,
  key_id: string,
  by: Actor,
  own?: OwnApproval,
): Promise<KeyConfirmed> {
  return change(sql, { key_id, tenant }, async (tx, key) => {
    if (key.confirmed_by === by.person) return null
    if (key.revoked || !key.needs_confirmation || key.confirmed_by !== null) return 'key_not_to_confirm'
    const isMaker = key.created_by === by.person
    if (isMaker && !(await own?.lock(tx))) return 'same_person'
    await store.markConfirmed(tx, key, by.person)
    if (isMaker) await own!.end(tx)
    const before = { created_by: key.created_by, confirmed: false }
    recordAct(tx, key, { actor: by, act: 'key.confirm', subject: key_id, before, after: { confirmed: true } })
    return null
  })
}

/** Locks a key and changes it. `write` returns the reason of a refusal, or null, also when there is nothing to change. */
async function change<Code extends string>(
  sql: Sql,
  { key_id, tenant }: { key_id: string; tenant: Tenant | null },
  write: (tx: Tx, key: store.LockedKey) => Promise<Code | null>,
): Promise<{ kind: 'changed' } | { kind: 'refused'; code: Code | 'resource_not_found' }> {
  const found = await store.findKey(sql, key_id, tenant)
  if (found === null) return { kind: 'refused', code: 'resource_not_found' }
  const code = await sql.begin(async (tx) => write(tx, await store.lockKey(tx, found)))
  return code === null ? { kind: 'changed' } : { kind: 'refused', code }
}
