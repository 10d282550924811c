import { recordAct } from '../audit-log/record-act.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'
import { type Actor, SYSTEM } from '../values/actor.ts'
import type { AddressBlock } from './address-blocks.ts'
import * as store from './store.ts'

export type KeyChanged = { kind: 'changed' } | { kind: 'refused'; code: 'resource_not_found' }

/**
 * Ends a key for ever. Every process refuses it within a second. Revoking it again changes nothing.
 * @param by who does it, for the audit log
 */
export async function revokeKey(sql: Sql, key_id: string, by: Actor = SYSTEM): Promise<KeyChanged> {
  return change(sql, key_id, async (tx, key) => {
    if (key.revoked) return
    await store.markRevoked(tx, key)
    recordAct(tx, key, {
      actor: by,
      act: 'key.revoke',
      subject: key_id,
      before: { revoked: false },
      after: { revoked: true },
    })
  })
}

/**
 * Replaces the addresses a key may be used from, everywhere within a second. An empty list lifts the restriction.
 * @param by who does it, for the audit log
 */
export async function setAllowedAddresses(
  sql: Sql,
  key_id: string,
  blocks: readonly AddressBlock[],
  by: Actor = SYSTEM,
): Promise<KeyChanged> {
  const allowed_addresses = blocks.map((block) => block.text)
  return change(sql, key_id, async (tx, key) => {
    await store.updateAllowedAddresses(tx, key, allowed_addresses)
    const before = { allowed_addresses: key.allowed_addresses }
    recordAct(tx, key, { actor: by, act: 'key.allow', subject: key_id, before, after: { allowed_addresses } })
  })
}

async function change(
  sql: Sql,
  key_id: string,
  write: (tx: Tx, key: store.LockedKey) => Promise<void>,
): Promise<KeyChanged> {
  const found = await store.findKey(sql, key_id)
  if (found === null) return { kind: 'refused', code: 'resource_not_found' }
  await sql.begin(async (tx) => write(tx, await store.lockKey(tx, found)))
  return { kind: 'changed' }
}
