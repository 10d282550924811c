import { recordAct } from '../../audit-log/record-act.ts'
import { lockMerchant, type PaymentUndo, readPaymentMax, updatePaymentMax } from '../../merchants/store.ts'
import { defineEffect } from '../../platform/commands/effects.ts'
import type { Db, Sql, Tx } from '../../platform/postgres/database.ts'
import { type Actor, SYSTEM } from '../../values/actor.ts'
import type { Tenant } from '../../values/caller.ts'
import * as store from '../store.ts'
import { type CapName, capNamesIn } from './cap-proposal.ts'
import { supersedeProposals } from './proposal-store.ts'

/** A merchant's own caps in francs. Null where the service's cap applies. */
export type OwnCaps = Readonly<Record<CapName, number | null>>

/** Caps to set, in francs. Null or absent leaves a cap unchanged. */
export type CapChange = Partial<OwnCaps>

export type CapsSet = { kind: 'set'; caps: OwnCaps } | { kind: 'refused'; code: 'resource_not_found' }

/**
 * Sets a merchant's own caps in one mode, in francs. The caps of payouts apply from the next payout on, also to drafts of batches. The cap of a
 * payment applies in both modes, in every process within a second, as all settings that payments read
 * (`createMerchantSettings`).
 * @param by the author, for the audit log
 */
export async function setCaps(sql: Sql, tenant: Tenant, caps: CapChange, by: Actor = SYSTEM): Promise<CapsSet> {
  return sql.begin(async (tx): Promise<CapsSet> => {
    if ((await lockMerchant(tx, tenant.merchant_id)) === null) return { kind: 'refused', code: 'resource_not_found' }
    return { kind: 'set', caps: await changeCaps(tx, tenant, caps, by) }
  })
}

/** Reads a merchant's own caps in one mode, in francs. Null where the service's cap applies. */
export async function readOwnCaps(db: Db, tenant: Tenant): Promise<OwnCaps> {
  return { ...(await store.readCaps(db, tenant)), payment: await readPaymentMax(db, tenant.merchant_id) }
}

type NewCap = Tenant & {
  readonly cap: CapName
  readonly amount: number
  /** The cap of a payment that an owner may restore alone; absent or null when there is none. */
  readonly undo?: PaymentUndo | null
}

/** One cap of a locked merchant, in francs. */
export const setCap = defineEffect<NewCap>('payout cap', async (tx, changes) => {
  for (const { cap, amount, undo = null, ...tenant } of changes) {
    if (cap === 'payment') await updatePaymentMax(tx, tenant.merchant_id, amount, undo)
    else await store.writeCaps(tx, tenant, { operation: null, day: null, [cap]: amount })
  }
})

/**
 * Writes caps and their line of the audit log. The merchant is locked, so that the second of two changes sees the
 * first. Proposals that wait for these caps end, with a line each: they were made under the caps before.
 */
async function changeCaps(
  tx: Tx,
  tenant: Tenant,
  { operation = null, day = null, payment = null }: CapChange,
  by: Actor,
): Promise<OwnCaps> {
  const before = await readOwnCaps(tx, tenant)
  const ofPayouts =
    operation === null && day === null
      ? { operation: before.operation, day: before.day }
      : await store.writeCaps(tx, tenant, { operation, day })
  if (payment !== null) await updatePaymentMax(tx, tenant.merchant_id, payment, null)
  const after = { ...ofPayouts, payment: payment ?? before.payment }
  recordAct(tx, tenant, { actor: by, act: 'caps.set', before, after })
  const given = { operation, day, payment }
  const changed = capNamesIn(tenant.livemode).filter((cap) => given[cap] !== null)
  for (const { id, cap, amount, status } of await supersedeProposals(tx, tenant, changed, by.person)) {
    const change = { before: { status: 'proposed' }, after: { status, [cap]: amount } }
    recordAct(tx, tenant, { actor: by, act: 'caps.supersede', subject: id, ...change })
  }
  return after
}
