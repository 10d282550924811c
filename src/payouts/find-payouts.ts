import type { Instruction } from '../operators/instruction.ts'
import { findInstruction, readInstruction } from '../operators/store.ts'
import type { Db } from '../platform/postgres/database.ts'
import { readTransitions, type TransitionRead } from '../platform/postgres/record-transitions.ts'
import type { RowsWanted } from '../platform/postgres/row-pages.ts'
import { Msisdn } from '../values/msisdn.ts'
import type { Page, PageWanted } from '../values/page.ts'
import { type Payout, type PayoutRow, type PayoutStatus, viewPayout } from './payout.ts'
import * as store from './store.ts'

// Payouts as the service's staff see them: with the merchant, and only the last four digits of every number.

export type PayoutForStaff = Payout & {
  merchant_id: number
  operator: string | null
  batch_id: string | null
  rank: number | null
}

/** Payouts, newest first. Filters: one merchant in one mode, or all; one status, or any. */
export async function listPayouts(
  db: Db,
  wanted: RowsWanted & PageWanted & { status: PayoutStatus | null },
): Promise<Page<PayoutForStaff>> {
  const { rows, after } = await store.readPayoutsPage(db, wanted)
  return { rows: rows.map(viewForStaff), after }
}

export type PayoutFile = {
  payout: PayoutForStaff
  moves: TransitionRead[]
  /** The instruction to the operator, with the operator's answers. */
  instruction: Instruction | null
}

/** One payout with its history, for staff. Null when no payout has this id. */
export async function readPayoutFile(db: Db, payout_id: string): Promise<PayoutFile | null> {
  const key = await store.findPayout(db, payout_id)
  if (key === null) return null
  const [row, moves, instruction] = await Promise.all([
    store.readPayout(db, key),
    readTransitions(db, 'payout_transitions_log', 'payout_id', { ...key, id: payout_id }),
    findInstruction(db, payout_id),
  ])
  return { payout: viewForStaff(row!), moves, instruction }
}

/** One payout with its history. Null when it is not the caller's. */
export async function readOwnPayout(
  db: Db,
  key: store.PayoutKey,
): Promise<{ payout: PayoutRow; moves: TransitionRead[]; instruction: Instruction | null } | null> {
  const { payout_id, ...tenant } = key
  const [payout, moves, instruction] = await Promise.all([
    store.readPayout(db, key),
    readTransitions(db, 'payout_transitions_log', 'payout_id', { ...tenant, id: payout_id }),
    readInstruction(db, { ...tenant, subject_id: payout_id }),
  ])
  return payout === null ? null : { payout, moves, instruction }
}

function viewForStaff(row: PayoutRow): PayoutForStaff {
  const { merchant_id, operator, batch_id, rank } = row
  const view = viewPayout(row)
  const beneficiary = { ...view.beneficiary, msisdn: Msisdn.stored(row.msisdn).masked }
  return { ...view, beneficiary, merchant_id, operator, batch_id, rank }
}
