/**
 * The door of an act: the console or the desk, a command of a signed-in person, a command on the host under an unproven name
 * (break-glass), or the service itself.
 */
export type Door = 'console' | 'command_line' | 'break_glass' | 'system'

/**
 * The author of an act, for the operation and its line in the audit log.
 */
export type Actor = {
  /** A person in the form of `normalizePerson`, or `system` for the service itself. */
  readonly person: string
  readonly door: Door
  /** The client's IP address, for an act over HTTP. Null on the host itself. */
  readonly from: string | null
  /** The proof that the person confirmed exactly this act with a fresh factor. Null: none was required. */
  readonly step_up_id: string | null
}

/** The prefix of a user of the machine, under whose name a command acts without a sign-in and without `--as`. */
export const HOST_USER = 'host:'

/** The actor of acts by the service itself, such as making its demo. */
export const SYSTEM: Actor = { person: 'system', door: 'system', from: null, step_up_id: null }

/** The actor of acts that time causes, such as the expiry of a request. */
export const SCHEDULE: Actor = { person: 'schedule', door: 'system', from: null, step_up_id: null }

/**
 * Whether an act came from the host itself, where only the operating system vouches for the person. Roles that such a command grants need no
 * second person, and the audit log shows its door.
 */
export function isBreakGlass({ door }: Actor): boolean {
  return door === 'break_glass' || door === 'system'
}
