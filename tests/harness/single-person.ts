import * as acts from '../../src/payouts/alone/allow-single-person.ts'
import { createClock } from '../../src/platform/clock.ts'
import type { Sql } from '../../src/platform/postgres/database.ts'
import type { Actor } from '../../src/values/actor.ts'
import { perform } from './perform.ts'

const depsOf = (sql: Sql) => ({ sql, clock: createClock() })

// The decisions of the staff about a merchant of one person, without their doors.

export const proposeSinglePerson = (
  sql: Sql,
  { merchant_id, reason }: { merchant_id: number; reason: string },
  by: Actor,
) => perform(acts.proposeSinglePerson, depsOf(sql), { merchant_id, values: { reason } }, by)

export const confirmSinglePerson = (sql: Sql, merchant_id: number, by: Actor) =>
  perform(acts.confirmSinglePerson, depsOf(sql), { merchant_id }, by)

export const endSinglePerson = (sql: Sql, merchant_id: number, by: Actor) =>
  perform(acts.endSinglePerson, depsOf(sql), { merchant_id }, by)
