import assert from 'node:assert/strict'
import type { StopScope } from '../../src/payouts/stop-facts.ts'
import * as acts from '../../src/payouts/stop-payouts.ts'
import { createClock } from '../../src/platform/clock.ts'
import type { Sql } from '../../src/platform/postgres/database.ts'
import type { Actor } from '../../src/values/actor.ts'
import { actor } from './actor.ts'
import { perform } from './perform.ts'

/** The fields of the form, as a person chooses a scope. */
function valuesOf(what: StopScope) {
  if (what.scope === 'all') return { what: 'all', merchant: null }
  if (what.scope === 'operator') return { what: what.operator, merchant: null }
  return { what: 'merchant', merchant: what.merchant_id }
}

const depsOf = (sql: Sql) => ({ sql, clock: createClock() })

/** Stops payouts as a command on the host does. */
export const stopPayouts = (sql: Sql, what: StopScope, by: Actor) =>
  perform(acts.stopPayouts, depsOf(sql), { values: valuesOf(what) }, by)

/** Asks to resume payouts, or resumes them. `kind`: `waiting`, `resumed` or the code of a refusal. */
export async function resumePayouts(sql: Sql, what: StopScope, by: Actor): Promise<{ kind: string }> {
  const performed = await perform(acts.resumePayouts, depsOf(sql), { values: valuesOf(what) }, by)
  assert.ok(performed.kind !== 'ask_again')
  if (performed.kind === 'refused') return { kind: performed.code }
  return { kind: performed.result.waiting ? 'waiting' : 'resumed' }
}

/** Lifts a stop as two people, for tests that are about what follows. */
export async function resumeByTwo(sql: Sql, what: StopScope): Promise<void> {
  assert.equal((await resumePayouts(sql, what, actor('ama@example.com'))).kind, 'waiting')
  assert.equal((await resumePayouts(sql, what, actor('kofi@example.com'))).kind, 'resumed')
}
