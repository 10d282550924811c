import type { AnomalyKind } from '../../operators/sending/decide.ts'
import type { OurSide } from '../../operators/statement-orders.ts'
import { viewLine } from '../../statement-files/import/statement-line.ts'
import { lineKinds } from '../../statement-files/matching/line-kinds.ts'
import type { DifferenceStatus } from './states.ts'

/** Why a statement and our books disagree. An `order_open` or an `own_transfer` only waits for its other half. */
export const differenceKinds = [...lineKinds, 'own_transfer', 'missing_there', 'file_missing'] as const
export type DifferenceKind = (typeof differenceKinds)[number]

/** The anomalies of differences about an order: the people who close one decide about the order. The other kinds move no more money than was booked. */
export const anomalyKinds: Partial<Record<DifferenceKind, AnomalyKind>> = {
  state_differs: 'proof_after_refusal',
  amount_differs: 'amount_differs',
  duplicate: 'second_success',
  reversed: 'refusal_after_proof',
  party_differs: 'unknown_status',
  direction_differs: 'unknown_status',
}

export const differenceStatuses = [
  'waiting',
  'open',
  'proposed',
  'closed',
] as const satisfies readonly DifferenceStatus[]

/** The row of a difference. Days as text. */
export type DifferenceRow = {
  readonly id: string
  readonly livemode: boolean
  readonly account: string
  readonly day: string
  readonly kind: DifferenceKind
  readonly status: DifferenceStatus
  /** Francs, without a sign. */
  readonly amount: number
  /** The line of the statement. Null: the statement lacks one. */
  readonly line_id: string | null
  readonly line_month: string | null
  /** Our operation. Null: we have none. */
  readonly subject_id: string | null
  readonly file_id: string | null
  readonly anomaly_id: string | null
  readonly due_on: string | null
  readonly opened_at: Date
  readonly closed_at: Date | null
  /** The decision of two people, or `anomaly`: theirs about its anomaly; `late_line`: lines or orders explained it. Null: it is not closed. */
  readonly resolution: string | null
  readonly proposal_id: string | null
}

/** A line of the statement as commands show it. */
export type Theirs = Parameters<typeof viewLine>[0]

/** Our operation that moves the amount of a line which names none, at about its time. */
export type Suggestion = Pick<OurSide, 'subject_id' | 'merchant_id' | 'amount'>

/** Both sides of a difference. */
export type Sides = {
  readonly ours: Pick<OurSide, 'subject_id' | 'merchant_id' | 'state' | 'amount' | 'charge'> | null
  readonly theirs: Theirs | null
  readonly suggestions: readonly Suggestion[]
}

/** A difference as commands show it. */
export function viewDifference(row: DifferenceRow, { ours, theirs, suggestions }: Sides) {
  const { id, account, day, kind, status, amount, anomaly_id, due_on, opened_at, closed_at, resolution } = row
  const side = ours && {
    ...{ subject_id: ours.subject_id, merchant_id: ours.merchant_id, state: ours.state },
    ...{ amount: ours.amount, charge: ours.charge },
  }
  return {
    ...{ id, account, day, kind, status, amount, ours: side, theirs: theirs && viewLine(theirs), anomaly_id },
    ...{ suggestions, due_on, opened_at, closed_at, resolution },
  }
}
