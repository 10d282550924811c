import type { Clock } from '../../platform/clock.ts'
import { derivedKey } from '../../platform/config.ts'
import type { Turn } from '../../platform/http/turns.ts'
import type { Limits } from '../../platform/limits/windows.ts'
import type { Log } from '../../platform/log.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import type { Secret } from '../../values/secret.ts'
import type { Site } from './passkey.ts'

/** The dependencies of checking a factor. */
export type FactorDeps = {
  sql: Sql
  clock: Clock
  limits: Limits
  log: Log
  /** Seals the secrets of phones (`factorKey`). */
  key: Buffer
  /** The site of the browser, to which its passkeys are bound. */
  site: Site
  /** The most wrong passwords from one address in a minute, without those from known browsers. */
  sign_ins_per_address: number
  /** Whether the service sends mails, so that the first factors of an account prove its address. Absent: no. */
  mails?: boolean
  /** The turn of the request before the database. Absent: it took none. */
  turn?: Pick<Turn, 'without'>
}

/** Does work that needs no database, such as a hash, while others use the turn of this request. */
export function withoutTurn<Result>({ turn }: Pick<FactorDeps, 'turn'>, work: () => Promise<Result>): Promise<Result> {
  return turn === undefined ? work() : turn.without(work)
}

/** The key under which the secrets of phones are sealed. */
export function factorKey(secretKey: Secret): Buffer {
  return derivedKey(secretKey, 'second factors of people')
}
