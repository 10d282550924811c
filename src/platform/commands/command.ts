import type { CallFrom } from '../http/call.ts'
import type { Tx } from '../postgres/database.ts'
import type { Effect } from './effects.ts'

/** The answer to a call that is refused. A refused call changes nothing. */
export type Refusal<Code extends string> = {
  readonly kind: 'refused'
  readonly code: Code
  /** Replaces the code's usual sentence. */
  readonly message?: string
}

/** The answer to an accepted call. It is stored, and replayed when the same request comes again. */
export type Reply = { readonly status: number; readonly body: object }

/** The decision on one call. */
export type Decision<Code extends string> =
  | { readonly kind: 'accepted'; readonly reply: Reply; readonly effects: readonly Effect[] }
  | Refusal<Code>

/**
 * An operation that the engine executes for all waiting calls in one transaction. `load` locks and reads what the calls
 * need. `decide` decides the calls one by one. A call changes only rows of its caller's merchant and mode.
 */
export type Command<Call extends CallFrom, Loaded, Code extends string> = {
  readonly load: (tx: Tx, calls: readonly [Call, ...Call[]]) => Promise<Loaded>
  /**
   * Decides one call. Writes nothing, and uses neither the database nor the clock. It updates `loaded`, so that the
   * next call is decided on what this one left.
   * @param now the time of the transaction
   */
  readonly decide: (call: Call, loaded: Loaded, now: Date) => Decision<Code>
  /**
   * Whether `load` locks the merchant's transfer balance, of which there is only one. The engine then has one
   * transaction at a time in progress for a merchant. The other calls wait in this process, without a database
   * connection.
   */
  readonly exclusive?: boolean
  /**
   * Whether each call gets its own transaction, because it may be large. Its route limits how many are in progress
   * (`concurrency`), and must itself be exclusive when `load` locks a balance.
   */
  readonly alone?: boolean
  /**
   * Unique constraints that concurrent transactions may violate. The engine then rolls back, loads again and decides
   * again.
   */
  readonly conflicts?: readonly string[]
  /**
   * For calls that are nearly always accepted. The engine decides them without `load`, as if no key or reference were
   * in use, and sends everything to the database in one packet. A refusal, a key in use or one of `conflicts` makes it
   * start again with `load`.
   */
  readonly optimistic?: {
    /** Whether a call may be decided without `load`. If one call may not, its whole batch starts with `load`. */
    readonly when: (call: Call) => boolean
    readonly loaded: () => Loaded
  }
}

export function accepted(reply: Reply, effects: readonly Effect[]) {
  return { kind: 'accepted', reply, effects } as const
}

/** @param message replaces the code's usual sentence */
export function refused<Code extends string>(code: Code, message?: string): Refusal<Code> {
  return message === undefined ? { kind: 'refused', code } : { kind: 'refused', code, message }
}
