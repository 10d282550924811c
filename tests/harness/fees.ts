import assert from 'node:assert/strict'
import type { ActRefused } from '../../src/acts/act.ts'
import type { FeeSchedule } from '../../src/merchants/fees.ts'
import * as setting from '../../src/merchants/set-fees.ts'
import { createClock } from '../../src/platform/clock.ts'
import type { Sql } from '../../src/platform/postgres/database.ts'
import { perform } from './perform.ts'

export type NewFees = Omit<FeeSchedule, 'effective_from'> & {
  readonly merchant_id: number
  /** `when_known`: from the first moment at which every process knows of the schedule. Null: at once, for a merchant that no process has read. */
  readonly effective_from: Date | 'when_known' | null
}

/** Sets the fees of a merchant, on the host. */
export async function setFees(
  sql: Sql,
  { merchant_id, basis_points, effective_from, ...schedule }: NewFees,
): Promise<{ kind: 'set'; effective_from: Date } | ActRefused> {
  const from = effective_from instanceof Date ? effective_from.toISOString() : null
  const deps = { sql, clock: createClock(), unread: effective_from === null }
  const values = { ...schedule, percent: basis_points, from }
  const set = await perform(setting.setFees, deps, { merchant_id, values })
  assert.ok(set.kind !== 'ask_again')
  return set.kind === 'refused' ? set : { kind: 'set', effective_from: set.result.effective_from }
}
