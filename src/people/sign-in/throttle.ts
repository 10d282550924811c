import { hash } from 'node:crypto'
import { sha256 } from '../../platform/digest.ts'
import { limitedAddress } from '../../platform/limits/limited-address.ts'
import type { FactorDeps } from '../factors/factor-deps.ts'
import { countPassword, uncountPassword } from './wrong-password-store.ts'

/** The most passwords in a minute for one e-mail address: from one known place, and from all unknown places together. */
const MINUTE_OF_PLACE = 10
const MINUTE_OF_STRANGERS = 20
/** The most wrong passwords for one e-mail address: from one known place, and from all unknown places together. */
const WRONG_MAX = { hour: 30, day: 100 }

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

/**
 * Counts a password for its network before it is checked, so that nobody tries one password on many people. A mobile operator puts
 * thousands of people behind one address. So a correct password is removed from the count, and one from a browser in which the person is
 * known is not counted, because it has a count of its own. A network in which the person is known is counted, because attackers may share
 * it.
 * @returns the function that removes the count of a password that was correct or not checked; null: too many wrong ones in this minute
 */
export async function takeTryOfNetwork(
  { limits, sign_ins_per_address }: Pick<FactorDeps, 'limits' | 'sign_ins_per_address'>,
  { address, known }: PasswordTry,
): Promise<(() => Promise<void>) | null> {
  if (known?.startsWith('browser ')) return async () => {}
  return limits.take('sign_in', limitedAddress(address), sign_ins_per_address)
}

function laneOf(email: string, known: string | null) {
  return { email_hash: sha256(email), place: known ?? '' }
}

/** Hashes an e-mail address for the counts, which may be kept in Redis. */
function hidden(email: string): string {
  return hash('sha256', email, 'base64url')
}
