import type { Db } from '../platform/postgres/database.ts'
import type { AddressBlock } from './address-blocks.ts'
import { findKey, type KeyOfTenant, markRevoked, updateAllowedAddresses } from './store.ts'

export type KeyChanged = { kind: 'changed' } | { kind: 'refused'; code: 'resource_not_found' }

/** Ends a key for ever. Every process refuses it within a second. Revoking it again changes nothing. */
export async function revokeKey(db: Db, keyId: string): Promise<KeyChanged> {
  return change(db, keyId, (key) => markRevoked(db, key))
}

/** Replaces the addresses a key may be used from, everywhere within a second. An empty list lifts the restriction. */
export async function setAllowedAddresses(db: Db, keyId: string, blocks: readonly AddressBlock[]): Promise<KeyChanged> {
  const texts = blocks.map((block) => block.text)
  return change(db, keyId, (key) => updateAllowedAddresses(db, key, texts))
}

async function change(db: Db, keyId: string, write: (key: KeyOfTenant) => Promise<boolean>): Promise<KeyChanged> {
  const key = await findKey(db, keyId)
  if (key === null || !(await write(key))) return { kind: 'refused', code: 'resource_not_found' }
  return { kind: 'changed' }
}
