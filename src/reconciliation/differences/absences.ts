import { addBusinessDays, calendarDay } from '../../external-accounts/business-day.ts'
import { readAccount, readEnteredDays } from '../../external-accounts/store.ts'
import { heldIn } from '../../ledger/accounts.ts'
import { readAccountsNamed, readPeriod } from '../../ledger/store.ts'
import type { Tx } from '../../platform/postgres/database.ts'
import { readCoverage } from '../../statement-files/import/coverage.ts'
import { addDays } from '../../values/period.ts'
import * as store from './absence-store.ts'
import type { AccountDays } from './store.ts'

/** The calendar beyond a day that its due day may need, with holidays and weekends. */
const CALENDAR_DAYS = 60
/** Days without a file are looked for so far before the last day that a file covers. */
const GAP_DAYS = 92

/**
 * Finds the operations that we booked on some days and that the account's files, complete for that time, do not show; and the days between two files that no file
 * covers. An order is expected when it was sent and ended within the time that the files cover.
 */
export async function compareAbsences(tx: Tx, period: AccountDays): Promise<void> {
  const { livemode, account, days } = period
  const its = await readAccount(tx, { livemode, code: account })
  const near = [...new Set(days.flatMap((day) => [addDays(day, -1), day, addDays(day, 1)]))].sort()
  const [first, last] = [near[0]!, near.at(-1)!]
  const coverage = await readCoverage(tx, period, { from: addDays(first, -GAP_DAYS), to: last })
  if (its === null || coverage.length === 0) return
  const entered = await readEnteredDays(tx, { from: addDays(first, -GAP_DAYS), to: addDays(last, CALENDAR_DAYS) })
  const due = (day: string) => ({
    day,
    due_on: its.due === 'daily' ? addDays(day, its.late_days) : addBusinessDays(day, its.late_days, entered),
  })
  for (const run of runsOf(near)) {
    const [from, to] = [run[0]!, run.at(-1)!]
    const ranges: store.Range[] = []
    for (const key of await readAccountsNamed(tx, livemode, [heldIn(account)])) {
      const found = await readPeriod(tx, key, { from, to })
      if (found !== null && found.last_sequence >= found.first_sequence)
        ranges.push({ merchant_id: key.merchant_id, first: found.first_sequence, last: found.last_sequence })
    }
    store.writeAbsent(tx, { livemode, account, held: heldIn(account) }, run.map(due), ranges, coverage)
  }
  const covered = coverage.flatMap(({ first_day, last_day }) => daysBetween(first_day, last_day))
  const has = new Set(covered)
  const isDue = (day: string) => its.due === 'daily' || calendarDay(day, entered).business
  const sorted = [...has].sort()
  const gaps = daysBetween(sorted[0]!, sorted.at(-1)!).filter((day) => !has.has(day) && isDue(day))
  store.writeGaps(tx, { livemode, account }, gaps.map(due), { from: sorted[0]!, to: sorted.at(-1)! })
}

function daysBetween(from: string, to: string): string[] {
  const days: string[] = []
  for (let day = from; day <= to; day = addDays(day, 1)) days.push(day)
  return days
}

/** Cuts sorted days where a day lacks. */
function runsOf(days: readonly string[]): string[][] {
  const runs: string[][] = []
  for (const day of days) {
    const run = runs.at(-1)
    if (run !== undefined && addDays(run.at(-1)!, 1) === day) run.push(day)
    else runs.push([day])
  }
  return runs
}
