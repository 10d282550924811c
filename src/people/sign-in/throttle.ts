import { hash } from 'node:crypto'
import { sha256 } from '../../platform/digest.ts'
import { limitedAddress } from '../../platform/limits/limited-address.ts'
import type { FactorDeps } from '../factors/factor-deps.ts'
import { countPassword, uncountPassword } from './wrong-password-store.ts'

/** Passwords in a minute: of one place for one e-mail address, and for one e-mail address from everywhere that its person is not known. */
const MINUTE_OF_PLACE = 10
const MINUTE_OF_STRANGERS = 20
/** Wrong passwords for one e-mail address: from one place that its person is known by, or from all others together. */
const WRONG_MAX = { hour: 30, day: 100 }

type Deps = Pick<FactorDeps, 'limits' | 'sign_ins_per_address'>

/** Counts an attempt from an address. False when there were too many in this minute. */
export async function mayTryFrom({ limits, sign_ins_per_address }: Deps, address: string): Promise<boolean> {
  return (await limits.hit('sign_in', limitedAddress(address), sign_ins_per_address)).passed
}

/**
 * An attempt with a password for an e-mail address. `known`: the browser, network or session that the person is known by. Null: an unknown
 * place; all unknown places share one count, so that strangers block one another and never the person.
 */
export type PasswordTry = { email: string; address: string; known: string | null }

/** Counts a password before it is checked. False when there were too many in this minute, hour or day: it must not be checked. */
export async function mayTryPassword(
  { limits, sql }: Pick<FactorDeps, 'limits' | 'sql'>,
  { email, address, known }: PasswordTry,
): Promise<boolean> {
  const of = hidden(email)
  const inMinute = (id: string, cap: number) => limits.hit('sign_in_email', id, cap)
  if (!(await inMinute(`${known ?? limitedAddress(address)} ${of}`, MINUTE_OF_PLACE)).passed) return false
  if (known === null && !(await inMinute(of, MINUTE_OF_STRANGERS)).passed) return false
  return countPassword(sql, laneOf(email, known), WRONG_MAX)
}

/** Undoes the counts of `mayTryPassword` for the hour and the day, for a password that was correct or not checked. */
export async function takeBackTry({ sql }: Pick<FactorDeps, 'sql'>, { email, known }: PasswordTry): Promise<void> {
  await uncountPassword(sql, laneOf(email, known))
}

function laneOf(email: string, known: string | null) {
  return { email_hash: sha256(email), place: known ?? '' }
}

/** Whether an address can present an invitation. False after too many guesses in this minute. */
export async function mayPresent({ limits, sign_ins_per_address }: Deps, address: string): Promise<boolean> {
  return (await limits.look('invitation_guess', limitedAddress(address), sign_ins_per_address)).remaining > 0
}

/** Counts a guess: an invitation that does not exist. */
export async function countGuess({ limits, sign_ins_per_address }: Deps, address: string): Promise<void> {
  await limits.hit('invitation_guess', limitedAddress(address), sign_ins_per_address)
}

/** Hashes an e-mail address for the counts, which may be kept in Redis. */
function hidden(email: string): string {
  return hash('sha256', email, 'base64url')
}
