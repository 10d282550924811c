import type { OperatorCode } from '../values/operators.ts'
import type { Fault, Outcome, Script } from './rules.ts'

export const directions = ['collection', 'payout', 'refund'] as const
export type Direction = (typeof directions)[number]

/**
 * - `received`: accepted, nothing has happened yet.
 * - `queued`: held until the operator recovers.
 * - `asking`: the payer's phone shows the request.
 * - `in_doubt`: the contract itself does not know the outcome.
 * - `succeeded`, `failed`: the end.
 */
export type OperationState = 'received' | 'queued' | 'asking' | 'in_doubt' | 'succeeded' | 'failed'

/** An order to a contract: a collection, a payout or a refund. Times in milliseconds of the twin's clock. */
export type Operation = {
  /** The name of its API, such as `pawapay`. */
  api: string
  /** The API's own word, such as `deposit`. Within it a reference is unique. */
  kind: string
  reference: string
  direction: Direction
  operator: OperatorCode
  /** Francs. */
  amount: number
  /** Francs of the operator's fee: less comes into the wallet, or more goes out. */
  fee: number
  /** `+225…`; null until a payer is known. */
  msisdn: string | null
  /** The name that the payer reads. */
  payee: string
  /** The contract's wallet that the operation credits or debits. */
  wallet: string
  state: OperationState
  /** The cause of the failure: our `failure_code` or the operator's own word. Null unless `failed`. */
  reason: string | null
  created_at: number
  changed_at: number
  /** The time when money moved. Null before. */
  executed_at: number | null
  /** The operator's own number of the transaction. */
  transaction: string
  outcome: Outcome
  /** The time until which the payer's phone shows the request. Null when it never showed it. */
  asked_until: number | null
  /** Wrong codes typed so far. */
  wrong_codes: number
  /** Fields that only its API understands. */
  detail: Record<string, unknown>
}

/** One movement of money, written when it moves and never changed. An operation has one at most. */
export type Execution = {
  at: number
  api: string
  kind: string
  reference: string
  direction: Direction
  operator: OperatorCode
  /** Francs. */
  amount: number
  fee: number
  msisdn: string | null
  /** Francs that the contract's wallet holds after it. */
  wallet_after: number
}

/** A line that a phone shows after an event. */
export type Message = {
  at: number
  operator: OperatorCode
  about: 'paid' | 'received' | 'refunded' | 'declined' | 'lapsed' | 'refused'
  amount: number
  payee: string
  /** Francs in the account afterwards. */
  balance: number
}

export type Phone = {
  msisdn: string
  holder: string
  /** Four digits; typed to approve. */
  pin: string
  /** Francs per operator. An account is opened when it is first needed. */
  accounts: Partial<Record<OperatorCode, number>>
  /** Newest first, ten at most. */
  messages: Message[]
  /** The code for one payment that its holder has asked for. `until`: milliseconds of the twin's clock. */
  code: { operator: OperatorCode; digits: string; until: number } | null
}

/** A task for a time of the twin's clock. `name` finds its handler. */
export type Task = { at: number; name: string; data: Record<string, unknown> }

/** A message to the merchant's service, with its outcome. */
export type Callback = {
  id: number
  api: string
  kind: string
  reference: string
  method: 'POST' | 'PUT' | 'GET'
  url: string
  body: string
  headers: Record<string, string>
  /** Names of the faults that its API builds into it while it signs. */
  faults: string[]
  attempts: { at: number; status: number | null }[]
  state: 'waiting' | 'held' | 'delivered' | 'given_up'
}

/** An API's settings, which `/_twin/` shows and changes, and its own memory. */
export type ApiState = { settings: Record<string, unknown>; memory: Record<string, unknown> }

/** Everything the twin knows, as plain JSON. */
export type TwinState = {
  /** Milliseconds by which the twin's clock is ahead of the machine's. */
  ahead_ms: number
  last_id: number
  phones: Record<string, Phone>
  /** Francs by wallet. */
  wallets: Record<string, number>
  operations: Record<string, Operation>
  journal: Execution[]
  scripts: Script[]
  faults: Fault[]
  tasks: Task[]
  /** The newest are last; those that ended long ago are dropped. */
  callbacks: Callback[]
  apis: Record<string, ApiState>
}

export function emptyState(): TwinState {
  return {
    ahead_ms: 0,
    last_id: 0,
    phones: {},
    wallets: {},
    operations: {},
    journal: [],
    scripts: [],
    faults: [],
    tasks: [],
    callbacks: [],
    apis: {},
  }
}

/** The key of an operation in `operations`. */
export function keyOf({ api, kind, reference }: { api: string; kind: string; reference: string }): string {
  return `${api}/${kind}/${reference}`
}

export function hasEnded({ state }: Operation): boolean {
  return state === 'succeeded' || state === 'failed'
}

/** A copy of the operation with the opposite end: failed if it succeeded, otherwise succeeded. */
export function withOppositeEnd(operation: Operation, reason = 'operator_refused'): Operation {
  return operation.state === 'succeeded'
    ? { ...operation, state: 'failed', reason }
    : { ...operation, state: 'succeeded', reason: null }
}

/** The next number, for callbacks, rules and transactions. */
export function nextId(state: TwinState): number {
  state.last_id += 1
  return state.last_id
}
