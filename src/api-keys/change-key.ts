import { recordAct } from '../audit-log/record-act.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'
import { type Actor, SYSTEM } from '../values/actor.ts'
import type { Tenant } from '../values/caller.ts'
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
