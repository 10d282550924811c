import { defineAct, isWithin, refuse, row } from '../acts/act.ts'
import { tenantOf } from '../values/caller.ts'
import { transitionSession } from './move-session.ts'
import * as store from './store.ts'

/** Closes an open session, so that nobody can pay it. One with an attempt in progress waits for its end: the payer's money may be moving. */
export const closeSession = defineAct({
  name: 'checkout_session.close',
  summary: 'Close the page of a checkout session that nobody is paying',
  title: ['Fermer cette page de paiement ?', 'Close this checkout page?'],
  right: 'links.close',
  fresh: false,
  on: row('cs', 'checkout session'),
  fields: {},
  async load(tx, { id, within }) {
    const key = await store.findSession(tx, id)
    if (key === null || !isWithin(key, within)) return null
    const [session] = await store.lockSessions(tx, [key])
    return { about: tenantOf(key), session: session! }
  },
  facts: {},
  content: () => ({}),
  decide({ id }, { session }, now) {
    if (session.attempt_live) return refuse('attempt_under_way')
    const closed = transitionSession(session, { trigger: 'closed_by_merchant' }, now)
    if (closed === null) return refuse('already_ended')
    const change = { before: { status: session.status }, after: { status: 'closed' } }
    return { kind: 'accepted', effects: closed.effects, result: { session_id: id }, ...change }
  },
  unknown: 'There is no such session.',
  refusals: {
    already_ended: {
      words: ['Cette page est déjà payée, fermée ou passée.', 'This session is paid, closed or expired already.'],
    },
    attempt_under_way: {
      words: [
        'Un payeur est en train de payer. Réessayez quand son essai est fini.',
        'A payer is paying this session. Try again when that attempt has ended.',
      ],
    },
  },
})
