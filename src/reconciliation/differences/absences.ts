import { addBusinessDays, calendarDay } from '../../external-accounts/business-day.ts'
import type { ExternalAccount } from '../../external-accounts/external-account.ts'
import { readEnteredDays } from '../../external-accounts/store.ts'
import { heldIn } from '../../ledger/accounts.ts'
import { readAccountsNamed, readPeriod } from '../../ledger/store.ts'
import { readRefundsConcluded } from '../../operators/statement-orders.ts'
import type { Tx } from '../../platform/postgres/database.ts'
import { readCoverage } from '../../statement-files/import/coverage.ts'
import { addDays, daysBetween } from '../../values/period.ts'
import * as store from './absence-store.ts'
import type { AccountDays } from './store.ts'

/** The calendar beyond a day that its due day may need, with holidays and weekends. */
const CALENDAR_DAYS = 60
/** The longest time without a file that is a difference: after a longer one an account begins anew. */
const GAP_DAYS = 92

/**
 * Finds the operations that we booked on some days and that the account's files, complete for that time, do not show; and the days between two files that no file
 * covers. An order is expected when it was sent and ended within the time that the files cover.
 */
export async function compareAbsences(tx: Tx, period: AccountDays, its: ExternalAccount): Promise<void> {
  const { livemode, account, days } = period
  const [begin, end] = [
    days.reduce((one, other) => (other < one ? other : one)),
    days.reduce((one, other) => (other > one ? other : one)),
  ]
  // A refund is booked when it is asked for, and expected once it has ended, which may be days later.
  const refunds = its.connector === null ? [] : await readRefundsConcluded(tx, livemode, its.connector, days)
  const near = [...new Set([...days.flatMap((day) => [addDays(day, -1), day, addDays(day, 1)]), ...refunds])].sort()
  const [first, last] = [near[0]!, near.at(-1)!]
  const coverage = await readCoverage(tx, period, {
    from: addDays(first, -2 * GAP_DAYS),
    to: addDays(last, 2 * GAP_DAYS),
  })
  const [from, to] = [addDays(begin, -GAP_DAYS), addDays(end, GAP_DAYS)]
  const calendar = { from: first < from ? first : from, to: addDays(to > last ? to : last, CALENDAR_DAYS) }
  const entered = await readEnteredDays(tx, calendar)
  const due = (day: string) => ({
    day,
    due_on: its.due === 'daily' ? addDays(day, its.late_days) : addBusinessDays(day, its.late_days, entered),
  })
  for (const run of runsOf(near)) {
    // Where no file is complete, nothing is absent.
    const ranges = coverage.times.length === 0 ? [] : await rangesOf(tx, period, run)
    store.writeAbsent(tx, { livemode, account, held: heldIn(account) }, run.map(due), ranges, coverage.times)
  }
  const isDue = (day: string) => its.due === 'daily' || calendarDay(day, entered).business
  const gaps = gapsIn(coverage.days).filter((day) => day >= from && day <= to && isDue(day))
  store.writeGaps(tx, { livemode, account }, gaps.map(due), { from, to })
}

/** The entries of a run of days. */
async function rangesOf(tx: Tx, { livemode, account }: AccountDays, run: readonly string[]): Promise<store.Range[]> {
  const ranges: store.Range[] = []
  for (const key of await readAccountsNamed(tx, livemode, [heldIn(account)])) {
    const found = await readPeriod(tx, key, { from: run[0]!, to: run.at(-1)! })
    if (found !== null && found.last_sequence >= found.first_sequence)
      ranges.push({ merchant_id: key.merchant_id, first: found.first_sequence, last: found.last_sequence })
  }
  return ranges
}

/** The days that no file covers between two that files cover. */
function gapsIn(covered: ReadonlySet<string>): string[] {
  const sorted = [...covered].sort()
  return sorted.flatMap((day, at) => {
    const next = sorted[at + 1]
    if (next === undefined) return []
    const between = daysBetween(addDays(day, 1), addDays(next, -1))
    return between.length <= GAP_DAYS ? between : []
  })
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
