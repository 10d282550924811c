import type { Clock } from '../platform/clock.ts'
import { applyEffects } from '../platform/commands/effects.ts'
import { sweepTogether } from '../platform/each-apart.ts'
import type { Log } from '../platform/log.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'
import { transitionSession } from './move-session.ts'
import * as store from './store.ts'

/** Most sessions that one transaction expires and one query reads. A sweep that reaches it continues at once. */
const SWEEP_MAX = 500

type Dependencies = { sql: Sql; clock: Clock; log: Log }

/**
 * Expires open sessions at the end of their time and tells their merchants. A session with an attempt in progress stays
 * open, because the payer's money may be moving. If that attempt fails, the next sweep expires the session.
 *
 * Many sessions share a transaction. If it fails, each gets its own, and only those that cannot be moved stay open.
 */
export async function expireSessions({ sql, clock, log }: Dependencies): Promise<void> {
  await sweepTogether(sql, {
    task: 'expiry of checkout sessions',
    log,
    together: (merchant_id) => expireSessionsOf({ sql, clock }, merchant_id),
    merchants: () => store.readMerchantsOverdue(sql, SWEEP_MAX),
    read: (met) => store.readOverdue(sql, SWEEP_MAX, met),
    nameOf: ({ session_id }) => session_id,
    act: (key) =>
      sql.begin(async (tx) => {
        const claimed = await store.claimIfOverdue(tx, key)
        if (claimed !== null) await expire(tx, [claimed], clock)
      }),
  })
}

/** @param merchant_id the merchant whose sessions expire; null for all merchants */
async function expireSessionsOf(
  { sql, clock }: Pick<Dependencies, 'sql' | 'clock'>,
  merchant_id: number | null,
): Promise<number> {
  let expired = 0
  for (;;) {
    const count = await sql.begin(async (tx) => expire(tx, await store.claimOverdue(tx, SWEEP_MAX, merchant_id), clock))
    expired += count
    if (count < SWEEP_MAX) return expired
  }
}

async function expire(tx: Tx, overdue: readonly store.LockedSession[], clock: Clock): Promise<number> {
  const now = clock.now()
  const expired = overdue.flatMap((session) => transitionSession(session, { trigger: 'time_ran_out' }, now) ?? [])
  await applyEffects(
    tx,
    expired.flatMap(({ effects }) => effects),
    now,
  )
  return expired.length
}
