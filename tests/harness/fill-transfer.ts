import type { Performed } from '../../src/acts/perform.ts'
import * as acts from '../../src/ledger/fill-transfer.ts'
import type { Clock } from '../../src/platform/clock.ts'
import type { Sql } from '../../src/platform/postgres/database.ts'
import { type Actor, SYSTEM } from '../../src/values/actor.ts'
import type { Tenant } from '../../src/values/caller.ts'
import { perform } from './perform.ts'

type Order = { by?: Actor; reference?: string | null }

/** Books a deposit, in francs. */
export async function depositToTransfer(sql: Sql, tenant: Tenant, amount: number, clock: Clock, order: Order = {}) {
  const { by = SYSTEM, reference = null } = order
  const values = { deposited: amount, reference }
  return filledOf(await perform(acts.recordDeposit, { sql, clock }, { tenant, values }, by))
}

/** Moves francs from the available to the transfer balance. */
export async function moveToTransfer(sql: Sql, tenant: Tenant, amount: number, clock: Clock, order: Order = {}) {
  const { by = SYSTEM, reference: key = null } = order
  const values = { amount, key }
  return filledOf(await perform(acts.moveToTransfer, { sql, clock }, { tenant, values }, by))
}

function filledOf(outcome: Performed<acts.Filled>) {
  if (outcome.kind !== 'done') return outcome
  const { id, transfer, repeated } = outcome.result
  return { kind: repeated ? ('repeated' as const) : ('booked' as const), id, transfer }
}
