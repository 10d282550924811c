import type { SessionDoor } from './session.ts'

/** The browser at the other end, as a session and the audit log keep it. */
export type Browser = {
  /** Absent: the console or the desk. */
  door?: SessionDoor
  address: string
  user_agent: string
  /** The token that it keeps over its sign-outs, by which it is known again; null: it keeps none. */
  mark?: string | null
  /** The token of the session that it still has, whoever's; null: none. */
  former?: string | null
}
