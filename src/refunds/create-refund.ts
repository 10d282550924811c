import { recordAct } from '../audit-log/record-act.ts'
import { operatorAccount } from '../ledger/accounts.ts'
import { lockAccounts, postTransaction } from '../ledger/post.ts'
import { refundStarted } from '../ledger/postings.ts'
import type { Instruction } from '../operators/instruction.ts'
import { startInstruction } from '../operators/start-instruction.ts'
import { readInstructionsIn } from '../operators/store.ts'
import type { PaymentRow } from '../payments/payment.ts'
import { findPayment, lockPayments, type PaymentKey } from '../payments/store.ts'
import type { Clock } from '../platform/clock.ts'
import { applyEffects, defineEffect } from '../platform/commands/effects.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'
import { violatedConstraint } from '../platform/postgres/failures.ts'
import type { Actor } from '../values/actor.ts'
import type { Tenant } from '../values/caller.ts'
import { newId } from '../values/ids.ts'
import { decideRefund, type RefundDecision } from './decide-refund.ts'
import type { RefundRow } from './refund.ts'
import * as store from './store.ts'

export type RefundOrder = {
  payment_id: string
  /** The mode that the caller believes it to be of; null: either. */
  livemode: boolean | null
  /** Francs of the payment's amount; null: all that is left. */
  amount: number | null
  /** The key by which a repeated command is the same refund. Null: the same amount of the same payment is the same refund. */
  key: string | null
  /**
   * Francs of the payment's amount that were refunded or on their way when the person looked, who is told when they are others by now;
   * null: nobody looked.
   */
  given_seen: number | null
  requested_by: Actor
  reason: string | null
  /** Given back by a person, even if the operator could do it. */
  by_hand: boolean
}

export type CreateRefundResult =
  | { kind: 'created'; refund: RefundRow }
  /** This command was given before; nothing was done now. */
  | { kind: 'repeated'; refund: RefundRow }
  | {
      kind: 'refused'
      code: 'not_a_person' | 'resource_not_found' | 'other_mode' | 'key_reused' | 'refunded_meanwhile'
    }
  | Exclude<RefundDecision, { kind: 'made' }>

type Dependencies = {
  sql: Sql
  clock: Clock
  /** Whether the connector that collected can give it back. @param whole all that was collected, at once */
  canRefund: (collected: Instruction, whole: boolean) => boolean
}

const insertRefund = defineEffect('new row', store.insertRefunds)

/**
 * Refunds a payment, or a part of it: the money leaves the merchant's available balance at once, and is sent through the
 * operator that collected it, or waits for a person when the operator cannot. Decided under the payment's lock, so that
 * any number at once never give back more than was paid. Refusals, in their order: an API key, no such payment, one of the
 * other mode, a key used for another refund, another refund since the person looked, then those of `decideRefund`.
 */
export async function createRefund(deps: Dependencies, order: RefundOrder): Promise<CreateRefundResult> {
  // An API key stands for the merchant, and refunds are the service's.
  if (order.requested_by.person.startsWith('key:')) return { kind: 'refused', code: 'not_a_person' }
  const key = await findPayment(deps.sql, order.payment_id)
  if (key === null) return { kind: 'refused', code: 'resource_not_found' }
  if (order.livemode !== null && order.livemode !== key.livemode) return { kind: 'refused', code: 'other_mode' }
  const create = () => deps.sql.begin((tx) => createIn(tx, key, order, deps))
  try {
    return await create()
  } catch (error) {
    // Somebody used the key for another payment in this very moment: now it is there to be found.
    if (violatedConstraint(error) !== 'refunds_key') throw error
    return await create()
  }
}

