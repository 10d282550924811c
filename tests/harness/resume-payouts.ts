import assert from 'node:assert/strict'
import { resumePayouts, type StopScope } from '../../src/payouts/stop-payouts.ts'
import type { Sql } from '../../src/platform/postgres/database.ts'
import { actor } from './actor.ts'

/** Lifts a stop as two people, for tests that are about what follows. */
export async function resumeByTwo(sql: Sql, what: StopScope): Promise<void> {
  assert.equal((await resumePayouts(sql, what, actor('ama@example.com'))).kind, 'waiting')
  assert.equal((await resumePayouts(sql, what, actor('kofi@example.com'))).kind, 'resumed')
}
