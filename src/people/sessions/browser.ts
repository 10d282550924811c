import type { SessionDoor } from './session.ts'

/** The browser at the other end, as a session and the audit log keep it. */
export type Browser = {
  /** Absent: the console or the desk. */
  door?: SessionDoor
  address: string
  user_agent: string
  /** The token that the browser keeps after a sign-out, so that we recognise it. Null: it has none. */
  mark?: string | null
  /** The token of the session that is still open in the browser, of any person. Null: none is. */
  former?: string | null
}
