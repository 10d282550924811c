import { performAct } from '../../src/acts/perform.ts'
import * as links from '../../src/checkout/close-link.ts'
import * as sessions from '../../src/checkout/close-session.ts'
import { createClock } from '../../src/platform/clock.ts'
import type { Sql } from '../../src/platform/postgres/database.ts'
import { SYSTEM } from '../../src/values/actor.ts'

/** Closes a payment link, as a command on the host does. */
export function closeLink(sql: Sql, id: string) {
  return performAct(links.closeLink, { sql, clock: createClock() }, { by: SYSTEM, values: {}, within: {}, id }, null)
}

/** Closes a checkout session, as a command on the host does. */
export function closeSession(sql: Sql, id: string) {
  return performAct(
    sessions.closeSession,
    { sql, clock: createClock() },
    { by: SYSTEM, values: {}, within: {}, id },
    null,
  )
}
