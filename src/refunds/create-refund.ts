import { defineAct, isWithin, type RefusalWords, refuse, row } from '../acts/act.ts'
import { operatorAccount } from '../ledger/accounts.ts'
import { lockAccounts, postTransaction } from '../ledger/post.ts'
import { refundStarted } from '../ledger/postings.ts'
import type { Instruction } from '../operators/instruction.ts'
import { startInstruction } from '../operators/start-instruction.ts'
import { readInstructionsIn } from '../operators/store.ts'
import { findPayment, lockPayments } from '../payments/store.ts'
import { defineEffect } from '../platform/commands/effects.ts'
import { writeAmount } from '../platform/http/pages/write-values.ts'
import { tenantOf } from '../values/caller.ts'
import { newId } from '../values/ids.ts'
import { decideRefund } from './decide-refund.ts'
import type { RefundRow } from './refund.ts'
import { refundFacts, refundFields } from './refund-fields.ts'
import * as store from './store.ts'

export type RefundDeps = {
  /** Whether the connector that collected a payment can refund it. @param whole the refund is all that was collected, at once */
  readonly canRefund: (collected: Instruction, whole: boolean) => boolean
  /** The person of a form, whose key never matches another person's refund. Absent: the command line. */
  readonly form_of?: string | undefined
  /** The operators' answers about failed refunds of this payment. Absent: nobody asked. */
  readonly operators_said?: object | undefined
}

/** `repeated`: the command or the form was repeated, and this is the refund that it made the first time. */
export type RefundMade = { readonly refund: RefundRow; readonly repeated: boolean }

const insertRefund = defineEffect('new row', store.insertRefunds)

/**
 * The prefix of the key of a command without `--key`. The number of failed refunds with this prefix follows it: a second command for
 * the same amount of the same payment is a repetition until the first refund has failed, and a new refund after that. A failed refund
 * of another amount does not count.
 */
function commandOf(payment_id: string, amount: number | null): string {
  return `${payment_id} ${amount ?? 'the rest'} after `
}

/**
 * Refunds a payment or a part of it. The amount leaves the merchant's available balance at once. The operator that collected the
 * payment returns it to the payer, or a person does where the operator cannot. The decision is made under the payment's lock, so that
 * concurrent refunds never exceed the payment. Refusals, in order of precedence: an API key, a payment of the other mode, a key that
 * belongs to another refund, another refund since the person looked, then those of `decideRefund`.
 */
