/**
 * Through which door an act came: the console or the desk, a command of somebody who signed in, a command on the host under a name that
 * nobody proved, or the service itself.
 */
export type Door = 'console' | 'command_line' | 'break_glass' | 'system'

/**
 * The author of an act, for the act itself and its line in the audit log.
 */
export type Actor = {
  /** A person as `normalizePerson` writes them, or `system` for what the service does by itself. */
  readonly person: string
  readonly door: Door
  /** The client's address, for an act over HTTP; null on the host itself. */
  readonly from: string | null
  /** The proof that the person agreed to this very act with a fresh factor; null: none was asked for. */
  readonly step_up_id: string | null
}

/** The actor of what the service does by itself, such as making its demo. */
export const SYSTEM: Actor = { person: 'system', door: 'system', from: null, step_up_id: null }

/** The actor of what comes with time, such as the end of what nobody decided. */
export const SCHEDULE: Actor = { person: 'schedule', door: 'system', from: null, step_up_id: null }

/**
 * Whether an act came from the host itself, where a person is only as true as the operating system says: such a command needs no second
 * person for the roles it grants, and the audit log shows its door.
 */
export function isBreakGlass({ door }: Actor): boolean {
  return door === 'break_glass' || door === 'system'
}
