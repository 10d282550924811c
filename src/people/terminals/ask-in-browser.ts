import { Secret } from '../../values/secret.ts'
import type { FactorDeps } from '../factors/factor-deps.ts'
import { openAttempt } from '../sign-in/open-attempt.ts'
import { mayTryFrom } from '../sign-in/throttle.ts'
import type { TerminalRequest } from './store.ts'
import { hashOfTerminalCode, newTerminalCode } from './terminal-code.ts'

export type AskedInBrowser =
  /** `token`: the command line keeps it and takes the approval with it. `code`: the user types it into a browser. */
  { kind: 'asked'; token: Secret; code: Secret } | { kind: 'refused'; code: 'too_many_attempts' }

/**
 * Requests a person's approval in a browser, for ten minutes.
 * @param person_id the person who has to approve; null: a sign-in, of any person who approves
 */
export async function askInBrowser(
  deps: FactorDeps,
  { asked, person_id, address }: { asked: TerminalRequest; person_id: string | null; address: string },
): Promise<AskedInBrowser> {
  if (!(await mayTryFrom(deps, address))) return { kind: 'refused', code: 'too_many_attempts' }
  const code = newTerminalCode()
  const terminal = { code_hash: hashOfTerminalCode(code), asked }
  const { token } = await openAttempt(deps.sql, deps.clock, { purpose: 'command_line', person_id, terminal })
  return { kind: 'asked', token, code: new Secret(code) }
}
