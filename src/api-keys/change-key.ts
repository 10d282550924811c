import { recordAct } from '../audit-log/record-act.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'
import { type Actor, SYSTEM } from '../values/actor.ts'
import type { Tenant } from '../values/caller.ts'
import { isIndependentApprover } from '../values/independent-approver.ts'
import type { AddressBlock } from './address-blocks.ts'
import * as store from './store.ts'

export type KeyChanged = { kind: 'changed' } | { kind: 'refused'; code: 'resource_not_found' }

/** `waits`: the key may now be used from more addresses, and does not work until a second person has confirmed it. */
export type AddressesSet = { kind: 'changed'; waits: boolean } | { kind: 'refused'; code: 'resource_not_found' }

/**
 * Replaces the addresses from which a key may be used, in every process within a second. An empty list removes the restriction. A key that needs a
 * second person waits for one again if it may be used from more addresses: that person confirmed the narrower list.
 * @param by the person who changes it, for the audit log
 * @param tenant only a key of this merchant and mode; null: any key, for the staff
 * @param onWider ends an approval of the narrower key that has not taken effect yet (payouts/alone)
 */
export async function setAllowedAddresses(
  sql: Sql,
  key_id: string,
  blocks: readonly AddressBlock[],
  by: Actor = SYSTEM,
  tenant: Tenant | null = null,
  onWider: (tx: Tx, key: store.LockedKey) => Promise<unknown> = async () => {},
): Promise<AddressesSet> {
  const allowed_addresses = blocks.map((block) => block.text)
  let waits = false
  const result = await change<never>(sql, { key_id, tenant }, async (tx, key) => {
    waits = key.needs_confirmation && (await store.isWider(tx, key.allowed_addresses, allowed_addresses))
    if (waits) {
      await onWider(tx, key)
      await store.awaitConfirmation(tx, key, by.person)
    }
    await store.updateAllowedAddresses(tx, key, allowed_addresses)
    const before = { allowed_addresses: key.allowed_addresses, ...(waits && { confirmed_by: key.confirmed_by }) }
    const after = { allowed_addresses, ...(waits && { confirmed: false }) }
    recordAct(tx, key, { actor: by, act: 'key.allow', subject: key_id, before, after })
    return null
  })
  return result.kind === 'refused' ? result : { kind: 'changed', waits }
}

export type KeyConfirmed =
  | KeyChanged
  /** The key was revoked or needs no second person, or this person made or widened it, or let in who did. */
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
    const makers = [key.created_by, key.widened_by]
    const isMaker =
      makers.some((maker) => maker !== null && !isIndependentApprover(maker, by.person)) ||
      (await store.letIn(tx, makers, by.person))
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
