import { recordAct } from '../audit-log/record-act.ts'
import type { Sql } from '../platform/postgres/database.ts'
import { type Actor, SYSTEM } from '../values/actor.ts'
import type { Scope, Tenant } from '../values/caller.ts'
import type { Secret } from '../values/secret.ts'
import type { AddressBlock } from './address-blocks.ts'
import { keyDigest, newKey } from './key-format.ts'
import { insertKey } from './store.ts'

export type NewKey = {
  key_prefix: string
  scope: Scope
  /** Empty or absent: any address. */
  allowed_addresses?: readonly AddressBlock[]
  name?: string | null
  /** Whether the key works only after a second person has confirmed it (`confirmKey`). Absent: it works at once. */
  needs_confirmation?: boolean
}

/**
 * Creates a key of a merchant in one mode. Only this call returns the key; the database has its digest.
 * @param by the person who creates it, for the audit log
 */
export async function createKey(
  sql: Sql,
  tenant: Tenant,
  { key_prefix, scope, allowed_addresses = [], name = null, needs_confirmation = false }: NewKey,
  by: Actor = SYSTEM,
): Promise<{ key_id: string; key: Secret }> {
  const { key_id, key } = newKey(key_prefix, tenant.livemode)
  const stored = {
    merchant_id: tenant.merchant_id,
    livemode: tenant.livemode,
    key_id,
    scope,
    secret_hash: keyDigest(key.reveal()),
    allowed_addresses: allowed_addresses.map((block) => block.text),
    name,
    created_by: by.person,
    needs_confirmation,
  }
  await sql.begin(async (tx) => {
    await insertKey(tx, stored)
    const after = { scope, allowed_addresses: stored.allowed_addresses, needs_confirmation }
    recordAct(tx, tenant, { actor: by, act: 'key.create', subject: key_id, after })
  })
  return { key_id, key }
}
