import { type ActDecision, defineAct, row } from '../acts/act.ts'
import { francs, lineField, merchantFact, reasonField, requestedBy, text } from '../acts/facts.ts'
import { type Beginners, isSecondPerson, readBeginners } from '../acts/second-person.ts'
import type { Transitioned } from '../platform/commands/transitions.ts'
import type { Tx } from '../platform/postgres/database.ts'
import type { Actor } from '../values/actor.ts'
import { tenantOf } from '../values/caller.ts'
import type { Words } from '../values/language.ts'
import { type Trigger, transitionRefund } from './move-refund.ts'
import type { RefundRow } from './refund.ts'
import * as store from './store.ts'

/** The end that a person gives a refund by hand: the proof of the transfer, or the reason why no money was returned. */
export type Closing =
  | { kind: 'paid'; hand_reference: string; closed_by: Actor }
  | { kind: 'given_up'; reason: string; closed_by: Actor }

type Has = {
  readonly about: store.RefundKey
  readonly refund: store.LockedRefund
  readonly first: Beginners
}

const missing: Words = ['Écrivez-le sur une ligne.', 'Write it on one line.']
const proof = text(['Preuve', 'Proof'])
const facts = {
  amount: francs(['Montant', 'Amount']),
  merchant: merchantFact,
  payment: text(['Paiement', 'Payment']),
  requested_by: requestedBy,
}

const common = {
  title: ['Remboursement', 'Refund'],
  right: 'refunds.manage',
  fresh: true,
  on: row('rfd', 'refund'),
  async load(tx: Tx, { id: refund_id }: { readonly id: string }): Promise<Has | null> {
    const found = await store.findRefund(tx, refund_id)
    if (found === null) return null
    const about = { ...tenantOf(found), refund_id }
    const [refund] = await store.lockRefunds(tx, [about])
    const first = await readBeginners(tx, [refund!.requested_by])
    return { about, refund: refund!, first }
  },
} as const

function contentOf({ refund }: Has) {
  const { amount_returned: amount, payment_id: payment, requested_by } = refund
  return { amount, payment, requested_by }
}

const refusals = {
  not_by_hand: {
    words: [
      'L’opérateur fait ce remboursement : personne ne le fait à la main.',
      'The operator makes this refund: nobody makes it by hand.',
    ],
    command: 'The operator makes this refund. If it never gives a final status, open an anomaly: bandama anomaly open.',
  },
  already_closed: {
    words: ['Ce remboursement est déjà fini.', 'This refund has ended already.'],
    command: 'This refund was closed already.',
  },
  same_person: {
    words: [
      'Vous l’avez demandé, ou vous avez fait entrer qui l’a demandé depuis moins de 90 jours : une autre personne le finit.',
      'You asked for it, or let in within 90 days the person who did: another person closes it.',
    ],
    command:
      'The one who asked for a refund cannot close it, nor whoever let them in within 90 days, and an API key never can. Name another person with --as.',
  },
} as const

/** Records a refund by hand as paid, with its proof: the second of two people. It is noted on its payment, and the merchant is notified. */
export const recordPaidRefund = defineAct({
  ...common,
  name: 'refund.paid',
  summary: 'Record a refund that a person made by hand, with its proof; needs a person other than its maker',
  fields: {
    reference: lineField(proof, {
      label: ['Preuve du virement', 'Proof of the transfer'],
      hint: [
        'Telle que l’opérateur ou la banque l’écrit. Elle sert une fois.',
        'As the operator or the bank writes it. It serves once.',
      ],
      longest: 255,
      fault: missing,
      option: { value: 'R', says: 'the proof: the number of a transfer or a receipt', sample: 'VIR-2026-0042' },
    }),
  },
  facts: { ...facts, reference: proof },
  content: (has, { reference }) => ({ ...contentOf(has), reference }),
  decide: ({ by, values }, has, now) =>
    close(has, { kind: 'paid', hand_reference: values.reference, closed_by: by }, now),
  refusals: {
    ...refusals,
    reference_used: {
      at: 'reference',
      words: ['Cette preuve est déjà celle d’un autre remboursement.', 'This proof is that of another refund already.'],
      command: 'This reference proves another refund of this merchant already.',
    },
  },
  conflicts: { refunds_hand_reference: 'reference_used' },
})

/** Gives a refund by hand up: its amount returns to the merchant's balance. */
export const giveUpRefund = defineAct({
  ...common,
  name: 'refund.cancel',
  summary: 'Give up a manual refund and return its money to the merchant; needs a person other than its maker',
  fields: { reason: reasonField(['Pourquoi', 'Why'], { fault: missing }) },
  facts: { ...facts, reason: text(['Raison', 'Reason']) },
  content: (has, { reason }) => ({ ...contentOf(has), reason }),
  decide: ({ by, values }, has, now) => close(has, { kind: 'given_up', ...values, closed_by: by }, now),
  refusals,
})

type Refusal = 'not_by_hand' | 'already_closed' | 'same_person'

function close({ refund, first }: Has, closing: Closing, now: Date): ActDecision<RefundRow, Refusal> {
  const decision = decideClosing(refund, closing, now, isSecondPerson(first, closing.closed_by.person))
  if (decision.kind === 'refused') return decision
  const { transition_count: _, ...result } = decision.row
  const reference = closing.kind === 'paid' ? { hand_reference: closing.hand_reference } : {}
  const change = {
    before: { status: refund.status },
    after: { status: result.status, amount: refund.amount, ...reference },
  }
  return { kind: 'accepted', effects: decision.effects, result, ...change }
}

/** Decides whether a person may close a locked refund in this way, and returns the effects. Refusals in order of precedence. Pure. @param isSecond whether they may be the second person */
export function decideClosing(
  refund: store.LockedRefund,
  closing: Closing,
  now: Date,
  isSecond: boolean,
):
  | ({ kind: 'closed' } & Transitioned<store.LockedRefund>)
  | { kind: 'refused'; code: 'not_by_hand' | 'already_closed' | 'same_person' } {
  if (!refund.by_hand) return { kind: 'refused', code: 'not_by_hand' }
  const moved = transitionRefund(refund, triggerOf(closing), now)
  if (moved === null) return { kind: 'refused', code: 'already_closed' }
  if (!isSecond) return { kind: 'refused', code: 'same_person' }
  return { kind: 'closed', ...moved }
}

function triggerOf(closing: Closing): Trigger {
  const closed_by = closing.closed_by.person
  return closing.kind === 'paid'
    ? { trigger: 'paid_by_hand', closed_by, hand_reference: closing.hand_reference }
    : { trigger: 'given_up', closed_by, closing_reason: closing.reason, failure_code: 'cancelled' }
}
