import type { Tenant } from '../../values/caller.ts'

/** The claim that a request makes with its `Idempotency-Key`. */
export type Idempotency = {
  readonly key: string
  /** SHA-256 of the operation and the canonical body. Two requests with the same fingerprint are the same request. */
  readonly fingerprint: Buffer
}

/** The origin of a call of an operation. A route passes it on; each operation adds what it is asked to do. */
export type CallFrom<Who = Tenant, Key extends Idempotency | null = Idempotency | null> = {
  readonly caller: Who
  /** Lets a repeated call get the first answer. Null when the call has no key. */
  readonly idempotency: Key
  /** Whether the caller still waits for the answer; absent: always. A call that nobody waits for is not begun. */
  readonly isWanted?: () => boolean
}
