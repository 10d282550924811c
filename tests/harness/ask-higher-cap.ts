import { proposeCap } from '../../src/payouts/caps/propose-cap.ts'
import { createClock } from '../../src/platform/clock.ts'
import { readConfig } from '../../src/platform/config.ts'
import type { Sql } from '../../src/platform/postgres/database.ts'
import type { Tenant } from '../../src/values/caller.ts'
import { actor } from './actor.ts'

/** Asks for a higher cap of 24 hours, in francs, as an owner of a merchant. Returns the proposal's id. */
export async function askHigherCap(sql: Sql, tenant: Tenant, amount: number, by = 'aya@example.ci'): Promise<string> {
  const deps = { sql, clock: createClock(), usual: readConfig({}) }
  const wish = { cap: 'day', amount, reason: 'Salaires de décembre' } as const
  const result = await proposeCap(deps, tenant, wish, actor(by), 'owner')
  if (result.kind !== 'proposed') throw new Error(`the cap of ${amount} francs is ${result.kind}`)
  return result.proposal.id
}
