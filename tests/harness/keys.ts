import * as confirmation from '../../src/api-keys/confirm-key.ts'
import * as revocation from '../../src/api-keys/revoke-key.ts'
import { createClock } from '../../src/platform/clock.ts'
import type { Sql } from '../../src/platform/postgres/database.ts'
import { type Actor, SYSTEM } from '../../src/values/actor.ts'
import type { Tenant } from '../../src/values/caller.ts'
import { perform } from './perform.ts'

/** Revokes a key, on the host. */
export async function revokeKey(sql: Sql, id: string, by: Actor = SYSTEM, within: Partial<Tenant> = {}) {
  return await change(revocation.revokeKey, sql, { id, within }, by)
}

/** Confirms a key as a second person, on the host. */
export async function confirmKey(sql: Sql, within: Tenant, id: string, by: Actor) {
  return await change(confirmation.confirmKey, sql, { id, within }, by)
}

async function change(
  act: typeof revocation.revokeKey | typeof confirmation.confirmKey,
  sql: Sql,
  subject: { id: string; within: Partial<Tenant> },
  by: Actor,
) {
  const outcome = await perform(act, { sql, clock: createClock() }, subject, { ...by, door: 'break_glass' })
  return outcome.kind === 'done' ? ({ kind: 'changed' } as const) : outcome
}
