import assert from 'node:assert/strict'
import type { ActRefused } from '../../src/acts/act.ts'
import type { AddressBlock } from '../../src/api-keys/address-blocks.ts'
import * as addresses from '../../src/api-keys/change-key.ts'
import * as confirmation from '../../src/api-keys/confirm-key.ts'
import * as creation from '../../src/api-keys/create-key.ts'
import * as revocation from '../../src/api-keys/revoke-key.ts'
import { createClock } from '../../src/platform/clock.ts'
import type { Sql } from '../../src/platform/postgres/database.ts'
import { type Actor, SYSTEM } from '../../src/values/actor.ts'
import type { Scope, Tenant } from '../../src/values/caller.ts'
import type { Secret } from '../../src/values/secret.ts'
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

type NewKey = {
  key_prefix: string
  scope: Scope
  allowed_addresses?: readonly AddressBlock[]
  name?: string | null
  needs_confirmation?: boolean
}

/** Creates a key that works at once, or waits for a second person as one that people create in the console. */
export async function createKey(
  sql: Sql,
  tenant: Tenant,
  { key_prefix, scope, allowed_addresses = [], name = null, needs_confirmation = false }: NewKey,
  by: Actor = SYSTEM,
): Promise<{ key_id: string; key: Secret }> {
  const values = { name, scope, addresses: allowed_addresses.map(({ text }) => text) }
  const author: Actor = { ...by, door: needs_confirmation ? 'console' : 'break_glass' }
  const deps = { sql, clock: createClock(), key_prefix }
  const made = await perform(creation.createKey, deps, { tenant, values }, author)
  assert.ok(made.kind === 'done')
  return made.result
}

/** Replaces the addresses of a key. */
export async function setAllowedAddresses(
  sql: Sql,
  id: string,
  blocks: readonly AddressBlock[],
  by: Actor = SYSTEM,
  within: Partial<Tenant> = {},
): Promise<{ kind: 'changed'; waits: boolean } | ActRefused> {
  const values = { addresses: blocks.map(({ text }) => text), add: null }
  const done = await perform(addresses.allowAddresses, { sql, clock: createClock() }, { id, values, within }, by)
  assert.ok(done.kind !== 'ask_again')
  return done.kind === 'done' ? { kind: 'changed', waits: done.result.waits } : done
}
