/** The messages to and from the process of the attacker (storm.ts). */

/** Bodies, which the attacker writes itself: none is handed from process to process. */
export type Body =
  /** A batch of 500 lines, of other numbers for each request. */
  | { kind: 'batch' }
  /** So many bytes full of `-0`, in a payment or in a batch. */
  | { kind: 'minus zeros'; bytes: number; of: 'payment' | 'batch' }
  /** So many bytes of JSON, sent in chunks of one byte each. */
  | { kind: 'bytes one by one'; bytes: number }
  /** The fields of a form, as a browser of our own page sends them. */
  | { kind: 'form'; text: string; cookie: string }

/** Requests of one kind, each over a connection of its own. */
export type Shots = {
  times: number
  method: 'GET' | 'POST'
  path: string
  key: string | null
  body?: Body
}

export type StormOrder = { /** Of the service. */ address: string; shots: Shots[] }

/** The order first; then `go`, and milliseconds after which it is over, answered or not. */
export type StormMessage = { order: StormOrder } | { go_within_ms: number }

export type StormReport = {
  /** Answers by status. `lost`: the connection ended without one; `unanswered`: none came in time. */
  statuses: Record<string, number>
  /** From the first byte to the last answer. */
  seconds: number
}
