import { keepAnomaly } from '../operators/doubts/anomalies.ts'
import type { PaymentRow } from '../payments/payment.ts'
import { defineReaction, type Effect } from '../platform/commands/effects.ts'
import type { Transitioned } from '../platform/commands/transitions.ts'
import { rowKey, tenantOf } from '../values/caller.ts'
import { effectOf } from './decide-attempt.ts'
import type { LinkRow } from './link.ts'
import { setHolder, transitionLink } from './move-link.ts'
import { transitionSession } from './move-session.ts'
import * as store from './store.ts'
import { lockLinksOf, setAttempt, updateOf } from './take-attempts.ts'

type SecondSuccess = { payment: PaymentRow; paid_by: string }

/**
 * Moves the sessions of ended payments, in the transaction that ends the payments. A success pays the session and tells
 * the merchant. A failure frees it for another attempt. A second success is credited too, and kept for people, because
 * we owe it to the payer.
 */
export const endAttempt = defineReaction<PaymentRow>('checkout session', async (tx, attempts, now) => {
  const locked = await store.lockSessions(
    tx,
    attempts.map((payment) => ({ ...tenantOf(payment), session_id: payment.checkout_session_id! })),
  )
  const sessions = new Map(locked.map((row) => [rowKey(row, row.id), row]))
  const links = await lockLinksOf(tx, locked)
  return endAttempts(attempts, sessions, links, now)
})

/**
 * The effects of ended payments on their locked sessions and links, one after the other. Updates `sessions` and `links`.
 * @throws when the session of a payment does not exist, which is a defect
 */
export function endAttempts(
  attempts: readonly PaymentRow[],
  sessions: Map<string, store.LockedSession>,
  links: Map<string, LinkRow>,
  now: Date,
): Effect[] {
  const paid: Effect[] = []
  const freed = new Map<string, store.LockedSession>()
  const linksFreed = new Map<string, LinkRow>()
  const seconds: SecondSuccess[] = []
  for (const payment of attempts) {
    const key = rowKey(payment, payment.checkout_session_id!)
    const session = sessions.get(key)
    if (session === undefined) throw new Error('A payment is an attempt of a session that does not exist.')
    const effect = effectOf(session, { payment_id: payment.id, succeeded: payment.status === 'succeeded' })
    if (effect.second_success) seconds.push({ payment, paid_by: session.payment_id! })
    if (effect.paid_by !== null) {
      const moved = transitionSession(session, { trigger: 'attempt_succeeded', payment_id: payment.id }, now)!
      paid.push(...moved.effects)
      sessions.set(key, moved.row)
      freed.delete(key)
    } else if (effect.freed) {
      const free = { ...session, attempt_live: false }
      sessions.set(key, free)
      freed.set(key, free)
    }
    const link = session.link_id === null ? undefined : links.get(rowKey(session, session.link_id))
    if (link === undefined || link.reusable || !(effect.freed || effect.paid_by !== null)) continue
    if (effect.paid_by !== null && link.status === 'paid') seconds.push({ payment, paid_by: link.id })
    const left = leaveLink(link, session.id, effect.paid_by !== null, now)
    const linkKey = rowKey(link, link.id)
    links.set(linkKey, left.row)
    paid.push(...left.effects)
    if (left.effects.length > 0) linksFreed.delete(linkKey)
    else linksFreed.set(linkKey, left.row)
  }
  return [
    ...paid,
    ...Array.from(freed.values(), (session) => setAttempt(updateOf(session))),
    ...Array.from(linksFreed.values(), setHolder),
    ...seconds.map((second) => keepAnomaly(anomalyOf(second))),
  ]
}

/** Frees a link that is paid once after an attempt ended, or marks it as paid. */
function leaveLink(link: LinkRow, session_id: string, paid: boolean, now: Date): Transitioned<LinkRow> {
  const taken_by = link.taken_by === session_id ? null : link.taken_by
  const moved = paid ? transitionLink(link, { trigger: 'only_payment_succeeded', taken_by }, now) : null
  return moved ?? { row: { ...link, taken_by }, effects: [] }
}

function anomalyOf({ payment, paid_by }: SecondSuccess) {
  return {
    ...tenantOf(payment),
    subject_id: payment.id,
    kind: 'second_success' as const,
    fact: `after ${paid_by}`,
    operator: payment.operator,
    evidence: { checkout_session_id: payment.checkout_session_id, already_paid_by: paid_by, amount: payment.amount },
  }
}
