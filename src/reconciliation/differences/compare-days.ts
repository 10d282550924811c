import { keepAnomalies } from '../../operators/doubts/anomalies.ts'
import type { AnomalyKind } from '../../operators/sending/decide.ts'
import { findOrders, type OurSide } from '../../operators/statement-orders.ts'
import { takeAdvisoryLock } from '../../platform/postgres/advisory-lock.ts'
import type { Tx } from '../../platform/postgres/database.ts'
import { takeChangedDays } from '../../statement-files/import/line-store.ts'
import type { FileRow } from '../../statement-files/import/statement-file.ts'
import { addDays } from '../../values/period.ts'
import { compareAbsences } from './absences.ts'
import type { DifferenceKind } from './difference.ts'
import * as store from './store.ts'

const PAGE = 2_000

/**
 * Compares the lines of some days with our books, and opens, changes and closes their differences. The result depends on the lines, orders and decisions alone:
 * however often it runs, and in whatever order their files came.
 */
export async function compareDays(tx: Tx, period: store.AccountDays, now: Date): Promise<void> {
  if (period.days.length === 0) return
  store.closeExplained(tx, period)
  store.openAlone(tx, period)
  for (let after = ''; ; ) {
    const lines = await store.readAbout(tx, period, after, PAGE)
    if (lines.length === 0) break
    await openAbout(tx, period, lines, now)
    after = lines.at(-1)!.id
  }
  await compareAbsences(tx, period)
}

/** Compares the days of a file that is about to count, and those of other files of which it changed lines. */
export async function compareFile(
  tx: Tx,
  { livemode, account, first_day, last_day }: Pick<FileRow, 'livemode' | 'account' | 'first_day' | 'last_day'>,
  now: Date,
): Promise<void> {
  await takeTurn(tx)
  const days: string[] = []
  if (first_day !== null && last_day !== null)
    for (let day = first_day; day <= last_day; day = addDays(day, 1)) days.push(day)
  await compareDays(tx, { livemode, account, days }, now)
  await compareChanged(tx, now)
}

/** Compares the days whose lines changed since the last comparison, a bounded number at once. Returns how many changes there were. */
export async function compareChanged(tx: Tx, now: Date): Promise<number> {
  await takeTurn(tx)
  const changed = await takeChangedDays(tx)
  const byAccount = Map.groupBy(changed, ({ livemode, account }) => `${livemode} ${account}`)
  for (const days of byAccount.values()) {
    const { livemode, account } = days[0]!
    await compareDays(tx, { livemode, account, days: [...new Set(days.map(({ day }) => day))] }, now)
  }
  return changed.length
}

/** Comparisons take turns until their transactions end: two of the same days would lock the same differences in two orders. */
function takeTurn(tx: Tx): Promise<void> {
  return takeAdvisoryLock(tx, 'comparison of statements')
}

/** The anomaly of a difference about an order: the people who close it decide about the order. The other kinds move no more money than was booked. */
const anomalyKinds: Partial<Record<DifferenceKind, AnomalyKind>> = {
  state_differs: 'proof_after_refusal',
  amount_differs: 'amount_differs',
  duplicate: 'second_success',
  reversed: 'refusal_after_proof',
  party_differs: 'unknown_status',
  direction_differs: 'unknown_status',
}

async function openAbout(
  tx: Tx,
  { livemode, account }: store.AccountDays,
  lines: readonly store.LineAbout[],
  now: Date,
): Promise<void> {
  const subjects = [...new Set(lines.map(({ subject_id }) => subject_id))]
  const orders = new Map((await findOrders(tx, livemode, { subjects })).map((order) => [order.subject_id, order]))
  const found = lines.map((line) => {
    const { id, month, day, kind, gross, subject_id } = line
    const order = orders.get(subject_id)
    const is_anomaly = order !== undefined && anomalyKinds[kind] !== undefined
    return {
      ...{ id: `dif${id.slice(3)}`, livemode, account, day, kind, line_id: id, line_month: month, subject_id },
      ...{ status: kind === 'order_open' ? ('waiting' as const) : ('open' as const), due_on: null },
      amount: kind === 'amount_differs' && order !== undefined ? Math.abs(gross - order.amount) : Math.abs(gross),
      anomaly_id: is_anomaly ? `ano${id.slice(3)}` : null,
      order,
    }
  })
  await keepAnomalies(
    tx,
    found.flatMap(({ anomaly_id, order, ...difference }) =>
      anomaly_id === null || order === undefined ? [] : [anomalyOf(anomaly_id, order, difference)],
    ),
    now,
  )
  store.openDifferences(tx, found)
}

/** The fact of the anomaly is the line: another line about the same order is another fact. */
function anomalyOf(
  id: string,
  { merchant_id, connector, amount }: OurSide,
  difference: Omit<store.NewDifference, 'anomaly_id'>,
) {
  const { livemode, subject_id, kind, line_id, account, day } = difference
  return {
    ...{ id, merchant_id, livemode, subject_id: subject_id!, kind: anomalyKinds[kind]!, operator: connector },
    fact: `${kind} ${line_id}`,
    evidence: {
      difference_id: difference.id,
      kind,
      account,
      day,
      line_id,
      difference: difference.amount,
      ordered: amount,
    },
  }
}
