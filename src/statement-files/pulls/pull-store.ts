import type { Db } from '../../platform/postgres/database.ts'
import { given } from '../../platform/postgres/rows.ts'
import type { AccountKey } from '../import/statement-file.ts'

/** One asking for the list of a day. `nth`: the first the next day, the second on the third day, the third on the tenth. */
export type Pull = AccountKey & { readonly day: string; readonly nth: number }

export type ClaimedPull = Pull & { readonly attempts: number; readonly is_overdue: boolean }

export type PullOutcome = 'read' | 'empty' | 'not_offered' | 'refused' | 'given_up'

/** Minutes for which a claimed pull belongs to its process. After them another process takes it: the first one died. */
const LEASE_MINUTES = 60
/** Minutes until the second try, doubled with each try up to four hours. */
const [PAUSE_MINUTES, PAUSE_MINUTES_MAX] = [5, 240]
/** Hours after which an operator that fails is given up for this time. */
const PATIENCE_HOURS = 24
const KEPT_DAYS = 60

/** Plans pulls. Those that are planned stay as they are. */
export async function planPulls(db: Db, pulls: readonly Pull[]): Promise<void> {
  if (pulls.length === 0) return
  await db`
    insert into statement_pulls (livemode, account, day, nth)
    select w.livemode, w.account, w.day, w.nth
      from ${given(db, 'statement_pulls w', pulls, ['livemode', 'account', 'day', 'nth'])}
    on conflict do nothing`
}

/** Takes the pull that is due longest, for one hour. Another process skips it meanwhile. Null: none is due. */
export async function claimPull(db: Db): Promise<ClaimedPull | null> {
  const [row] = await db<ClaimedPull[]>`
    update statement_pulls p
       set attempts = attempts + 1, next_try_at = clock_now() + make_interval(mins => ${LEASE_MINUTES})
     where (livemode, account, day, nth) in (
           select livemode, account, day, nth
             from statement_pulls
            where ended_at is null and next_try_at <= clock_now()
            order by next_try_at, day
            limit 1
              for update skip locked)
    returning livemode, account, day::text as day, nth, attempts,
              planned_at < clock_now() - make_interval(hours => ${PATIENCE_HOURS}) as is_overdue`
  return row ?? null
}

const key = (db: Db, { livemode, account, day, nth }: Pull) => db`
  livemode = ${livemode} and account = ${account} and day = ${day}::date and nth = ${nth} and ended_at is null`

/** Ends a pull. Returns false when another process ended it. */
export async function endPull(db: Db, pull: Pull, outcome: PullOutcome, file_id: string | null): Promise<boolean> {
  const { count } = await db`
    update statement_pulls
       set ended_at = clock_now(), outcome = ${outcome}, file_id = ${file_id}
     where ${key(db, pull)}`
  return count > 0
}

/** Has a pull tried again later. The pause doubles with each try. */
export async function putOff(db: Db, pull: ClaimedPull): Promise<void> {
  const minutes = Math.min(PAUSE_MINUTES * 2 ** Math.min(pull.attempts - 1, 10), PAUSE_MINUTES_MAX)
  await db`
    update statement_pulls
       set next_try_at = clock_now() + make_interval(mins => ${minutes})
     where ${key(db, pull)}`
}

/** Deletes pulls that ended long ago. */
export async function dropOldPulls(db: Db): Promise<void> {
  await db`
    delete from statement_pulls
     where ended_at < clock_now() - make_interval(days => ${KEPT_DAYS})`
}
