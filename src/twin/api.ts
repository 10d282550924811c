import type { Callbacks, Sender } from './callbacks.ts'
import type { Operations } from './operations.ts'
import type { Phones } from './phones.ts'
import type { ApiState, Operation } from './state.ts'
import type { Time } from './time.ts'
import type { TwinAnswer, TwinRequest } from './wire.ts'

/** The core, as an API sees it. */
export type ApiContext = {
  /** Its settings and memory, kept with the state; both are plain JSON. */
  own: ApiState
  time: Time
  phones: Phones
  operations: Operations
  callbacks: Callbacks
  /** `http://127.0.0.1:4010`, without a path. */
  url: () => string
}

/** An API that runs. */
export type RunningApi = {
  /** Answers a call. Lets `FaultInstead` pass through. */
  handle(request: TwinRequest): Promise<TwinAnswer>
  /** How it words that it failed, 500, or that it is busy, 503 and 429. */
  failure(status: number): TwinAnswer
  /** An operation of it has a new state, or is claimed to have one: the place to send a callback. */
  changed(operation: Operation): void
  /** Its settings were changed from outside. */
  settingsChanged?(): void
  sender: Sender
  /** The settings of a connector of the merchant's service that reaches it. */
  connector(): { type: string; settings: Record<string, string> }
  /** More steering, under `POST /_twin/apis/<name>/<act>`. */
  acts?: Record<string, (body: Record<string, unknown>) => object>
}

/** An operator's API, or an aggregator's: a translation between its wire and the core. */
export type TwinApi = {
  /** The first part of its paths. */
  name: string
  /** Settings before anybody changes them. */
  settings: Record<string, unknown>
  /** Names of the faults that only it has, with what they do. All are of callbacks unless a rule says otherwise with `on`. */
  faults: Record<string, string>
  open(context: ApiContext): RunningApi
}
