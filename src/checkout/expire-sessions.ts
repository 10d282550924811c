import type { Clock } from '../platform/clock.ts'
import type { Sql } from '../platform/postgres/database.ts'
import { moveSessionsOn } from './move-session.ts'
import * as store from './store.ts'

/** Sessions expired by one transaction at most; a sweep that filled it goes on at once. */
const SWEEP_MAX = 500

/**
 * Expires open sessions whose time is over and tells their merchants; returns how many. One whose attempt is under way is
 * left to it: nobody is told "expired" while their money may be moving. When that attempt fails, the next sweep finds it.
 */
export async function expireSessions({ sql, clock }: { sql: Sql; clock: Clock }): Promise<number> {
  if (!sql.sharded) return expireSessionsOf(sql, clock, null)
  let expired = 0
  for (;;) {
    const merchants = await store.readMerchantsOverdue(sql, SWEEP_MAX)
    if (merchants.length === 0) return expired
    let count = 0
    for (const merchant_id of merchants) count += await expireSessionsOf(sql, clock, merchant_id)
    expired += count
    // What is left is locked by somebody who works on it.
    if (count === 0) return expired
  }
}

/** @param merchant_id whose sessions; null: anybody's */
async function expireSessionsOf(sql: Sql, clock: Clock, merchant_id: number | null): Promise<number> {
  let expired = 0
  for (;;) {
    const count = await sql.begin(async (tx) => {
      const overdue = await store.claimOverdue(tx, SWEEP_MAX, merchant_id)
      const moved = await moveSessionsOn(
        tx,
        overdue.map((key) => ({ ...key, status: 'open' as const, on: 'time_ran_out' as const, payment_id: null })),
        clock,
      )
      return moved.length
    })
    expired += count
    if (count < SWEEP_MAX) return expired
  }
}
