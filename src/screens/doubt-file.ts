import type { Words } from '../console/say.ts'
import { statusWords } from '../console/words.ts'
import { BANK } from '../external-accounts/external-account.ts'
import { findWalletOf } from '../external-accounts/store.ts'
import { collectionConfirmed, type Leg, payoutFailed, payoutSucceeded, refundFailed } from '../ledger/postings.ts'
import { type DoubtFile, inOrder, readDoubt, type Said, type TimelineEntry } from '../operators/doubts/find-doubts.ts'
import type { Instruction } from '../operators/instruction.ts'
import { readPaymentFile } from '../payments/find-payments.ts'
import { readPayoutFile } from '../payouts/find-payouts.ts'
import type { Sql } from '../platform/postgres/database.ts'
import type { TransitionRead } from '../platform/postgres/record-transitions.ts'
import { readRefundFile } from '../refunds/find-refunds.ts'
import { groupDigits } from '../values/group-digits.ts'

/** The effect of an end on the merchant's money, in a sentence, and its entries. */
export type End = { says: Said; legs: readonly Leg[] }
export type Ends = { if_succeeded: End; if_failed: End }

/** The payment, payout or refund of an order: its state, its moves and the effect of each possible end. */
type Subject = { status: string; moves: readonly TransitionRead[]; ends: Ends }

/** An operation in doubt, with its payment, payout or refund. */
export type WholeDoubt = DoubtFile & Omit<Subject, 'moves'>

/** Reads one operation with its order, all moves in one timeline, and the effect of each possible end. Null when it has no order to an operator. */
export async function readWholeDoubt(sql: Sql, subject_id: string): Promise<WholeDoubt | null> {
  const file = await readDoubt(sql, subject_id)
  if (file === null) return null
  const wallet = (await findWalletOf(sql, file.instruction)) ?? BANK
  const subject = await subjects[file.instruction.direction](sql, subject_id, wallet)
  if (subject === null) throw new Error(`The order of ${subject_id} has nothing behind it.`)
  const { status, moves, ends } = subject
  const words = movesInWords[file.instruction.direction]
  return {
    ...file,
    timeline: inOrder([...file.timeline, ...moves.map((move) => lineOfMove(words, move))]),
    status,
    ends,
  }
}

const movesInWords: Record<Instruction['direction'], StatusWords> = {
  collect: statusWords.payment,
  payout: statusWords.payout,
  refund: statusWords.refund,
}

const subjects: Record<Instruction['direction'], (sql: Sql, id: string, wallet: string) => Promise<Subject | null>> = {
  async collect(sql, id, wallet) {
    const file = await readPaymentFile(sql, id)
    return file && { status: file.payment.status, moves: file.moves, ends: endsOfPayment(file.payment, wallet) }
  },
  async payout(sql, id, wallet) {
    const file = await readPayoutFile(sql, id)
    return file && { status: file.payout.status, moves: file.moves, ends: endsOfPayout(file.payout, wallet) }
  },
  async refund(sql, id, wallet) {
    const file = await readRefundFile(sql, id)
    return (
      file && {
        status: file.refund.status,
        moves: file.moves,
        ends: endsOfRefund({ ...file.refund, wallet: file.refund.wallet ?? wallet }),
      }
    )
  },
}

/** Returns the possible ends of a payment. Amounts are in francs. Pure. */
function endsOfPayment(payment: Parameters<typeof collectionConfirmed>[0], wallet: string): Ends {
  const [paid, net] = [francs(payment.amount_collected), francs(payment.net_amount)]
  const if_succeeded = {
    fr: `le payeur a payé ${paid}, et le marchand reçoit ${net}`,
    en: `the payer has paid ${paid}, and the merchant is credited ${net}`,
  }
  const if_failed = {
    fr: 'rien n’a bougé : le payeur garde son argent, et rien n’est dû au marchand',
    en: 'nothing moved: the payer keeps the money, and the merchant is owed nothing',
  }
  return {
    if_succeeded: { says: if_succeeded, legs: collectionConfirmed(payment, wallet) },
    if_failed: { says: if_failed, legs: [] },
  }
}

/** Returns the possible ends of a payout. Amounts are in francs. Pure. */
function endsOfPayout(payout: Parameters<typeof payoutSucceeded>[0], wallet: string): Ends {
  const { amount, fee_amount } = payout
  const [sent, held] = [francs(amount), francs(payout.total_debited)]
  const [frais, fee] =
    fee_amount === 0 ? ['', ''] : [` dont ${francs(fee_amount)} de frais`, ` with a fee of ${francs(fee_amount)}`]
  const if_succeeded = {
    fr: `le bénéficiaire a ${sent}, et les ${held} retenus sont dépensés${frais}`,
    en: `the beneficiary has ${sent}, and the ${held} that are held are spent${fee}`,
  }
  const if_failed = {
    fr: `rien n’a bougé : les ${held} retenus reviennent au solde d’envoi du marchand`,
    en: `nothing moved: the ${held} that are held go back to the merchant's transfer balance`,
  }
  return {
    if_succeeded: { says: if_succeeded, legs: payoutSucceeded(payout, wallet) },
    if_failed: { says: if_failed, legs: payoutFailed(payout) },
  }
}

/** Returns the possible ends of a refund. Amounts are in francs. Pure. */
function endsOfRefund(refund: Parameters<typeof refundFailed>[0]): Ends {
  const [returned, net] = [francs(refund.amount_returned), francs(refund.net_amount)]
  const if_succeeded = {
    fr: `le payeur a ses ${returned}, et rien n’en est plus dû au marchand`,
    en: `the payer has ${returned} back, and the merchant is owed no more for it`,
  }
  const if_failed = {
    fr: `rien n’a bougé : ${net} sont de nouveau dus au marchand`,
    en: `nothing moved: the merchant is owed ${net} again`,
  }
  return {
    if_succeeded: { says: if_succeeded, legs: [] },
    if_failed: { says: if_failed, legs: refundFailed(refund) },
  }
}

type StatusWords = Readonly<Record<string, readonly [shape: unknown, words: Words]>>

function inFrench(words: StatusWords, status: string): string {
  return words[status]?.[1][0] ?? status
}

function lineOfMove(
  words: StatusWords,
  { from_status, to_status, cause, transitioned_at }: TransitionRead,
): TimelineEntry {
  return {
    at: transitioned_at,
    kind: 'moved',
    says: {
      fr: `${inFrench(words, from_status)} → ${inFrench(words, to_status)}`,
      en: `${from_status} → ${to_status}: ${cause.replaceAll('_', ' ')}`,
    },
    evidence: null,
  }
}

/** Writes francs: `2 475 F`. */
function francs(amount: number): string {
  return `${groupDigits(amount, ' ')} F`
}
