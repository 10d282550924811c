import { type DoubtFile, inOrder, readDoubt, type TimelineEntry } from '../operators/doubts/find-doubts.ts'
import type { Instruction } from '../operators/instruction.ts'
import { readPaymentFile } from '../payments/find-payments.ts'
import { readPayoutFile } from '../payouts/find-payouts.ts'
import type { Sql } from '../platform/postgres/database.ts'
import type { TransitionRead } from '../platform/postgres/record-transitions.ts'
import { readRefundFile } from '../refunds/find-refunds.ts'

/** The meaning of each end for the merchant's money, in sentences. */
export type Ends = { if_succeeded: string; if_failed: string }

/** The payment, payout or refund behind an order: its state, its moves and what each end of it means. */
type Subject = { status: string; moves: readonly TransitionRead[]; ends: Ends }

/** An operation in doubt with what is behind it. */
export type WholeDoubt = DoubtFile & Omit<Subject, 'moves'>

/** One operation with its order, its moves in the same timeline, and what each end would mean; null when it has no order to an operator. */
export async function readWholeDoubt(sql: Sql, subject_id: string): Promise<WholeDoubt | null> {
  const file = await readDoubt(sql, subject_id)
  if (file === null) return null
  const subject = await subjects[file.instruction.direction](sql, subject_id)
  if (subject === null) throw new Error(`The order of ${subject_id} has nothing behind it.`)
  const { status, moves, ends } = subject
  return { ...file, timeline: inOrder([...file.timeline, ...moves.map(lineOfMove)]), status, ends }
}

const subjects: Record<Instruction['direction'], (sql: Sql, id: string) => Promise<Subject | null>> = {
  async collect(sql, id) {
    const file = await readPaymentFile(sql, id)
    return file && { status: file.payment.status, moves: file.moves, ends: endsOfPayment(file.payment) }
  },
  async payout(sql, id) {
    const file = await readPayoutFile(sql, id)
    return file && { status: file.payout.status, moves: file.moves, ends: endsOfPayout(file.payout) }
  },
  async refund(sql, id) {
    const file = await readRefundFile(sql, id)
    return file && { status: file.refund.status, moves: file.moves, ends: endsOfRefund(file.refund) }
  },
}

/** The ends of a payment that is collected. Amounts in francs. Pure. */
function endsOfPayment(payment: { amount_collected: number; net_amount: number }): Ends {
  const { amount_collected, net_amount } = payment
  return {
    if_succeeded: `the payer has paid ${francs(amount_collected)}, and the merchant is credited ${francs(net_amount)}`,
    if_failed: 'nothing moved: the payer keeps the money, and the merchant is owed nothing',
  }
}

/** The ends of a payout. Amounts in francs. Pure. */
function endsOfPayout(payout: { amount: number; fee_amount: number; total_debited: number }): Ends {
  const { amount, fee_amount, total_debited } = payout
  const fee = fee_amount === 0 ? '' : ` with a fee of ${francs(fee_amount)}`
  return {
    if_succeeded: `the beneficiary has ${francs(amount)}, and the ${francs(total_debited)} that are held are spent${fee}`,
    if_failed: `nothing moved: the ${francs(total_debited)} that are held go back to the merchant's transfer balance`,
  }
}

/** The ends of a refund. Amounts in francs. Pure. */
function endsOfRefund({ amount_returned, net_amount }: { amount_returned: number; net_amount: number }): Ends {
  return {
    if_succeeded: `the payer has ${francs(amount_returned)} back, and the merchant is owed no more for it`,
    if_failed: `nothing moved: the merchant is owed ${francs(net_amount)} again`,
  }
}

function lineOfMove({ from_status, to_status, cause, transitioned_at }: TransitionRead): TimelineEntry {
  return {
    at: transitioned_at,
    kind: 'moved',
    says: `${from_status} → ${to_status}: ${cause.replaceAll('_', ' ')}`,
    evidence: null,
  }
}

/** `2 475 F` */
function francs(amount: number): string {
  return `${String(amount).replace(/\B(?=(?:\d{3})+$)/g, ' ')} F`
}
