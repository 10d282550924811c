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
  /** The mode that the caller expects. Null: either. */
  livemode: boolean | null
  /** The part of the payment's amount to refund, in francs. Null: all that is left. */
  amount: number | null
  /** Idempotency key of the command. Null: a second command for the same amount of the same payment is the same refund. */
  key: string | null
  /**
   * The francs of the payment's amount that the person saw as refunded or on their way. The refund is refused when they have changed
   * since. Null: no person looked at the payment.
   */
  given_seen: number | null
  requested_by: Actor
  reason: string | null
  /** A person makes the refund by hand, even where the operator could. */
  by_hand: boolean
}

export type CreateRefundResult =
  | { kind: 'created'; refund: RefundRow }
  /** The command was repeated: this is the refund that it made the first time. */
  | { kind: 'repeated'; refund: RefundRow }
  | {
      kind: 'refused'
      code: 'not_a_person' | 'resource_not_found' | 'other_mode' | 'key_reused' | 'refunded_meanwhile'
    }
  | Exclude<RefundDecision, { kind: 'made' }>

type Dependencies = {
  sql: Sql
  clock: Clock
  /** Whether the connector that collected a payment can refund it. @param whole the refund is all that was collected, at once */
  canRefund: (collected: Instruction, whole: boolean) => boolean
}

const insertRefund = defineEffect('new row', store.insertRefunds)

/**
 * Refunds a payment or a part of it. The amount leaves the merchant's available balance at once. The operator that collected the
 * payment returns it to the payer, or a person does where the operator cannot. The decision is made under the payment's lock, so that
 * concurrent refunds never exceed the payment. Refusals, in order of precedence: an API key, no such payment, a payment of the other
 * mode, a key that belongs to another refund, another refund since the person looked, then those of `decideRefund`.
 */
export async function createRefund(deps: Dependencies, order: RefundOrder): Promise<CreateRefundResult> {
  // An API key acts for the merchant, and only staff refund.
  if (order.requested_by.person.startsWith('key:')) return { kind: 'refused', code: 'not_a_person' }
  const key = await findPayment(deps.sql, order.payment_id)
  if (key === null) return { kind: 'refused', code: 'resource_not_found' }
  if (order.livemode !== null && order.livemode !== key.livemode) return { kind: 'refused', code: 'other_mode' }
  const create = () => deps.sql.begin((tx) => createIn(tx, key, order, deps))
  try {
    return await create()
  } catch (error) {
    // A concurrent command used the key for another payment. Its refund is committed now, so the next look finds it.
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

/** The order that collected a payment. */
async function readCollected(tx: Tx, payment: PaymentRow): Promise<Instruction> {
  const { merchant_id, livemode, id: subject_id } = payment
  const [collected] = await readInstructionsIn(tx, ['confirmed'], [{ merchant_id, livemode, subject_id }])
  if (collected === undefined) throw new Error(`${subject_id} succeeded without a confirmed instruction.`)
  return collected
}

/** The instruction of a refund. It names the collection that it refunds and goes through the same connector. */
function instructionFor(refund: store.NewRefund, collected: Instruction) {
  const { merchant_id, livemode, id: subject_id, operator, currency, amount_returned: amount } = refund
  const { connector, reference, operator_reference, operator_state, msisdn } = collected
  const refund_of = { reference, operator_reference, operator_state }
  const about = { merchant_id, livemode, subject_id, operator, connector, amount, currency, msisdn, refund_of }
  return { ...about, direction: 'refund', simulate: null } as const
}

/**
 * The prefix of the key of a command without `--key`. The number of failed refunds with this prefix follows it: a second command for
 * the same amount of the same payment is a repetition until the first refund has failed, and a new refund after that. A failed refund
 * of another amount does not count.
 */
function commandOf({ payment_id, amount }: RefundOrder): string {
  return `${payment_id} ${amount ?? 'the rest'} after `
}

/** The answer to a command whose key has made this refund already. Pure. */
export function repeated(
  before: RefundRow,
  { payment_id, amount }: Pick<RefundOrder, 'payment_id' | 'amount'>,
): Extract<CreateRefundResult, { kind: 'repeated' }> | { kind: 'refused'; code: 'key_reused' } {
  if (before.payment_id !== payment_id || before.asked_amount !== amount) {
    return { kind: 'refused', code: 'key_reused' }
  }
  return { kind: 'repeated', refund: before }
}
