import { type ActDecision, defineAct, isWithin, type RefusalWords, refuse, row } from '../acts/act.ts'
import { choiceField, type Field, lineField, oneOf, optional, reasonField, sumField, text } from '../acts/facts.ts'
import { isSecondPerson, readBeginners } from '../acts/second-person.ts'
import { findPayment, lockPayments } from '../payments/store.ts'
import { writeAmount } from '../platform/http/pages/write-values.ts'
import { tenantOf } from '../values/caller.ts'
import { newId } from '../values/ids.ts'
import { decideRefund } from './decide-refund.ts'
import { refundRefusals } from './refund-refusals.ts'
import {
  insertRequest,
  lockRequest,
  type RefundRequest,
  readLastRequest,
  refundReasons,
  transitionRequest,
} from './refund-request.ts'
import { readGiven } from './store.ts'

// A merchant asks for a refund, and the company decides: it refunds the payment (`create-refund.ts`), or refuses. The lock of the request orders
// withdrawing and deciding; that of the payment, asking and refunding.

const amount = optional(
  sumField(['Montant à rendre, si une partie', 'Amount to refund, if a part'], {
    hint: ['Vide : tout ce qui reste.', 'Empty: all that is left.'],
  }),
)

export const askFields = {
  amount,
  reason: choiceField(oneOf(['Raison', 'Reason'], refundReasons), {
    label: ['Raison', 'Reason'],
    choices: refundReasons,
    fault: ['Choisissez une raison.', 'Choose a reason.'],
    says: 'why',
  }),
  note: optional(
    lineField(text(['Précision', 'More']), {
      label: ['Précisez (facultatif)', 'More (optional)'],
      longest: 200,
      fault: ['Sur une ligne de 200 signes au plus.', 'On a line of 200 characters at most.'],
    }),
  ),
} as const

const { insufficient_funds: _, ...paymentRefusals } = refundRefusals
const askRefusals = {
  ...paymentRefusals,
  already_asked: [
    'Un remboursement de ce paiement est déjà demandé. Retirez d’abord cette demande.',
    'A refund of this payment is asked for already. Withdraw that request first.',
  ],
} as const satisfies Record<string, RefusalWords>

/** Asks the company to refund a payment, in full or in part. Nothing is set aside until it decides. */
export const askRefund = defineAct({
  name: 'refund.ask',
  summary: 'Ask the company to refund a payment, in full or in part',
  title: ['Demander un remboursement', 'Ask for a refund'],
  right: 'refunds.ask',
  fresh: false,
  on: row('txn', 'payment', { option: 'payment' }),
  fields: askFields,
  async load(tx, { id, within }) {
    const about = await findPayment(tx, id)
    if (about === null || !isWithin(about, within)) return null
    const [payment] = await lockPayments(tx, [about])
    const [given, last] = [await readGiven(tx, about, id), await readLastRequest(tx, about)]
    return { about, payment: payment!, given, last }
  },
  facts: {},
  content: () => ({}),
  decide(
    { by, id, values },
    { about, payment, given, last },
    now,
  ): ActDecision<RefundRequest | null, keyof typeof askRefusals> {
    const asked = values.amount
    if (last?.status === 'asked') {
      const isSame = last.asked_by === by.person && last.amount === asked && last.reason === values.reason
      return isSame ? { kind: 'unchanged', result: last } : refuse('already_asked')
    }
    // The balance counts when the company decides.
    const decided = decideRefund(payment, given, asked, Number.POSITIVE_INFINITY)
    if (decided.kind === 'refused' && decided.code !== 'insufficient_funds') {
      const francs = 'left' in decided ? decided.left : 0
      return refuse(decided.code, { francs, sum: writeAmount(francs) })
    }
    const { reason, note } = values
    const request = { ...tenantOf(about), id: newId('rfq', now.getTime()), payment_id: id, amount: asked, reason, note }
    const row = { ...request, asked_by: by.person, asked_at: now }
    const after = { payment_id: id, amount: asked, reason }
    return { kind: 'accepted', effects: [insertRequest(row)], result: null, subject: request.id, after }
  },
  refusals: askRefusals,
  conflicts: { refund_requests_waiting: 'already_asked' },
})

const request = row('rfq', 'request of a refund')

const decidedAlready = [
  'Cette demande est déjà décidée ou retirée.',
  'This request has been decided or withdrawn already.',
] as const satisfies RefusalWords

/** Withdraws a request that the company has not decided yet. Any person of the merchant who may ask may withdraw. */
export const withdrawAsked = defineAct({
  name: 'refund.withdraw_ask',
  summary: 'Withdraw a request of a refund that the company has not decided yet',
  title: ['Retirer cette demande', 'Withdraw this request'],
  right: 'refunds.ask',
  fresh: false,
  on: request,
  fields: {},
  async load(tx, { id, within }) {
    const found = await lockRequest(tx, id)
    return found === null || !isWithin(found, within) ? null : { about: tenantOf(found), found }
  },
  facts: {},
  content: () => ({}),
  decide({ by }, { found }, now): ActDecision<RefundRequest, 'already_decided'> {
    if (found.status === 'withdrawn') return { kind: 'unchanged', result: found }
    const moved = transitionRequest(found, { trigger: 'withdrawn_by_merchant', decided_by: by.person }, now)
    if (moved === null) return refuse('already_decided')
    const { effects, row: result } = moved
    return { kind: 'accepted', effects, result, before: { status: 'asked' }, after: { status: result.status } }
  },
  refusals: { already_decided: decidedAlready },
})

const answer: Field<string> = reasonField(['Ce que le marchand lira', 'What the merchant will read'])

/** Refuses a request, with an answer for the merchant. A refund of its payment accepts it. */
export const declineAsked = defineAct({
  name: 'refund.decline_ask',
  summary: 'Refuse a refund that a merchant asks for, with an answer for the merchant',
  title: ['Refuser ce remboursement', 'Refuse this refund'],
  right: 'refunds.manage',
  fresh: false,
  on: request,
  fields: { answer },
  async load(tx, { id, within }) {
    const found = await lockRequest(tx, id)
    if (found === null || !isWithin(found, within)) return null
    return { about: tenantOf(found), found, first: await readBeginners(tx, [found.asked_by]) }
  },
  facts: {},
  content: () => ({}),
  decide({ by, values }, { found, first }, now): ActDecision<RefundRequest, 'already_decided' | 'asked_yourself'> {
    const wanted = { trigger: 'refused_by_company', decided_by: by.person, answer: values.answer } as const
    const moved = transitionRequest(found, wanted, now)
    if (moved === null) return refuse('already_decided')
    if (!isSecondPerson(first, by.person)) return refuse('asked_yourself')
    const { effects, row: result } = moved
    return { kind: 'accepted', effects, result, before: { status: 'asked' }, after: { status: result.status } }
  },
  refusals: {
    already_decided: decidedAlready,
    asked_yourself: [
      'Vous l’avez demandé, ou vous avez fait entrer qui l’a demandé : une autre personne décide.',
      'You asked for it, or let in the person who did: another person decides.',
    ],
  },
})
