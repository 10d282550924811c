import { createHmac } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { FactorDeps } from '../people/factors/factor-deps.ts'
import type { PushDevices } from '../people/push/devices.ts'
import type { Session } from '../people/sessions/session.ts'
import type { OpenVisit } from '../people/visits/visit.ts'
import type { Clock } from '../platform/clock.ts'
import type { Turn, Turns } from '../platform/http/turns.ts'
import type { Log } from '../platform/log.ts'
import type { Sql } from '../platform/postgres/database.ts'
import type { Screen, ScreenDoor, ScreenRequest } from './screen.ts'

/** The common dependencies of all screens. */
export type ConsoleFrame = {
  readonly brand: string
  /** Returns the scheme, host and port of a door. */
  readonly originOf: (door: ScreenDoor) => string
  readonly sql: Sql
  readonly clock: Clock
  /** Reads a session. @param seen false when a page refreshes by itself, which does not extend the session */
  readonly readSession: (token: string, seen?: boolean) => Promise<Session | null>
  /** Reads the current visit of a staff member at a merchant. Null when there is none. */
  readonly readVisit: (person: string, merchant_id: number) => Promise<OpenVisit | null>
  /** Limits the simultaneous pages of one merchant, or of the staff, so that heavy readers delay neither other readers nor payments. */
  readonly turns: Turns
  /** Returns the dependencies of factors at a door, because passkeys are bound to its host. */
  readonly factorsAt: (door: ScreenDoor) => FactorDeps
  /** Reads the counts in the menu, by name. */
  readonly counts: (request: ScreenRequest<ScreenDoor>) => Promise<Readonly<Record<string, number>>>
  /** A key derived from SECRET_KEY. It signs the nonces of this service. */
  readonly nonce_key: Buffer
  /** The key that encrypts forms that wait for a sign-in. */
  readonly kept_key: Buffer
  readonly log: Log
  /** Whether this service sends mail. */
  readonly mail: boolean
  /** Days after which a proposal lapses that nobody decided. */
  readonly proposal_days: number
  /** The devices to which people get notices. */
  readonly push: PushDevices
  /** All screens, for the menu. */
  readonly screens: readonly Screen[]
}

/** A request as the server passes it. */
export type Asked = {
  readonly params: Readonly<Record<string, string>>
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly address: string
  readonly request_id: string
  /** Whether the browser still waits for the answer. */
  readonly isWanted: () => boolean
  /** Its turn of the session, invitation or address that it is about. */
  readonly turn: Turn
  /** Null when a file is too large for its screen. */
  readonly body: Buffer | null | undefined
}

/** Returns an address of the desk in a mode. The desk may be on another host than the console. */
export function deskAddress({ originOf }: Pick<ConsoleFrame, 'originOf'>, livemode: boolean, path: string): string {
  const host = originOf('desk') === originOf('console') ? '' : originOf('desk')
  return `${host}/desk/${livemode ? 'live' : 'test'}${path}`
}

/** Returns the nonce of a session, which a page of another site cannot know. */
export function nonceFor(nonce_key: Buffer, token: string): string {
  return createHmac('sha256', nonce_key).update(token).digest().subarray(0, 18).toString('base64url')
}
