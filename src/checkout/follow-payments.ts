import { keepAnomaly } from '../operators/anomalies.ts'
import type { PaymentRow } from '../payments/payment.ts'
import { defineReaction } from '../platform/commands/effects.ts'
import { tenantOf } from '../values/caller.ts'
import { findTransition } from '../values/transition.ts'
import { effectOf, keyOf } from './decide-attempt.ts'
import type { LinkRow } from './link.ts'
import { linkTransitions } from './link-states.ts'
import { type Trigger, transitionSessions } from './move-session.ts'
import * as store from './store.ts'
import { type LockedSession, linkUpdateOf, lockLinksOf, setAttempt, setLink, updateOf } from './take-attempts.ts'

type SecondSuccess = { payment: PaymentRow; paid_by: string }

/**
 * Moves the sessions of payments that ended, in the transaction that ends them: the session is paid and its merchant told, or free for
 * another attempt. A second success is credited like any money, and kept for a human, because the payer is owed it.
 */
export const endAttempt = defineReaction<PaymentRow>('checkout session', async (tx, attempts, now) => {
  const locked = await store.lockSessions(
    tx,
    attempts.map((payment) => ({ ...tenantOf(payment), session_id: payment.checkout_session_id! })),
  )
  const sessions = new Map(locked.map((row) => [keyOf(row, row.id), row]))
  const links = await lockLinksOf(tx, locked)
  const { triggers, freed, linksChanged, seconds } = judge(attempts, sessions, links)
  await transitionSessions(tx, triggers, now)
  return [
    ...freed.map((session) => setAttempt(updateOf(session))),
    ...linksChanged.map((link) => setLink(linkUpdateOf(link))),
    ...seconds.map((second) => keepAnomaly(anomalyOf(second))),
  ]
})

/** Decides payment by payment, each on the state that the one before left. */
function judge(attempts: readonly PaymentRow[], sessions: Map<string, LockedSession>, links: Map<string, LinkRow>) {
  const triggers: Trigger[] = []
  const freed = new Map<string, LockedSession>()
  const linksChanged = new Map<string, LinkRow>()
  const seconds: SecondSuccess[] = []
  for (const payment of attempts) {
    const key = keyOf(payment, payment.checkout_session_id!)
    const session = sessions.get(key)
    if (session === undefined) throw new Error('A payment is an attempt of a session that does not exist.')
    const effect = effectOf(session, { payment_id: payment.id, succeeded: payment.status === 'succeeded' })
    if (effect.second_success) seconds.push({ payment, paid_by: session.payment_id! })
    if (effect.paid_by !== null) {
      const { merchant_id, livemode, id: session_id, status } = session
      triggers.push({ merchant_id, livemode, session_id, status, trigger: 'attempt_succeeded', payment_id: payment.id })
      sessions.set(key, { ...session, status: 'paid', payment_id: payment.id, attempt_live: false })
      freed.delete(key)
    } else if (effect.freed) {
      const free = { ...session, attempt_live: false }
      sessions.set(key, free)
      freed.set(key, free)
    }
    const link = session.link_id === null ? undefined : links.get(keyOf(session, session.link_id))
    if (link === undefined || link.reusable || !(effect.freed || effect.paid_by !== null)) continue
    if (effect.paid_by !== null && link.status === 'paid') seconds.push({ payment, paid_by: link.id })
    const left = leaveLink(link, session.id, effect.paid_by !== null)
    links.set(keyOf(link, link.id), left)
    linksChanged.set(keyOf(link, link.id), left)
  }
  return { triggers, freed: [...freed.values()], linksChanged: [...linksChanged.values()], seconds }
}

/** A link that is paid once, after an attempt of one of its payers ended: free for the next, or paid. */
function leaveLink(link: LinkRow, session_id: string, paid: boolean): LinkRow {
  const taken_by = link.taken_by === session_id ? null : link.taken_by
  const moved = paid ? findTransition(linkTransitions, link.status, 'only_payment_succeeded') : null
  return { ...link, status: moved?.to ?? link.status, taken_by }
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
