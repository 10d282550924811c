import { accepted, type Command } from '../platform/commands/command.ts'
import { defineEffect } from '../platform/commands/effects.ts'
import * as store from './store.ts'

/** Writes a session that nobody has written before, and the lookup through which its token finds it. */
export const insertSession = defineEffect('new row', store.insertSessions)

/** Writes sessions whose ids come from a form. One that is there already is left as it is: it came from the same form. */
export const insertSessionOnce: Command<store.NewSession, Set<string>, never> = {
  tenant: (session) => session,
  idempotency: () => null,
  conflicts: ['checkout_sessions_pkey'],
  optimistic: { when: () => true, loaded: () => new Set() },
  load: async (tx, sessions) => new Set(await store.findSessions(tx, sessions)),
  decide(session, known) {
    const effects = known.has(session.id) ? [] : [insertSession(session)]
    known.add(session.id)
    return accepted({ status: 201, body: {} }, effects)
  },
}
