import { accepted, type Command } from '../platform/commands/command.ts'
import { defineEffect } from '../platform/commands/effects.ts'
import type { CallFrom } from '../platform/http/call.ts'
import type { Tenant } from '../values/caller.ts'
import * as store from './store.ts'

/** Writes a session that nobody has written before, and the lookup through which its token finds it. */
export const insertSession = defineEffect('new row', store.insertSessions)

/** Writes sessions whose ids come from a form. One that is there already is left as it is: it came from the same form. */
export const insertSessionOnce: Command<CallFrom<Tenant, null> & { session: store.NewSession }, Set<string>, never> = {
  conflicts: ['checkout_sessions_pkey'],
  optimistic: { when: () => true, loaded: () => new Set() },
  async load(tx, calls) {
    const sessions = calls.map(({ session }) => session)
    return new Set(await store.findSessions(tx, sessions))
  },
  decide({ session }, known) {
    const effects = known.has(session.id) ? [] : [insertSession(session)]
    known.add(session.id)
    return accepted({ status: 201, body: {} }, effects)
  },
}