export const createRefund = defineAct({
  name: 'refund.create',
  summary: 'Refund a payment to its payer, in full or in part; the same command again is the same refund',
  title: ['Rembourser un paiement', 'Refund a payment'],
  right: 'refunds.manage',
  fresh: true,
  on: row('txn', 'payment', { option: 'payment' }),
  fields: refundFields,
  async load(tx, { id, within, values }, { canRefund, form_of, operators_said = {} }: RefundDeps) {
    const about = await findPayment(tx, id)
    if (about === null || !isWithin(about, within)) return null
    const [payment] = await lockPayments(tx, [about])
    const command = commandOf(id, values.amount)
    const given = await store.readGiven(tx, about, command)
    // Made of the form and its person, so that it never matches another person's refund.
    const ofForm = values.form === null ? null : `desk_${form_of}_${values.form}`
    const request_key = ofForm ?? values.key ?? `${command}${given.failed}`
    const before = await store.readRefundByKey(tx, about, request_key)
    const { operator } = payment!
    const accounts = ['available', 'fees', operatorAccount(operator)].map((account) => ({
      ...tenantOf(about),
      account,
    }))
    const locked = await lockAccounts(tx, accounts)
    const decision = decideRefund(payment!, given, values.amount, locked.get(accounts[0]!)!.balance)
    const [collected] = await readInstructionsIn(tx, ['confirmed'], [{ ...tenantOf(about), subject_id: id }])
    const isWhole = decision.kind === 'made' && decision.parts.amount === payment!.amount
    const by_hand = values.by_hand || collected === undefined || !canRefund(collected, isWhole)
    return { about, payment: payment!, given, request_key, before, decision, collected, by_hand, operators_said }
  },
  facts: refundFacts,
  content({ payment, collected, given, decision, by_hand, operators_said }, { amount: asked, reason }) {
    const parts = decision.kind === 'made' ? decision.parts : null
    const payer = collected?.msisdn ?? null
    return {
      ...{ ...parts, amount: parts?.amount ?? asked, by_hand: by_hand || null, reason, operators_said },
      recipient: payer === null ? null : { name: null, operator: payment.operator, number_end: payer.slice(-4) },
      ...{ paid: payment.amount, given: given.amount },
    }
  },
  decide({ by, id, values }, has, now) {
    const { about, payment, given, request_key, before, decision, collected, by_hand } = has
    const { amount: asked_amount, reason, mode } = values
    if (by.person.startsWith('key:')) return refuse('not_a_person')
    if (mode !== null && (mode === 'live') !== about.livemode) return refuse('other_mode')
    if (before !== null) {
      const isSame = before.payment_id === id && before.asked_amount === asked_amount
      return isSame ? { kind: 'unchanged', result: { refund: before, repeated: true } } : refuse('key_reused')
    }
    if (values.given !== null && values.given !== given.amount) return refuse('refunded_meanwhile')
    if (decision.kind === 'refused') {
      const francs = 'left' in decision ? decision.left : 'needed' in decision ? decision.needed : 0
      return refuse(decision.code, { francs, sum: writeAmount(francs) })
    }
    if (collected === undefined) throw new Error(`${id} succeeded without a confirmed instruction.`)
    const tenant = tenantOf(about)
    const { operator, currency } = payment
    const refund: store.NewRefund = {
      ...{ ...tenant, ...decision.parts, id: newId('rfd', now.getTime()), payment_id: id, currency, operator, by_hand },
      ...{ status: by_hand ? 'manual' : 'requested', reason, request_key, asked_amount },
      ...{ requested_by: by.person, created_at: now },
    }
    const legs = refundStarted(refund)
    const booked = postTransaction({ ...tenant, subject_id: refund.id, operation: 'refund_started', legs })
    const sent = by_hand ? [] : [startInstruction(instructionFor(refund, collected))]
    const open = { closed_by: null, hand_reference: null, closing_reason: null, failure_code: null, concluded_at: null }
    return {
      kind: 'accepted',
      effects: [insertRefund(refund), booked, ...sent],
      result: { refund: { ...refund, ...open } as RefundRow, repeated: false },
      subject: refund.id,
      after: { payment_id: id, amount: refund.amount, by_hand },
    }
  },
  unknown: 'There is no payment {payment}.',
  refusals: {
    not_a_person: {
      words: ['Une clé ne rembourse pas.', 'A key does not refund.'],
      command: 'An API key cannot refund. Name a person with --as.',
    },
    other_mode: {
      words: ['Ce paiement est de l’autre mode.', 'This payment is of the other mode.'],
      command: 'The payment {payment} is of the other mode.',
    },
    key_reused: {
      words: [
        'Ce formulaire a déjà servi à un remboursement d’un autre montant : regardez-le. Rien de plus n’est rendu.',
        'This form has already made a refund of another amount: look at it. Nothing more was refunded.',
      ],
      command: 'This --key was used for another refund: another payment, or another amount.',
    },
    refunded_meanwhile: {
      words: [
        'Un autre remboursement de ce paiement a changé entre-temps. Rien n’est fait : regardez ce qui reste, puis recommencez.',
        'Another refund of this payment has changed meanwhile. Nothing was done: look at what is left, then begin again.',
      ],
      command: 'A part of this payment was refunded meanwhile. Look at its refunds first.',
    },
    payment_not_succeeded: {
      words: [
        'Ce paiement n’est pas payé : il n’y a rien à rendre.',
        'This payment is not paid: there is nothing to refund.',
      ],
      command: 'This payment has not succeeded, so there is nothing to refund.',
    },
    already_refunded: {
      words: [
        'Ce paiement est déjà rendu, ou ce qui en reste est en route.',
        'This payment is refunded already, or what is left of it is on its way.',
      ],
      command: 'This payment is refunded already, or a refund of its rest is in progress.',
    },
    amount_corrected: {
      words: [
        'Le payeur a payé une autre somme que ce paiement ne dit : rendez-la à la main, avec un ajustement.',
        'The payer paid another amount than this payment says: return it by hand, with an adjustment.',
      ],
      command: 'The payer paid another amount than that of this payment: return the money by hand, with an adjustment.',
    },
    amount_above_remaining: {
      words: [
        'Il reste {sum} à rembourser : rendez cette somme au plus.',
        '{sum} are left to refund: refund that much at most.',
      ],
      command: 'Only {francs} francs of this payment are left to refund. Give a smaller --amount.',
      at: 'amount',
    },
    insufficient_funds: {
      words: [
        'Le solde disponible du marchand ne couvre pas tout : il faudrait {sum}.',
        'The merchant’s available balance does not cover all of it: {sum} would be needed.',
      ],
      command: 'The available balance does not cover it: the refund needs {francs} francs.',
      at: 'amount',
    },
  } satisfies Record<string, RefusalWords>,
  // A concurrent command used the key for another payment.
  conflicts: { refunds_key: 'key_reused' },
})

/** The instruction of a refund. It names the collection that it refunds and goes through the same connector. */
function instructionFor(refund: store.NewRefund, collected: Instruction) {
  const { merchant_id, livemode, id: subject_id, operator, currency, amount_returned: amount } = refund
  const { connector, reference, operator_reference, operator_state, msisdn } = collected
  const refund_of = { reference, operator_reference, operator_state }
  const about = { merchant_id, livemode, subject_id, operator, connector, amount, currency, msisdn, refund_of }
  return { ...about, direction: 'refund', simulate: null } as const
}
