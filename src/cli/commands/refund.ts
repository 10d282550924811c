import { createCanRefund } from '../../operators/can-refund.ts'
import { findPayment } from '../../payments/store.ts'
import type { ActFacts } from '../../people/terminals/act-facts.ts'
import { giveUpRefund, recordPaidRefund } from '../../refunds/close-refund.ts'
import { type CreateRefundResult, createRefund } from '../../refunds/create-refund.ts'
import {
  readAwaitedRefund,
  readRefund,
  readRefundsOfMerchant,
  readRefundsOfPayment,
  readWaitingRefunds,
} from '../../refunds/find-refunds.ts'
import { readRefundable } from '../../refunds/read-refundable.ts'
import { type RefundRow, viewRefund } from '../../refunds/refund.ts'
import { actCommand } from '../act-command.ts'
import {
  type Command,
  CommandError,
  defineCommand,
  idOf,
  readAmount,
  readTenant,
  readText,
  sampleId,
} from '../command.ts'
import type { CommandContext } from '../command-context.ts'
import { openRegistry } from '../open-registry.ts'
import { factsOfTenant } from '../sign-in/act-facts.ts'

/** The most characters of a reason, and of a key or a reference. */
const REASON_MAX = 500
const REFERENCE_MAX = 255

const refundCreate = defineCommand({
  name: 'refund create',
  summary: 'Refund a payment to its payer, in full or in part; the same command again is the same refund',
  right: 'refunds.manage',
  fresh: true,
  facts: factsOfPayment,
  options: {
    payment: { kind: 'needed', value: 'txn_…', says: 'the payment', sample: sampleId('txn') },
    amount: { kind: 'optional', says: 'the francs to refund; otherwise the rest of the payment' },
    mode: { kind: 'optional', says: 'the mode of the payment, as a check' },
    reason: 'optional',
    key: { kind: 'optional', says: 'your own name for this refund: another key means another refund' },
    manual: { kind: 'flag', says: 'a person refunds by hand, not the operator' },
    as: 'optional',
  },
  async run(context, { payment, amount, mode, reason, key, manual, as }) {
    const result = await createRefund(await refundDeps(context), {
      payment_id: payment,
      livemode: mode === undefined ? null : mode === 'live',
      amount: amount === undefined ? null : readAmount('amount', amount),
      key: key === undefined ? null : readText('key', key, REFERENCE_MAX),
      given_seen: context.facts?.given ?? null,
      requested_by: context.actor(as),
      reason: reason === undefined ? null : readText('reason', reason, REASON_MAX),
      by_hand: manual,
    })
    if (result.kind === 'refused') throw new CommandError(whyNotCreated(result, payment))
    return { refund_id: result.refund.id, repeated: result.kind === 'repeated', ...viewRefund(result.refund) }
  },
})

function whyNotCreated(refusal: Extract<CreateRefundResult, { kind: 'refused' }>, payment_id: string): string {
  switch (refusal.code) {
    case 'not_a_person':
      return 'An API key cannot refund. Name a person with --as.'
    case 'resource_not_found':
      return `There is no payment ${payment_id}.`
    case 'other_mode':
      return `The payment ${payment_id} is of the other mode.`
    case 'key_reused':
      return 'This --key was used for another refund: another payment, or another amount.'
    case 'refunded_meanwhile':
      return 'A part of this payment was refunded meanwhile. Look at its refunds first.'
    case 'payment_not_succeeded':
      return 'This payment has not succeeded, so there is nothing to refund.'
    case 'already_refunded':
      return 'This payment is refunded already, or a refund of its rest is in progress.'
    case 'amount_corrected':
      return 'The payer paid another amount than that of this payment: return the money by hand, with an adjustment.'
    case 'amount_above_remaining':
      return `Only ${refusal.left} francs of this payment are left to refund. Give a smaller --amount.`
    case 'insufficient_funds':
      return `The available balance does not cover it: the refund needs ${refusal.needed} francs.`
  }
}

const refundList = defineCommand({
  name: 'refund list',
  summary: 'Show the refunds of a merchant or a payment; without either, the manual ones and those unsent for an hour',
  options: {
    merchant: 'optional',
    mode: 'optional',
    payment: { kind: 'optional', value: 'txn_…', says: 'the payment' },
  },
  table: {
    rows: 'refunds',
    columns: ['id', 'status', 'amount', 'payment_id', 'created_at'],
    empty: 'No such refunds.',
  },
  async run(context, { merchant, mode, payment }) {
    if ((merchant === undefined) !== (mode === undefined) || (merchant !== undefined && payment !== undefined)) {
      throw new CommandError('Give --merchant with --mode, or --payment, or neither.', 2)
    }
    const sql = await context.sql()
    if (payment !== undefined) {
      const refunds = await readRefundsOfPayment(sql, payment)
      if (refunds === null) throw new CommandError(`There is no payment ${payment}.`)
      return { refunds: refunds.map(viewRefund) }
    }
    const refunds =
      merchant === undefined
        ? await readWaitingRefunds(sql, null)
        : await readRefundsOfMerchant(sql, readTenant({ merchant, mode: mode! }))
    return { refunds: refunds.map(viewRefund) }
  },
})

const refundShow = defineCommand({
  name: 'refund show',
  summary: 'Show a refund, and the earlier refund that it waits for',
  options: { id: idOf('rfd', 'refund') },
  async run(context, { id }) {
    const refund = await readRefund(await context.sql(), id)
    if (refund === null) throw new CommandError(`There is no refund ${id}.`)
    const deps = { sql: await context.sql(), registry: await openRegistry(context) }
    return { ...viewRefund(refund), waits_for: await readAwaitedRefund(deps, { ...refund, refund_id: id }) }
  },
})

const closed = { answer: (refund: RefundRow) => ({ refund_id: refund.id, ...viewRefund(refund) }) }
const refundConfirm = actCommand(recordPaidRefund, { name: 'refund confirm', ...closed })
const refundCancel = actCommand(giveUpRefund, closed)

/** The payment to refund: the amount that goes back, and what has gone back before. */
async function factsOfPayment(
  context: CommandContext,
  { payment: payment_id, amount: asked }: { payment: string; amount: string | undefined },
): Promise<ActFacts> {
  const deps = await refundDeps(context)
  const key = await findPayment(deps.sql, payment_id)
  const found = key === null ? null : await readRefundable(deps, key)
  if (found === null) return {}
  const { amount: paid, operator, payer, merchant_id, livemode } = found.payment
  return {
    ...(await factsOfTenant(context, { merchant_id, livemode })),
    amount: asked === undefined ? found.left : readAmount('amount', asked),
    ...(payer === null ? {} : { recipient: { name: null, operator, number_end: payer.slice(-4) } }),
    paid,
    given: found.given.amount,
  }
}

async function refundDeps(context: CommandContext) {
  const registry = await openRegistry(context)
  return { sql: await context.sql(), clock: context.clock, canRefund: createCanRefund(registry) }
}

export const commands: readonly Command[] = [refundCreate, refundConfirm, refundCancel, refundList, refundShow]
