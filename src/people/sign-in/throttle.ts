import { hash } from 'node:crypto'
import { limitedAddress } from '../../platform/limits/limited-address.ts'
import type { FactorDeps } from '../factors/factor-deps.ts'

/** Tries in a minute: of one address for one e-mail address, and for one e-mail address from everywhere that is new to its person. */
const TRIES_OF_BOTH = 10
const TRIES_OF_STRANGERS = 20

type Deps = Pick<FactorDeps, 'limits' | 'sign_ins_per_address'>

/** Counts a try from an address. False: too many in this minute. */
export async function mayTryFrom({ limits, sign_ins_per_address }: Deps, address: string): Promise<boolean> {
  return (await limits.hit('sign_in', limitedAddress(address), sign_ins_per_address)).passed
}

/** Counts a try for an e-mail address from an address. False: too many in this minute. */
export async function mayTryPassword({ limits }: Deps, address: string, email: string): Promise<boolean> {
  return (await limits.hit('sign_in_email', `${limitedAddress(address)} ${hidden(email)}`, TRIES_OF_BOTH)).passed
}

/**
 * Counts a try for an e-mail address from an address at which its person has not been seen. It slows many strangers who guess together,
 * and not the person at their own place.
 */
export async function mayStrangerTry({ limits }: Deps, email: string): Promise<boolean> {
  return (await limits.hit('sign_in_email', hidden(email), TRIES_OF_STRANGERS)).passed
}

/** Whether an address may present an invitation: not after it has guessed too often in this minute. */
export async function mayPresent({ limits, sign_ins_per_address }: Deps, address: string): Promise<boolean> {
  return (await limits.look('invitation_guess', limitedAddress(address), sign_ins_per_address)).remaining > 0
}

/** Counts an invitation that does not exist. */
export async function countGuess({ limits, sign_ins_per_address }: Deps, address: string): Promise<void> {
  await limits.hit('invitation_guess', limitedAddress(address), sign_ins_per_address)
}

/** Counts may be kept in a Redis, where no e-mail address is to stand. */
function hidden(email: string): string {
  return hash('sha256', email, 'base64url')
}
