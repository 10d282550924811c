import { maySecond } from '../acts/second-person.ts'
import { type Act, recordAct, WHOLE_SERVICE } from '../audit-log/record-act.ts'
import { merchantExists } from '../merchants/store.ts'
import { recheckPreparedPayouts } from '../operators/store.ts'
import type { Db, Sql, Tx } from '../platform/postgres/database.ts'
import { type Actor, SYSTEM } from '../values/actor.ts'
import { normalizePerson } from '../values/independent-approver.ts'
import * as store from './store.ts'

/** The payouts that a stop covers: all, those through one operator, or those of one merchant. */
export type StopScope =
  | { scope: 'all' }
  | { scope: 'operator'; operator: string }
  | { scope: 'merchant'; merchant_id: number }

export type PayoutsStopped = { kind: 'stopped' } | { kind: 'refused'; code: 'resource_not_found' }

/**
 * Stops payouts from being sent, at once: every send checks the stops first. Accepted payouts wait, collections go on,
 * and a payout already with an operator is not recalled. Stopping again cancels a pending request to resume, so that
 * two people have to agree anew; otherwise it changes nothing. An unknown merchant is refused: a person who mistyped it
 * would believe that payouts have stopped.
 */
export async function stopPayouts(sql: Sql, what: StopScope, stopped_by: Actor): Promise<PayoutsStopped> {
  if (what.scope === 'merchant' && !(await merchantExists(sql, what.merchant_id))) {
    return { kind: 'refused', code: 'resource_not_found' }
  }
  const key = stopKey(what)
  await sql.begin(async (tx) => {
    const before = await store.lockStop(tx, key)
    if (before === null) {
      if (await store.insertStop(tx, key, stopped_by.person))
        record(tx, what, { actor: stopped_by, act: 'payouts.stop' })
    } else if (before.resume_asked_by !== null) {
      await store.takeBackResumption(tx, key)
      record(tx, what, { actor: stopped_by, act: 'payouts.stop', before })
    }
  })
  return { kind: 'stopped' }
}

/**
 * Stops all payouts because of something that the service found itself. A stop in force gets the cause. Two people lift it as any other, and
 * say with it that the cause is mended: the same detail never stops again.
 * @returns false if this cause has stopped payouts before
 */
export async function stopPayoutsBecause(sql: Sql, cause: store.StopCause): Promise<boolean> {
  if (await store.isKnownCause(sql, cause)) return false
  const key = stopKey({ scope: 'all' })
  return sql.begin(async (tx) => {
    await store.insertStop(tx, key, SYSTEM.person)
    await store.lockStop(tx, key)
    // Another process may have stopped them meanwhile.
    if (await store.isKnownCause(tx, cause)) return false
    await store.setStopCause(tx, key, cause)
    recordAct(
      tx,
      { merchant_id: WHOLE_SERVICE, livemode: null },
      { actor: SYSTEM, act: 'payouts.stop', after: { ...key, ...cause } },
    )
    return true
  })
}

export type PayoutsResumed =
  /** `waiting`: this person has asked, and a second person has to agree. */
  { kind: 'waiting' | 'resumed'; stop: store.StopRow } | { kind: 'refused'; code: 'not_stopped' | 'not_a_person' }

/**
 * Resumes payouts once two people have asked: the first request is recorded, the second lifts the stop. The person who
 * stopped may be one of the two. Nobody is the second who let the first one in within 90 days. The next sweep takes up the payouts that waited. The stop and its people stay on
 * record. Refusals in order of precedence: the caller is an API key, payouts are not stopped.
 */
export async function resumePayouts(sql: Sql, what: StopScope, by: Actor): Promise<PayoutsResumed> {
  const person = normalizePerson(by.person)
  if (person === null || person.startsWith('key:')) return { kind: 'refused', code: 'not_a_person' }
  const key = stopKey(what)
  const result = await sql.begin(async (tx): Promise<PayoutsResumed> => {
    const before = await store.lockStop(tx, key)
    if (before === null) return { kind: 'refused', code: 'not_stopped' }
    if (before.resume_asked_by === null) {
      record(tx, what, { actor: { ...by, person }, act: 'payouts.ask_to_resume', before })
      return { kind: 'waiting', stop: await store.askToResume(tx, key, person) }
    }
    if (!(await maySecond(tx, [before.resume_asked_by], person))) return { kind: 'waiting', stop: before }
    record(tx, what, { actor: { ...by, person }, act: 'payouts.resume', before })
    return { kind: 'resumed', stop: await store.liftStop(tx, key, person) }
  })
  if (result.kind === 'resumed') await recheckPreparedPayouts(sql)
  return result
}

/** Most stops shown. */
const STOPS_MAX = 200

/** The stops in force with the people who asked to lift them, newest first. `lifted` adds the stops of the past. */
export function readPayoutStops(db: Db, { lifted }: { lifted: boolean }): Promise<store.StopRow[]> {
  return store.readStops(db, lifted, STOPS_MAX)
}

/** The stop in force of exactly these payouts. Null when they are not stopped. */
export async function readStopOf(db: Db, what: StopScope): Promise<store.StopRow | null> {
  const { scope, value } = stopKey(what)
  const stops = await readPayoutStops(db, { lifted: false })
  return stops.find((one) => one.scope === scope && one.value === value) ?? null
}

function record(tx: Tx, what: StopScope, act: Omit<Act, 'after'>): void {
  const merchant_id = what.scope === 'merchant' ? what.merchant_id : WHOLE_SERVICE
  recordAct(tx, { merchant_id, livemode: null }, { ...act, after: stopKey(what) })
}

function stopKey(what: StopScope): store.Stop {
  const { scope } = what
  if (scope === 'operator') return { scope, value: what.operator }
  return { scope, value: scope === 'merchant' ? String(what.merchant_id) : '' }
}
