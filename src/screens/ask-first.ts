import { note, rows, status } from '../console/components.ts'
import { sayCount, type Words } from '../console/say.ts'
import type { ScreenRequest } from '../console/screen.ts'
import { readFailedSends, type WantedSend } from '../listings/earlier-store.ts'
import { askRefused, type RefusedOrder, type SaidLater } from '../operators/doubts/ask-refused.ts'
import type { Registry } from '../operators/routing/registry.ts'
import { contentText } from '../people/step-up/step-up.ts'
import type { Clock } from '../platform/clock.ts'
import { sha256 } from '../platform/digest.ts'
import { type Html, html } from '../platform/http/html.ts'
import { writeAmount, writeNumberEnd } from '../platform/http/pages/write-values.ts'
import type { Sql } from '../platform/postgres/database.ts'

// A person who would pay again asks the operator first, because a refusal may be followed by money.

export type AskFirstDeps = { readonly sql: Sql; readonly clock: Clock; readonly registry: Registry }
type Say = ScreenRequest<'desk'>['say']

/** The days in which a failed payout to the same number and of the same amount is asked about: those of the late looks, and one more. */
const ASKED_DAYS = 4

/** The state of each answer, and its words. */
const saidWords: Readonly<Record<SaidLater, readonly [Parameters<typeof status>[0], Words]>> = {
  moved: ['doubt', ['L’opérateur dit que l’argent est parti', 'The operator says that the money moved']],
  under_way: ['doubt', ['L’opérateur l’a encore', 'The operator still holds it']],
  refused: ['bad', ['L’opérateur le refuse encore', 'The operator refuses it again']],
  not_held: ['bad', ['L’opérateur ne l’a pas', 'The operator does not hold it']],
  silent: ['wait', ['L’opérateur ne répond pas', 'The operator does not answer']],
  to_ask: ['going', ['On demande à l’opérateur', 'The operator is being asked']],
  never_left: ['bad', ['Il n’est jamais parti', 'It never left']],
}

/** The mark of an operator's answer about an order that it had refused. */
export function drawSaid(say: Say, said: SaidLater): Html {
  const [shape, words] = saidWords[said]
  return status(shape, say(words))
}

/** Whether an order may have moved money after its refusal, so that nobody should pay it again. */
export function mayHaveMoved({ said }: Pick<RefusedOrder, 'said'>): boolean {
  return said === 'moved' || said === 'under_way'
}

/** Asks the operators about failed payouts of the same amount to the same number. Returns them, newest first, with what is known. */
export async function askAboutSame(
  deps: AskFirstDeps,
  { tenant, actor }: Pick<ScreenRequest<'console'>, 'tenant' | 'actor'>,
  sends: readonly Omit<WantedSend, 'id'>[],
): Promise<RefusedOrder[]> {
  const since = new Date(deps.clock.now().getTime() - ASKED_DAYS * 86_400_000)
  return askRefused(deps, tenant, await readFailedSends(deps.sql, tenant, sends, since), actor)
}

/** Whether the operators have not answered yet. */
export function isAsking(orders: readonly RefusedOrder[]): boolean {
  return orders.some(({ said }) => said === 'to_ask')
}

/** The words while the operators have not answered yet. Nothing was done. */
export const askingWords = {
  title: ['On demande d’abord à l’opérateur', 'The operator is asked first'],
  text: [
    'Un envoi de la même somme au même numéro a échoué il y a peu. On demande à l’opérateur s’il est parti malgré tout. Rien n’est fait : recommencez dans un instant.',
    'A payout of the same amount to the same number failed lately. We ask the operator whether it left all the same. Nothing was done: try again in a moment.',
  ],
} as const

/** The same for a refund of a payment of which another failed. */
export const askingRefund: Words = [
  'Un remboursement de ce paiement a échoué. On demande à l’opérateur s’il est parti malgré tout. Rien n’est fait : recommencez dans un instant.',
  'A refund of this payment failed. We ask the operator whether it left all the same. Nothing was done: try again in a moment.',
]

/** The orders that a confirmation names one by one. Its content has a limit, and a payroll may have hundreds. */
const NAMED_MAX = 50

/**
 * The answers as facts of a confirmation, so that a person confirms what they saw: by order, or of many orders how often each answer came, with
 * the hash of the list. Absent without an order.
 */
export function askedFacts(orders: readonly RefusedOrder[]): { operators_said?: object } {
  if (orders.length === 0) return {}
  const said = Object.fromEntries(orders.map((order) => [order.subject_id, order.said]))
  if (orders.length <= NAMED_MAX) return { operators_said: said }
  const counts = Object.fromEntries(
    Object.entries(Object.groupBy(orders, (order) => order.said)).map(([one, those]) => [one, those.length]),
  )
  return { operators_said: { ...counts, orders_sha256: sha256(contentText(said)).toString('hex') } }
}

const failedBefore: Readonly<Record<'payout' | 'refund', readonly [Words, Words]>> = {
  payout: [
    ['Un envoi pareil a échoué il y a peu', 'A payout like this failed lately'],
    ['{n} envois pareils ont échoué il y a peu', '{n} payouts like these failed lately'],
  ],
  refund: [
    ['Un remboursement de ce paiement a échoué', 'A refund of this payment failed'],
    ['{n} remboursements de ce paiement ont échoué', '{n} refunds of this payment failed'],
  ],
}

/**
 * The answers about failed orders like the one to confirm: payouts of the same amount to the same number, or refunds of the
 * same payment. Empty without any.
 */
export function failedPart(say: Say, orders: readonly RefusedOrder[], kind: 'payout' | 'refund' = 'payout'): Html {
  if (orders.length === 0) return html``
  const title = sayCount(say, orders.length, ...failedBefore[kind])
  const moved = orders.some(mayHaveMoved)
  const text = moved
    ? say([
        'L’opérateur dit maintenant que de l’argent est parti, ou peut encore partir : la personne serait payée deux fois.',
        'The operator now says that money moved, or still may: the person would be paid twice.',
      ])
    : say(['Voici ce que dit l’opérateur maintenant.', 'This is what the operator says now.'])
  return html`${note(moved ? 'bad' : 'care', title, text)}${rows(
    orders.map((order) => ({
      name: [
        ...(order.msisdn === null ? [] : [writeNumberEnd(order.msisdn.slice(-4))]),
        writeAmount(order.amount),
      ].join(' · '),
      value: drawSaid(say, order.said),
    })),
  )}`
}
