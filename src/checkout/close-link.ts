import { defineAct, isWithin, refuse, row } from '../acts/act.ts'
import { tenantOf } from '../values/caller.ts'
import { findTransition } from '../values/transition.ts'
import { linkTransitions } from './link-states.ts'
import * as linkStore from './link-store.ts'
import { transitionSession } from './move-session.ts'
import * as store from './store.ts'
import { setLink } from './take-attempts.ts'

/** The most open sessions that are closed with their link. Any other session is refused when somebody tries to pay it. */
const SESSIONS_MAX = 1_000

/**
 * Closes a link and the sessions that payers opened from it. A session with an attempt in progress stays open until the attempt ends,
 * because the payer's money may be moving; it takes no other attempt.
 */
export const closeLink = defineAct({
  name: 'link.close',
  summary: 'Close a link and the pages that payers opened from it; an attempt in progress continues to its end',
  title: ['Fermer ce lien ?', 'Close this link?'],
  right: 'links.manage',
  fresh: false,
  on: row('lnk', 'payment link'),
  fields: {},
  async load(tx, { id, within }) {
    const key = await linkStore.findLink(tx, id)
    if (key === null || !isWithin(key, within)) return null
    // Lock sessions before their link, as everywhere. In the other order this transaction and an attempt could wait for each other.
    const sessions = await store.lockOpenSessionsOf(tx, key, SESSIONS_MAX)
    const [link] = await linkStore.lockLinks(tx, [key])
    return { about: tenantOf(key), key, sessions, link: link! }
  },
  facts: {},
  content: () => ({}),
  decide({ id }, { key, sessions, link }, now) {
    const transition = findTransition(linkTransitions, link.status, 'closed_by_merchant')
    if (transition === null) return refuse('already_ended')
    const closed = sessions.flatMap(
      (session) => transitionSession(session, { trigger: 'closed_by_merchant' }, now) ?? [],
    )
    const sessions_closed = closed.length
    const set = setLink({ ...key, status: transition.to, taken_by: link.taken_by })
    return {
      kind: 'accepted',
      effects: [set, ...closed.flatMap(({ effects }) => effects)],
      result: { link_id: id, sessions_closed },
      before: { status: link.status },
      after: { status: transition.to, sessions_closed },
    }
  },
  unknown: 'There is no link {id}.',
  refusals: {
    already_ended: {
      words: ['Ce lien est déjà payé ou fermé.', 'This link is paid or closed already.'],
      command: '{id} is already paid or closed.',
    },
  },
})
