import { refuse } from '../acts/act.ts'
import { readWalletOf } from '../external-accounts/store.ts'
import { heldIn } from '../ledger/accounts.ts'
import { lockAccounts, postTransaction } from '../ledger/post.ts'
import { refundStarted } from '../ledger/postings.ts'
import type { Instruction } from '../operators/instruction.ts'
import { startInstruction } from '../operators/start-instruction.ts'
import { readInstructionsIn } from '../operators/store.ts'
import { type findPayment, lockPayments } from '../payments/store.ts'
import { defineEffect } from '../platform/commands/effects.ts'
import { writeAmount } from '../platform/http/pages/write-values.ts'
import type { Tx } from '../platform/postgres/database.ts'
import { tenantOf } from '../values/caller.ts'
import { decideRefund } from './decide-refund.ts'
import type { RefundRow } from './refund.ts'
import * as store from './store.ts'

/** The facts of a refund that are not in the database. */
export type RefundReads = {
  /** Whether the connector that collected a payment can refund it. @param whole the refund is all that was collected, at once */
  readonly canRefund: (collected: Instruction, whole: boolean) => boolean
  /** The operators' answers about failed refunds of this payment. Absent: nobody asked. */
  readonly operators_said?: object | undefined
}

const insertRefund = defineEffect('new row', store.insertRefunds)

/**
 * The prefix of the key of a command without `--key`. The number of failed refunds with this prefix follows it: a second command for
 * the same amount of the same payment is a repetition until the first refund has failed, and a new refund after that. A failed refund
 * of another amount does not count.
 */
export function commandOf(payment_id: string, amount: number | null): string {
  return `${payment_id} ${amount ?? 'the rest'} after `
}

/** The wish of a person: null francs are all that is left. */
export type Wanted = { readonly amount: number | null; readonly by_hand: boolean }
export type Given = Awaited<ReturnType<typeof store.readGiven>>
type PaymentKey = NonNullable<Awaited<ReturnType<typeof findPayment>>>

/**
 * Locks the payment and its accounts, and reads what a refund of it would be.
 * @param keyOf the key of the refund, of what was refunded before
 */
export async function lockRefundable(
  tx: Tx,
  about: PaymentKey,
  { amount, by_hand, keyOf }: Wanted & { readonly keyOf: (given: Given) => string },
  { canRefund, operators_said = {} }: RefundReads,
) {
  const id = about.payment_id
  const [payment] = await lockPayments(tx, [about])
  const given = await store.readGiven(tx, about, commandOf(id, amount))
  const request_key = keyOf(given)
  const before = await store.readRefundByKey(tx, about, request_key)
  const [collected] = await readInstructionsIn(tx, ['confirmed'], [{ ...tenantOf(about), subject_id: id }])
  const wallet =
    collected === undefined ? null : await readWalletOf(tx, { ...collected, direction: 'refund', created_at: null })
  const names = ['available', 'fees', ...(wallet === null ? [] : [heldIn(wallet)])]
  const accounts = names.map((account) => ({ ...tenantOf(about), account }))
  const locked = await lockAccounts(tx, accounts)
  const decision = decideRefund(payment!, given, amount, locked.get(accounts[0]!)!.balance)
  const isWhole = decision.kind === 'made' && decision.parts.amount === payment!.amount
  const hand = by_hand || collected === undefined || !canRefund(collected, isWhole)
  return {
    about,
    payment: payment!,
    given,
    request_key,
    before,
    decision,
    collected,
    wallet,
    by_hand: hand,
    operators_said,
  }
}

type Refundable = Awaited<ReturnType<typeof lockRefundable>>

/** The content of a refund that people read and sign. @param reason null: none was given */
export function refundContent(
  { payment, collected, given, decision, by_hand, operators_said }: Refundable,
  { amount: asked, reason }: { readonly amount: number | null; readonly reason: string | null },
) {
  const parts = decision.kind === 'made' ? decision.parts : null
  const payer = collected?.msisdn ?? null
  return {
    ...{ ...parts, amount: parts?.amount ?? asked, by_hand: by_hand || null, reason, operators_said },
    recipient: payer === null ? null : { name: null, operator: payment.operator, number_end: payer.slice(-4) },
    ...{ paid: payment.amount, given: given.amount },
  }
}

/** The refund as effects, or the reason why there is none. @param requested_by the first person, where a second one approved it */
export function makeRefund(
  { about, payment, request_key, decision, collected, wallet, by_hand }: Refundable,
  { amount: asked_amount, reason }: { readonly amount: number | null; readonly reason: string | null },
  { requested_by, id, now }: { readonly requested_by: string; readonly id: string; readonly now: Date },
) {
  if (decision.kind === 'refused') {
    const francs = 'left' in decision ? decision.left : 'needed' in decision ? decision.needed : 0
    return refuse(decision.code, { francs, sum: writeAmount(francs) })
  }
  const { payment_id } = about
  if (collected === undefined || wallet === null)
    throw new Error(`${payment_id} succeeded without a confirmed instruction.`)
  const tenant = tenantOf(about)
  const { operator, currency } = payment
  const refund: store.NewRefund = {
    ...{ ...tenant, ...decision.parts, id, payment_id, currency, operator, by_hand, wallet },
    ...{ status: by_hand ? 'manual' : 'requested', reason, request_key, asked_amount, requested_by, created_at: now },
  }
  const booked = postTransaction({
    ...{ ...tenant, subject_id: id, operation: 'refund_started', legs: refundStarted(refund) },
  })
  const sent = by_hand ? [] : [startInstruction(instructionFor(refund, collected))]
  const open = { closed_by: null, hand_reference: null, closing_reason: null, failure_code: null, concluded_at: null }
  return {
    kind: 'made',
    effects: [insertRefund(refund), booked, ...sent],
    refund: { ...refund, ...open } as RefundRow,
    after: { payment_id, amount: refund.amount, by_hand },
  } as const
}

/** The instruction of a refund. It names the collection that it refunds and goes through the same connector. */
function instructionFor(refund: store.NewRefund, collected: Instruction) {
  const { merchant_id, livemode, id: subject_id, operator, currency, amount_returned: amount } = refund
  const { connector, reference, operator_reference, operator_state, msisdn } = collected
  const refund_of = { reference, operator_reference, operator_state }
  const about = { merchant_id, livemode, subject_id, operator, connector, amount, currency, msisdn, refund_of }
  return { ...about, direction: 'refund', simulate: null } as const
}
