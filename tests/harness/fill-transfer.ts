import type { Performed } from '../../src/acts/perform.ts'
import type { Waits } from '../../src/acts/proposal.ts'
import * as acts from '../../src/ledger/fill-transfer.ts'
import type { Clock } from '../../src/platform/clock.ts'
import type { Sql } from '../../src/platform/postgres/database.ts'
import { type Actor, SYSTEM } from '../../src/values/actor.ts'
import type { Tenant } from '../../src/values/caller.ts'
import { perform } from './perform.ts'

type Order = { by?: Actor; reference?: string | null; secondPersonAbove?: number }

/** Books a deposit, in francs. */
export async function depositToTransfer(sql: Sql, tenant: Tenant, amount: number, clock: Clock, order: Order = {}) {
  const { by = SYSTEM, reference = null, secondPersonAbove = 100_000 } = order
  const values = { deposited: amount, reference }
  return filledOf(await perform(acts.recordDeposit, { sql, clock, secondPersonAbove }, { tenant, values }, by))
}

/** Moves francs from the available to the transfer balance. */
export async function moveToTransfer(sql: Sql, tenant: Tenant, amount: number, clock: Clock, order: Order = {}) {
  const { by = SYSTEM, reference: key = null } = order
  const values = { amount, key }
  return filledOf(await perform(acts.moveToTransfer, { sql, clock }, { tenant, values }, by))
}

function filledOf(outcome: Performed<acts.Filled | Waits>) {
  if (outcome.kind !== 'done') return outcome
  if ('proposal_id' in outcome.result) return { kind: 'proposed' as const, id: outcome.result.proposal_id }
  const { id, transfer, repeated } = outcome.result
  return { kind: repeated ? ('repeated' as const) : ('booked' as const), id, transfer }
}
