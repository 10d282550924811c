import { recordAct, SYSTEM, WHOLE_SERVICE } from '../audit-log/record-act.ts'
import { merchantExists } from '../merchants/store.ts'
import { lookAgainAtPreparedPayouts } from '../operators/store.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'
import * as store from './store.ts'

/** Whose payouts: all, those through one operator, or one merchant's. */
export type StopScope =
  | { scope: 'all' }
  | { scope: 'operator'; operator: string }
  | { scope: 'merchant'; merchant_id: number }

export type PayoutsStopped = { kind: 'stopped' } | { kind: 'refused'; code: 'resource_not_found' }

/**
 * Stops payouts from being sent, at once: every send begins with a look at this. Accepted payouts wait, collections go
 * on, and what is under way with an operator is not recalled. Stopping twice is stopping once. A merchant that does not
 * exist is refused: whoever mistyped it believes that payouts have stopped.
 */
export async function stopPayouts(sql: Sql, what: StopScope, stopped_by: string): Promise<PayoutsStopped> {
  if (what.scope === 'merchant' && !(await merchantExists(sql, what.merchant_id))) {
    return { kind: 'refused', code: 'resource_not_found' }
  }
  await sql.begin(async (tx) => {
    const stop = { scope: what.scope, value: stopValue(what) }
    if (await store.insertStop(tx, stop, stopped_by)) record(tx, what, 'payouts.stop', stopped_by)
  })
  return { kind: 'stopped' }
}

/**
 * Lets them be sent again; those that waited are looked at by the next sweep. False: they were not stopped.
 * @param by who does it, for the audit log
 */
export async function resumePayouts(sql: Sql, what: StopScope, by: string = SYSTEM): Promise<boolean> {
  const resumed = await sql.begin(async (tx) => {
    const lifted = await store.deleteStop(tx, { scope: what.scope, value: stopValue(what) })
    if (lifted) record(tx, what, 'payouts.resume', by)
    return lifted
  })
  if (resumed) await lookAgainAtPreparedPayouts(sql)
  return resumed
}

function record(tx: Tx, what: StopScope, act: 'payouts.stop' | 'payouts.resume', actor: string): void {
  const merchant_id = what.scope === 'merchant' ? what.merchant_id : WHOLE_SERVICE
  recordAct(tx, { merchant_id, livemode: null }, { actor, act, after: { scope: what.scope, value: stopValue(what) } })
}

function stopValue(what: StopScope): string {
  if (what.scope === 'operator') return what.operator
  return what.scope === 'merchant' ? String(what.merchant_id) : ''
}