async function createIn(
  tx: Tx,
  key: PaymentKey,
  order: RefundOrder,
  { clock, canRefund }: Dependencies,
): Promise<CreateRefundResult> {
  const { merchant_id, livemode, payment_id } = key
  const [payment] = await lockPayments(tx, [key])
  const command = commandOf(order)
  const given = await store.readGiven(tx, key, command)
  const request_key = order.key ?? `${command}${given.failed}`
  const before = await store.readRefundByKey(tx, key, request_key)
  if (before !== null) return repeated(before, order)
  if (order.given_seen !== null && order.given_seen !== given.amount)
    return { kind: 'refused', code: 'refunded_meanwhile' }

  const { operator } = payment!
  const tenant: Tenant = { merchant_id, livemode }
  const locked = await lockAccounts(
    tx,
    ['available', 'fees', operatorAccount(operator)].map((account) => ({ ...tenant, account })),
  )
  const available = locked.get({ ...tenant, account: 'available' })!.balance
  const decision = decideRefund(payment!, given, order.amount, available)
  if (decision.kind === 'refused') return decision

  const { parts } = decision
  const collected = await readCollected(tx, payment!)
  const by_hand = order.by_hand || !canRefund(collected, parts.amount === payment!.amount)
  const refund: store.NewRefund = {
    ...tenant,
    ...parts,
    id: newId('rfd', clock.milliseconds()),
    payment_id,
    currency: payment!.currency,
    status: by_hand ? 'manual' : 'requested',
    operator,
    by_hand,
    reason: order.reason,
    request_key,
    asked_amount: order.amount,
    requested_by: order.requested_by.person,
    created_at: clock.now(),
  }
  const legs = refundStarted(refund)
  const instructions = by_hand ? [] : [instructionFor(refund, collected)]
  const booked = postTransaction({ ...tenant, subject_id: refund.id, operation: 'refund_started', legs })
  await applyEffects(tx, [insertRefund(refund), booked, ...instructions.map(startInstruction)], refund.created_at)
  const after = { payment_id, amount: refund.amount, by_hand }
  recordAct(tx, tenant, { actor: order.requested_by, act: 'refund.create', subject: refund.id, after })
  const open = { closed_by: null, hand_reference: null, closing_reason: null, failure_code: null, concluded_at: null }
  return { kind: 'created', refund: { ...refund, ...open } }
}

/** The order by which a payment was collected. */
async function readCollected(tx: Tx, payment: PaymentRow): Promise<Instruction> {
  const { merchant_id, livemode, id: subject_id } = payment
  const [collected] = await readInstructionsIn(tx, ['confirmed'], [{ merchant_id, livemode, subject_id }])
  if (collected === undefined) throw new Error(`${subject_id} succeeded without a confirmed instruction.`)
  return collected
}

/** The instruction of a refund, which names the collection that it gives back, and goes through the same connector. */
function instructionFor(refund: store.NewRefund, collected: Instruction) {
  const { merchant_id, livemode, id: subject_id, operator, currency, amount_returned: amount } = refund
  const { connector, reference, operator_reference, operator_state, msisdn } = collected
  const refund_of = { reference, operator_reference, operator_state }
  const about = { merchant_id, livemode, subject_id, operator, connector, amount, currency, msisdn, refund_of }
  return { ...about, direction: 'refund', simulate: null } as const
}

/**
 * The beginning of the key of a command without `--key`; the count of this command's failed refunds follows it. The same amount
 * of the same payment, asked for again, is the same command given twice, until that refund has failed: then it is a new try.
 * Another amount that failed says nothing of this one.
 */
function commandOf({ payment_id, amount }: RefundOrder): string {
  return `${payment_id} ${amount ?? 'the rest'} after `
}

/** The answer to a command whose key made this refund before. Pure. */
export function repeated(
  before: RefundRow,
  { payment_id, amount }: Pick<RefundOrder, 'payment_id' | 'amount'>,
): Extract<CreateRefundResult, { kind: 'repeated' }> | { kind: 'refused'; code: 'key_reused' } {
  if (before.payment_id !== payment_id || before.asked_amount !== amount) {
    return { kind: 'refused', code: 'key_reused' }
  }
  return { kind: 'repeated', refund: before }
}
