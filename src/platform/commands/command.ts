import type { Tenant } from '../../values/caller.ts'
import type { Idempotency } from '../http/route.ts'
import type { Tx } from '../postgres/database.ts'
import type { Effect } from './effects.ts'

/** A call that is not carried out. It changes nothing. */
export type Refusal<Code extends string> = {
  readonly kind: 'refused'
  readonly code: Code
  /** Instead of the code's usual sentence. */
  readonly message?: string
}

/** The answer to a call that is carried out. It is kept, and replayed when the same request comes again. */
export type Reply = { readonly status: number; readonly body: object }

/** The decision on one call. */
export type Decision<Code extends string> =
  | { readonly kind: 'accepted'; readonly reply: Reply; readonly effects: readonly Effect[] }
  | Refusal<Code>

/**
 * An operation, as the engine carries it out for all calls that wait, in one transaction. `load` locks and reads what these calls
 * are decided on. `decide` decides one call after the other.
 */
export type Command<Call, Loaded, Code extends string> = {
  /** The owner of the rows that the call changes. Merchants take turns by it, in each mode. */
  readonly tenant: (call: Call) => Tenant
  /** The claim by which a repeated request is answered as the first was; null: this call makes none. */
  readonly idempotency: (call: Call) => Idempotency | null
  readonly load: (tx: Tx, calls: readonly [Call, ...Call[]]) => Promise<Loaded>
  /**
   * Writes nothing, and asks neither the database nor the clock. It moves `loaded` on, so that the next call is decided on what this
   * one left.
   * @param now the moment of the transaction
   */
  readonly decide: (call: Call, loaded: Loaded, now: Date) => Decision<Code>
  /**
   * Whether `load` locks what the merchant has only one of: its transfer balance. Calls of one merchant are then under way in one
   * transaction at a time. They wait for their turn in this process, without a connection.
   */
  readonly exclusive?: boolean
  /**
   * Whether each call has a transaction of its own, because it may be a large one. Its route lets few of them be under way
   * (`concurrency`), and is exclusive itself where `load` locks a balance.
   */
  readonly alone?: boolean
  /** Unique constraints that two transactions may violate together. The engine then rolls back, loads again and decides again. */
  readonly conflicts?: readonly string[]
  /**
   * For calls that are nearly always accepted: without `load`, they are decided on a state in which nothing is taken, and all of
   * it is one packet to the database. A refusal, a taken key or one of `conflicts` makes the engine begin anew with `load`.
   */
  readonly optimistic?: {
    /** Whether a call may be decided so. One that may not has the whole batch begin with `load`. */
    readonly when: (call: Call) => boolean
    readonly loaded: () => Loaded
  }
}

export function accepted(reply: Reply, effects: readonly Effect[]) {
  return { kind: 'accepted', reply, effects } as const
}

/** @param message instead of the code's usual sentence */
export function refused<Code extends string>(code: Code, message?: string): Refusal<Code> {
  return message === undefined ? { kind: 'refused', code } : { kind: 'refused', code, message }
}
