import { performAct } from '../../src/acts/perform.ts'
import * as confirmation from '../../src/api-keys/confirm-key.ts'
import * as revocation from '../../src/api-keys/revoke-key.ts'
import { createClock } from '../../src/platform/clock.ts'
import type { Sql } from '../../src/platform/postgres/database.ts'
import { type Actor, SYSTEM } from '../../src/values/actor.ts'
import type { Tenant } from '../../src/values/caller.ts'

/** Revokes a key, as a command on the host does. */
export async function revokeKey(sql: Sql, key_id: string, by: Actor = SYSTEM, within: Partial<Tenant> = {}) {
  const call = { by: { ...by, door: 'break_glass' as const }, values: {}, within, id: key_id }
  const outcome = await performAct(revocation.revokeKey, { sql, clock: createClock() }, call, null)
  return outcome.kind === 'done' ? ({ kind: 'changed' } as const) : outcome
}

/** Confirms a key as a second person, on the host. */
export async function confirmKey(sql: Sql, within: Tenant, key_id: string, by: Actor) {
  const call = { by: { ...by, door: 'break_glass' as const }, values: {}, within, id: key_id }
  const outcome = await performAct(confirmation.confirmKey, { sql, clock: createClock() }, call, null)
  return outcome.kind === 'done' ? ({ kind: 'changed' } as const) : outcome
}
