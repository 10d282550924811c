import type { Sql } from '../platform/postgres/database.ts'

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
  if (what.scope === 'merchant') {
    const known = await sql`select from merchants where merchant_id = ${what.merchant_id}`
    if (known.length === 0) return { kind: 'refused', code: 'resource_not_found' }
  }
  await sql`
    insert into payout_stops (scope, value, stopped_by)
    values (${what.scope}, ${stopValue(what)}, ${stopped_by})
    on conflict do nothing`
  return { kind: 'stopped' }
}

/** Lets them be sent again; those that waited are looked at by the next sweep. False: they were not stopped. */
export async function resumePayouts(sql: Sql, what: StopScope): Promise<boolean> {
  const { count } = await sql`
    delete from payout_stops
     where scope = ${what.scope} and value = ${stopValue(what)}`
  if (count === 0) return false
  // Only what waits is found through the index of what is due, so this touches nothing else.
  await sql`
    update instructions
       set next_check_at = clock_now()
     where next_check_at is not null
       and direction = 'payout'
       and state = 'prepared'`
  return true
}

function stopValue(what: StopScope): string {
  if (what.scope === 'operator') return what.operator
  return what.scope === 'merchant' ? String(what.merchant_id) : ''
}
