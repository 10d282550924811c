import assert from 'node:assert/strict'
import type { ActRefused } from '../../src/acts/act.ts'
import type { CapName, CapProposal } from '../../src/payouts/caps/cap-proposal.ts'
import * as asking from '../../src/payouts/caps/propose-cap.ts'
import { createClock } from '../../src/platform/clock.ts'
import { readConfig } from '../../src/platform/config.ts'
import type { Sql } from '../../src/platform/postgres/database.ts'
import type { Actor } from '../../src/values/actor.ts'
import type { Tenant } from '../../src/values/caller.ts'
import { actor } from './actor.ts'
import { perform } from './perform.ts'

/** Asks for another cap as an owner of the merchant, in francs. */
export async function proposeCap(
  sql: Sql,
  tenant: Tenant,
  values: { cap: CapName; amount: number; reason: string },
  by: Actor,
): Promise<{ kind: 'saved' } | { kind: 'proposed'; proposal: CapProposal } | ActRefused> {
  const deps = { sql, clock: createClock(), payoutCaps: readConfig({}), asker: 'owner' as const }
  const asked = await perform(asking.proposeCap, deps, { tenant, values }, by)
  assert.ok(asked.kind !== 'ask_again')
  if (asked.kind === 'refused') return asked
  const { proposal } = asked.result
  return proposal === null ? { kind: 'saved' } : { kind: 'proposed', proposal }
}

/** Asks for a higher cap of 24 hours, in francs, as an owner of a merchant. Returns the proposal's id. */
export async function askHigherCap(sql: Sql, tenant: Tenant, amount: number, by = 'aya@example.ci'): Promise<string> {
  const result = await proposeCap(sql, tenant, { cap: 'day', amount, reason: 'Salaires de décembre' }, actor(by))
  if (result.kind !== 'proposed') throw new Error(`the cap of ${amount} francs is ${result.kind}`)
  return result.proposal.id
}
