import { type Act, recordAct } from '../../audit-log/record-act.ts'
import { lockMerchant } from '../../merchants/store.ts'
import type { Sql, Tx } from '../../platform/postgres/database.ts'
import { type Actor, SYSTEM } from '../../values/actor.ts'
import type { Tenant } from '../../values/caller.ts'
import * as store from '../store.ts'

export type CapsSet =
  /** Null: the service's own. */
  | { kind: 'set'; caps: { operation: number | null; day: number | null } }
  | { kind: 'refused'; code: 'resource_not_found' }

/**
 * Sets a merchant's own caps in one mode, in francs; what is null stays as it is. They hold from the next payout on.
 * @param by who sets them, for the audit log
 */
export async function setCaps(
  sql: Sql,
  tenant: Tenant,
  caps: { operation: number | null; day: number | null },
  by: Actor = SYSTEM,
): Promise<CapsSet> {
  return sql.begin(async (tx): Promise<CapsSet> => {
    if ((await lockMerchant(tx, tenant.merchant_id)) === null) return { kind: 'refused', code: 'resource_not_found' }
    return { kind: 'set', caps: await changeCaps(tx, tenant, caps, { actor: by, act: 'caps.set' }) }
  })
}

/** Writes caps and the line of the audit log. The merchant is locked, so that of two changes the second sees the first. */
export async function changeCaps(
  tx: Tx,
  tenant: Tenant,
  caps: { operation: number | null; day: number | null },
  act: Pick<Act, 'actor' | 'act' | 'subject'>,
): Promise<{ operation: number | null; day: number | null }> {
  const before = await store.readCaps(tx, tenant)
  const after = await store.writeCaps(tx, tenant, caps)
  recordAct(tx, tenant, { ...act, before, after })
  return after
}
