import { createHmac } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { FactorDeps } from '../people/factors/factor-deps.ts'
import type { Session } from '../people/sessions/session.ts'
import type { OpenVisit } from '../people/visits/visit.ts'
import type { Clock } from '../platform/clock.ts'
import type { Turns } from '../platform/http/turns.ts'
import type { Log } from '../platform/log.ts'
import type { Sql } from '../platform/postgres/database.ts'
import type { Screen, ScreenDoor, ScreenRequest } from './screen.ts'

/** The ground of every screen. */
export type ConsoleFrame = {
  readonly brand: string
  /** Scheme, host and port under which people find a door. */
  readonly originOf: (door: ScreenDoor) => string
  readonly sql: Sql
  readonly clock: Clock
  /** @param seen false: a page looks by itself how its work goes, which does not make the session last longer */
  readonly readSession: (token: string, seen?: boolean) => Promise<Session | null>
  /** The visit of a person of the team at a merchant that goes on; null: there is none. */
  readonly readVisit: (person: string, merchant_id: number) => Promise<OpenVisit | null>
  /** Pages of one merchant, or of the team, are written few at a time: those who read much keep neither other readers nor payments waiting. */
  readonly turns: Turns
  /** How factors are proven at a door: passkeys are bound to its host. */
  readonly factorsAt: (door: ScreenDoor) => FactorDeps
  /** The counts beside places of the menu, by name. */
  readonly counts: (request: ScreenRequest<ScreenDoor>) => Promise<Readonly<Record<string, number>>>
  /** A key derived from SECRET_KEY: what it signs came from this service. */
  readonly nonce_key: Buffer
  /** Seals the forms that wait for a sign-in. */
  readonly kept_key: Buffer
  readonly log: Log
  /** Whether this service sends mail. */
  readonly mail: boolean
  /** All screens, for the menu. */
  readonly screens: readonly Screen[]
}

/** A request as the server hands it over. */
export type Asked = {
  readonly params: Readonly<Record<string, string>>
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly address: string
  readonly request_id: string
  /** Whether the browser still waits for the answer. */
  readonly isWanted: () => boolean
  /** Null: a file that is too large for its screen. */
  readonly body: Buffer | null | undefined
}

/** An address of the desk in a mode, which may be on another host than the console. */
export function deskAddress({ originOf }: Pick<ConsoleFrame, 'originOf'>, livemode: boolean, path: string): string {
  const host = originOf('desk') === originOf('console') ? '' : originOf('desk')
  return `${host}/desk/${livemode ? 'live' : 'test'}${path}`
}

/** One nonce for a session: a page of another site cannot know it. */
export function nonceFor(nonce_key: Buffer, token: string): string {
  return createHmac('sha256', nonce_key).update(token).digest().subarray(0, 18).toString('base64url')
}
