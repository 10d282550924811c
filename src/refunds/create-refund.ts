import { type ActDecision, defineAct, isWithin, type RefusalWords, refuse, row } from '../acts/act.ts'
import { type Waits, waitsFor } from '../acts/proposal.ts'
import { readWaitingProposal } from '../acts/proposal-store.ts'
import { type AloneDeps, propose, readAlone, secondDecides, takesSecond } from '../acts/propose.ts'
import { findPayment } from '../payments/store.ts'
import { tenantOf } from '../values/caller.ts'
import { newId } from '../values/ids.ts'
import { acceptRequest, leavesWaiting, requestGone, requestWaits } from './accept-request.ts'
import {
  commandOf,
  type Given,
  lockRefundable,
  makeRefund,
  type RefundReads,
  refundContent,
  type Wanted,
} from './make-refund.ts'
import type { RefundRow } from './refund.ts'
import { refundFacts, refundFields } from './refund-fields.ts'
import { refundRefusals } from './refund-refusals.ts'
import { lockRequest, readWaitingRequest } from './refund-request.ts'

export type RefundDeps = AloneDeps &
  RefundReads & {
    /** The person of a form, whose key never matches another person's refund. Absent: the command line. */
    readonly form_of?: string | undefined
  }

/** `repeated`: the command or the form was repeated, and this is the refund that it made the first time. */
export type RefundMade = { readonly refund: RefundRow; readonly repeated: boolean }

/** The values of a refund that waits for its second person. */
export type ProposedRefund = Wanted & { readonly reason: string | null; readonly request?: string | null }

const createRefusals = {
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
  ...refundRefusals,
  request_gone: requestGone,
  request_waits: requestWaits,
} as const satisfies Record<string, RefusalWords>

type CreateRefusal = keyof typeof createRefusals

/**
 * Refunds a payment or a part of it. The amount leaves the merchant's available balance at once. The operator that collected the
 * payment returns it to the payer, or a person does where the operator cannot. The decision is made under the payment's lock, so that
 * concurrent refunds never exceed the payment. In live mode a sum above the limit of one person waits for a second one (`decideRefundProposal`).
 * Refusals, in order of precedence: an API key, a payment of the other mode, a key that belongs to another refund, another refund since the person
 * looked, a merchant's request that waits and that the refund does not name, then those of `decideRefund`.
 */
export const createRefund = defineAct({
  name: 'refund.create',
  summary: 'Refund a payment to its payer, in full or in part; the same command again is the same refund',
  title: ['Rembourser un paiement', 'Refund a payment'],
  right: 'refunds.manage',
  fresh: true,
  on: row('txn', 'payment', { option: 'payment' }),
  fields: refundFields,
  async load(tx, { by, id, within, values }, { form_of, secondPersonAbove, ...reads }: RefundDeps) {
    const about = await findPayment(tx, id)
    if (about === null || !isWithin(about, within)) return null
    const alone = await readAlone(tx, by, about, { secondPersonAbove })
    // Made of the form and its person, so that it never matches another person's refund.
    const ofForm = values.form === null ? null : `desk_${form_of}_${values.form}`
    const keyOf = ({ failed }: Given) => ofForm ?? values.key ?? `${commandOf(id, values.amount)}${failed}`
    const request = values.request === null ? null : await lockRequest(tx, values.request)
    const has = await lockRefundable(tx, about, { ...values, keyOf }, reads)
    const [asked, waiting] = [
      await readWaitingRequest(tx, about),
      await readWaitingProposal(tx, about, 'refund.create', has.request_key),
    ]
    return { ...has, alone, request, asked, waiting }
  },
  facts: refundFacts,
  content: (has, values) => refundContent(has, values),
  note: ({ alone, decision }) =>
    decision.kind === 'made' && takesSecond(alone, decision.parts.amount) ? secondDecides : null,
  decide({ by, id, values }, has, now): ActDecision<RefundMade | Waits, CreateRefusal> {
    const { about, given, request_key, before, asked, waiting, alone } = has
    const { amount, reason, by_hand, mode } = values
    if (by.person.startsWith('key:')) return refuse('not_a_person')
    if (mode !== null && (mode === 'live') !== about.livemode) return refuse('other_mode')
    if (before !== null) {
      const isSame = before.payment_id === id && before.asked_amount === amount
      return isSame ? { kind: 'unchanged', result: { refund: before, repeated: true } } : refuse('key_reused')
    }
    if (waiting !== null && alone !== null) {
      const isSame = waiting.subject === id && (waiting.typed as ProposedRefund).amount === amount
      return isSame ? { kind: 'unchanged', result: waitsFor(waiting) } : refuse('key_reused')
    }
    if (values.given !== null && values.given !== given.amount) return refuse('refunded_meanwhile')
    if (leavesWaiting(asked, values.request)) return refuse('request_waits', { id: asked.id })
    const requested = { requested_by: by.person, id: newId('rfd', now.getTime()), now }
    const made = makeRefund(has, values, requested)
    if (made.kind === 'refused') return made
    const accepted = acceptRequest(has.request, values.request, {
      by: by.person,
      payment_id: id,
      refund_id: made.refund.id,
      now,
    })
    if (accepted === null) return refuse('request_gone')
    const { refund, after } = made
    if (takesSecond(alone, refund.amount)) {
      const typed: ProposedRefund = { amount, reason, by_hand, request: values.request }
      const { amount: sum, ...content } = refundContent(has, values)
      const order = {
        ...tenantOf(about),
        act: 'refund.create',
        subject: id,
        key: request_key,
        amount: refund.amount,
      } as const
      return propose(
        by,
        { ...order, typed, content: { amount: sum, ...content } },
        { line: 'refund.propose', after },
        now,
      )
    }
    return {
      kind: 'accepted',
      effects: [...made.effects, ...accepted],
      result: { refund, repeated: false },
      subject: refund.id,
      after,
    }
  },
  unknown: 'There is no payment {payment}.',
  refusals: createRefusals,
  // A concurrent command used the key for another payment.
  conflicts: { refunds_key: 'key_reused', act_proposals_standing: 'key_reused' },
})
