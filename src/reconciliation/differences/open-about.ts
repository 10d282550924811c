import { hash } from 'node:crypto'
import { closeUndecided, readApproved } from '../../anomalies/undecided.ts'
import { keepAnomalies } from '../../operators/doubts/anomalies.ts'
import {
  type AnomalyRow,
  type NewAnomaly,
  readAnomalies,
  readReports,
  reopenAnomalies,
} from '../../operators/doubts/anomaly-store.ts'
import type { AnomalyKind } from '../../operators/sending/decide.ts'
import { findOrders, type OurSide } from '../../operators/statement-orders.ts'
import type { Tx } from '../../platform/postgres/database.ts'
import { idFrom } from '../../values/ids.ts'
import { anomalyKinds } from './difference.ts'
import * as store from './store.ts'

/** A line about an order, with the difference and the anomaly that it would be. */
type Found = {
  readonly difference: Omit<store.NewDifference, 'status' | 'anomaly_id' | 'resolution'>
  readonly is_waiting: boolean
  readonly anomaly: NewAnomaly | null
  /** Whether the line says only that an order moved which ended as refused. */
  readonly is_late_success: boolean
}

/**
 * Opens or changes the differences of lines about orders, with their anomalies. One account has at most `ANOMALIES_MAX` open ones: further differences have none
 * until others close. An anomaly that people have decided closes its difference too.
 */
export async function openAbout(
  tx: Tx,
  { livemode, account }: store.AccountDays,
  lines: readonly store.LineAbout[],
  now: Date,
): Promise<void> {
  const subjects = [...new Set(lines.map(({ subject_id }) => subject_id))]
  const orders = new Map((await findOrders(tx, livemode, { subjects })).map((order) => [order.subject_id, order]))
  const found = lines.map((line) => foundIn({ livemode, account }, line, orders.get(line.subject_id)))
  const before = await store.readStanding(
    tx,
    found.map(({ difference }) => difference.id),
  )
  const known = await readKnown(tx, found)
  let room = await store.countRoom(tx, { livemode, account })
  const fresh: NewAnomaly[] = []
  const [reopened, left]: [string[], string[]] = [[], []]
  const rows = found.map(({ difference, is_waiting, anomaly, is_late_success }): store.NewDifference => {
    const had = before.get(difference.id) ?? null
    const own = anomaly && (known.own.get(anomaly.id) ?? null)
    const isOwnDecided = own !== null && known.approved.has(own.id)
    // A late look may have found the same success.
    const other = is_late_success && !isOwnDecided ? (known.others.get(difference.subject_id!) ?? null) : null
    const standing = other ?? own
    const id = standing?.id ?? anomaly?.id ?? null
    if (standing !== null && standing.closed_at !== null && known.approved.has(standing.id))
      return ended(difference, standing.id)
    const status = is_waiting ? ('waiting' as const) : ('open' as const)
    const hasPlace = had !== null && had.status === 'open' && had.anomaly_id !== null
    if (hasPlace && had.anomaly_id !== id) left.push(had.anomaly_id)
    if (id === null || anomaly === null) return { ...difference, status, anomaly_id: null, resolution: null }
    if (!hasPlace) {
      if (room === 0) return { ...difference, status, anomaly_id: null, resolution: null }
      room -= 1
    }
    if (standing === null) fresh.push(anomaly)
    else if (standing.closed_at !== null) reopened.push(standing.id)
    return { ...difference, status, anomaly_id: id, resolution: null }
  })
  await keepAnomalies(tx, fresh, now)
  if (reopened.length > 0) await reopenAnomalies(tx, reopened)
  await closeAnomalies(tx, left)
  store.openDifferences(tx, rows)
}

const ended = (difference: Found['difference'], anomaly_id: string): store.NewDifference => ({
  ...difference,
  ...{ status: 'closed', anomaly_id, resolution: 'anomaly' },
})

/** Closes the anomalies of differences that lines have explained or changed, unless people have proposed or decided something. Those of others stay. */
export async function closeAnomalies(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await closeUndecided(tx, (await readAnomalies(tx, ids)).filter(isOfLine))
}

const isOfLine = ({ evidence }: Pick<AnomalyRow, 'evidence'>) => 'difference_id' in evidence

/** Reads the anomalies of the found differences that are there, those that others found about late successes, and which of them people have approved. */
async function readKnown(tx: Tx, found: readonly Found[]) {
  const anomalies = found.flatMap(({ anomaly }) => anomaly ?? [])
  const late = found.flatMap(({ is_late_success, anomaly }) => (is_late_success && anomaly ? [anomaly] : []))
  const own = await readAnomalies(
    tx,
    anomalies.map(({ id }) => id),
  )
  const others = (await readReports(tx, late, 'proof_after_refusal')).filter((one) => !isOfLine(one))
  return {
    own: new Map(own.map((one) => [one.id, one])),
    others: new Map(others.map((one) => [one.subject_id, one])),
    approved: await readApproved(tx, [...own, ...others]),
  }
}

function foundIn(
  { livemode, account }: Pick<store.AccountDays, 'livemode' | 'account'>,
  line: store.LineAbout,
  order: OurSide | undefined,
): Found {
  const { id: line_id, month: line_month, day, kind, gross, subject_id } = line
  const differs = kind === 'amount_differs' && order !== undefined
  const difference = {
    ...{ id: `dif${line_id.slice(3)}`, livemode, account, day, kind, line_id, line_month, subject_id, due_on: null },
    amount: differs ? Math.abs(gross - order.amount) : Math.abs(gross),
  }
  const anomaly_kind = anomalyKinds[kind]
  const anomaly =
    order === undefined || anomaly_kind === undefined ? null : anomalyOf(anomaly_kind, order, difference, line)
  const is_late_success = kind === 'state_differs' && gross === order?.amount
  return { difference, is_waiting: kind === 'order_open', anomaly, is_late_success }
}

/** The fact of the anomaly is the line with its kind and amount: another line about the same order, or another amount of this one, is another fact. */
function anomalyOf(
  anomaly_kind: AnomalyKind,
  { merchant_id, connector, amount: ordered }: OurSide,
  { livemode, account, day, subject_id, amount, id: difference_id }: Found['difference'],
  { id: line_id, month, kind, gross }: store.LineAbout,
): NewAnomaly {
  const fact = `${kind} ${line_id} ${gross}`
  return {
    ...{ id: idFrom('ano', Date.parse(month), hash('sha256', fact, 'buffer')), merchant_id, livemode },
    ...{ subject_id: subject_id!, kind: anomaly_kind, operator: connector, fact },
    evidence: { difference_id, kind, account, day, line_id, difference: amount, ordered },
  }
}
