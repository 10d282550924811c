import { createCanRefund } from '../../operators/can-refund.ts'
import { findPayment } from '../../payments/store.ts'
import type { ActFacts } from '../../people/terminals/act-facts.ts'
import { type CloseRefundResult, closeRefund } from '../../refunds/close-refund.ts'
import { type CreateRefundResult, createRefund } from '../../refunds/create-refund.ts'
import {
  readAwaitedRefund,
  readRefund,
  readRefundsOfMerchant,
  readRefundsOfPayment,
  readWaitingRefunds,
} from '../../refunds/find-refunds.ts'
import { readRefundable } from '../../refunds/read-refundable.ts'
import { viewRefund } from '../../refunds/refund.ts'
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

const refundConfirm = defineCommand({
  name: 'refund confirm',
  summary: 'Record a refund that a person made by hand, with its proof; needs a person other than its maker',
  right: 'refunds.manage',
  fresh: true,
  facts: factsOfRefund,
  options: {
    id: idOf('rfd', 'refund'),
    reference: { kind: 'needed', says: 'the proof: the number of a transfer or a receipt', sample: 'VIR-2026-0042' },
    as: 'optional',
  },
  async run(context, { id, reference, as }) {
    const hand_reference = readText('reference', reference, REFERENCE_MAX)
    return closed(
      await closeRefund(await refundDeps(context), id, { kind: 'paid', hand_reference, closed_by: context.actor(as) }),
      id,
    )
  },
})

const refundCancel = defineCommand({
  name: 'refund cancel',
  summary: 'Give up a manual refund and return its money to the merchant; needs a person other than its maker',
  right: 'refunds.manage',
  fresh: true,
  facts: factsOfRefund,
  options: { id: idOf('rfd', 'refund'), reason: 'needed', as: 'optional' },
  async run(context, { id, reason, as }) {
    const why = readText('reason', reason, REASON_MAX)
    return closed(
      await closeRefund(await refundDeps(context), id, { kind: 'given_up', reason: why, closed_by: context.actor(as) }),
      id,
    )
  },
})

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

/** The refund that a person makes or gives up. */
async function factsOfRefund(context: CommandContext, { id }: { id: string }): Promise<ActFacts> {
  const refund = await readRefund(await context.sql(), id)
  if (refund === null) return {}
  const { amount_returned: amount, requested_by } = refund
  return { ...(await factsOfTenant(context, refund)), amount, requested_by }
}

function closed(result: CloseRefundResult, refund_id: string): object {
  if (result.kind === 'closed') return { refund_id, ...viewRefund(result.refund) }
  const refusals = {
    resource_not_found: `There is no refund ${refund_id}.`,
    not_by_hand:
      'The operator makes this refund. If it never gives a final status, open an anomaly: bandama anomaly open.',
    already_closed: 'This refund was closed already.',
    same_person:
      'The one who asked for a refund cannot close it, nor whoever let them in within 90 days, and an API key never can. Name another person with --as.',
    reference_used: 'This reference proves another refund of this merchant already.',
  }
  throw new CommandError(refusals[result.code])
}

async function refundDeps(context: CommandContext) {
  const registry = await openRegistry(context)
  return { sql: await context.sql(), clock: context.clock, canRefund: createCanRefund(registry) }
}

export const commands: readonly Command[] = [refundCreate, refundConfirm, refundCancel, refundList, refundShow]
