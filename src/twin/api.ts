import type { Callbacks, Sender } from './callbacks.ts'
import type { Operations } from './operations.ts'
import type { Phones } from './phones.ts'
import type { ApiState, Operation } from './state.ts'
import type { Time } from './time.ts'
import type { TwinAnswer, TwinRequest } from './wire.ts'

/** The parts of the twin's core that an API uses. */
export type ApiContext = {
  /** The API's settings and memory, stored with the state; both are plain JSON. */
  own: ApiState
  time: Time
  phones: Phones
  operations: Operations
  callbacks: Callbacks
  /** `http://127.0.0.1:4010`, without a path. */
  url: () => string
}

/** A running API. */
export type RunningApi = {
  /** Answers a call. Lets `FaultInstead` pass through. */
  handle(request: TwinRequest): Promise<TwinAnswer>
  /** The API's answer for a failure, 500, or when it is busy, 503 and 429. */
  failure(status: number): TwinAnswer
  /** Called when an operation of the API has a new state, or a fault claims one. Sends the callback. */
  changed(operation: Operation): void
  /** Called after a change of its settings by the steering. */
  settingsChanged?(): void
  sender: Sender
  /** The settings with which a connector of the service reaches this API. */
  connector(): { type: string; settings: Record<string, string> }
  /** Further acts of the steering, under `POST /_twin/apis/<name>/<act>`. */
  acts?: Record<string, (body: Record<string, unknown>) => object>
}

/**
 * The words that a setting may have, or each part of one that has parts. A setting that is not named takes any value of its type.
 * @template Settings of an API
 */
export type Choices<Settings> = {
  readonly [Name in keyof Settings]?: readonly (Settings[Name] extends string
    ? Settings[Name]
    : Extract<Settings[Name][keyof Settings[Name]], string>)[]
}

/** The API of an operator or an aggregator: translates between its requests and the core. */
export type TwinApi = {
  /** The first segment of its paths. */
  name: string
  /** The initial settings. */
  settings: Record<string, unknown>
  choices: Readonly<Record<string, readonly string[] | undefined>>
  /** The faults that only this API has, by name, with their effect. They apply to callbacks, unless a rule sets `on`. */
  faults: Record<string, string>
  open(context: ApiContext): RunningApi
}
