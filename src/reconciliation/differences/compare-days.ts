import { readAccount } from '../../external-accounts/store.ts'
import { takeAdvisoryLock } from '../../platform/postgres/advisory-lock.ts'
import type { Sql, Tx } from '../../platform/postgres/database.ts'
import { addChangedDays, takeChangedDays } from '../../statement-files/import/changed-days.ts'
import { type AccountKey, type FileRow, periodOfFile } from '../../statement-files/import/statement-file.ts'
import { daysBetween } from '../../values/period.ts'
import { closeShown } from './absence-store.ts'
import { compareAbsences } from './absences.ts'
import { closeAnomalies, openAbout } from './open-about.ts'
import * as store from './store.ts'

const PAGE = 2_000

/**
 * Compares the lines of some days with our books, and opens, changes and closes their differences. The result depends on the lines, orders and decisions alone:
 * however often it runs, and in whatever order their files came.
 */
async function compareDays(tx: Tx, period: store.AccountDays, now: Date): Promise<void> {
  if (period.days.length === 0) return
  const account = await readAccount(tx, { livemode: period.livemode, code: period.account })
  if (account === null) return
  await closeAnomalies(tx, await store.closeExplained(tx, period))
  store.openAlone(tx, period, account.kind)
  for (let after: store.LineAbout | null = null; ; ) {
    const lines: readonly store.LineAbout[] = await store.readAbout(tx, period, after, PAGE)
    if (lines.length === 0) break
    await openAbout(tx, period, lines, now)
    after = lines.at(-1)!
  }
  await compareAbsences(tx, period, account)
  await addChangedDays(tx, await closeShown(tx, period))
}

/** Compares the days of a file that is about to count, and those of other files of its account of which it changed lines. */
export async function compareFile(
  tx: Tx,
  file: Pick<FileRow, 'livemode' | 'account' | 'first_day' | 'last_day' | 'period_from' | 'period_to' | 'imported_at'>,
  now: Date,
): Promise<void> {
  const { livemode, account } = file
  await takeTurn(tx, file)
  const period = periodOfFile(file)
  const changed = await takeChangedDays(tx, file)
  const days = period === null ? [] : daysBetween(period.from, period.to)
  await compareDays(tx, { livemode, account, days: [...new Set([...days, ...changed])] }, now)
}

/**
 * Compares the days whose lines changed since the last comparison, of each account a bounded number. An account whose file is being read waits: its lines do not count
 * yet.
 */
export async function compareChanged(sql: Sql, key: AccountKey, now: Date): Promise<void> {
  await sql.begin(async (tx) => {
    // A day of a million lines takes longer than a statement of a request may.
    await tx`set local statement_timeout = '2min'`
    await tx`set local lock_timeout = '2min'`
    await takeTurn(tx, key)
    const days = await takeChangedDays(tx, key)
    await compareDays(tx, { ...key, days }, now)
  })
}

/** Has the days compared again on which anomalies find room by now. */
export async function compareCrowded(sql: Sql): Promise<void> {
  for (const day of await store.readCrowded(sql))
    if ((await store.countRoom(sql, day)) > 0) await sql.begin((tx) => addChangedDays(tx, [day]))
}

/** Comparisons of one account take turns until their transactions end: two of the same days would lock the same differences in two orders. */
function takeTurn(tx: Tx, { livemode, account }: AccountKey): Promise<void> {
  return takeAdvisoryLock(tx, `comparison of statements ${livemode} ${account}`)
}
