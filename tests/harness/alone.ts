import assert from 'node:assert/strict'
import type { ActRefused } from '../../src/acts/act.ts'
import { stopMerchantsApproval } from '../../src/payouts/alone/stop-approval.ts'
import type { SoloKey } from '../../src/payouts/alone/store.ts'
import { soloRequest } from '../../src/payouts/approve-request-alone.ts'
import { createClock } from '../../src/platform/clock.ts'
import type { Sql } from '../../src/platform/postgres/database.ts'
import type { Actor } from '../../src/values/actor.ts'
import { type Tenant, tenantOf } from '../../src/values/caller.ts'
import { perform } from './perform.ts'

const clock = createClock()
const payoutCaps = { payout_cap_operation: 100_000, payout_cap_day: 1_000_000, unchecked_day_max: 200_000 }

/** The only person of a merchant approves a request of their own key. */
export async function approveRequestAlone(sql: Sql, tenant: Tenant, id: string, by: Actor) {
  const done = await perform(soloRequest.approve, { sql, clock, payoutCaps }, { id, within: tenant }, by)
  return done.kind === 'done' ? ({ kind: 'approved' } as const) : done
}

/** The staff stop an approval. */
export async function stopAlone(sql: Sql, key: SoloKey, by: Actor): Promise<{ kind: 'stopped' } | ActRefused> {
  const subject = { tenant: tenantOf(key), values: { subject: key.subject_id } }
  const done = await perform(stopMerchantsApproval, { sql, clock }, subject, by)
  assert.ok(done.kind !== 'ask_again')
  return done.kind === 'refused' ? done : { kind: 'stopped' }
}
