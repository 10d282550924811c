import * as links from '../../src/checkout/close-link.ts'
import * as sessions from '../../src/checkout/close-session.ts'
import { createClock } from '../../src/platform/clock.ts'
import type { Sql } from '../../src/platform/postgres/database.ts'
import { perform } from './perform.ts'

/** Closes a payment link. */
export const closeLink = (sql: Sql, id: string) => perform(links.closeLink, { sql, clock: createClock() }, { id })

/** Closes a checkout session. */
export const closeSession = (sql: Sql, id: string) =>
  perform(sessions.closeSession, { sql, clock: createClock() }, { id })
