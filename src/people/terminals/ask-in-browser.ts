import { Secret } from '../../values/secret.ts'
import type { FactorDeps } from '../factors/factor-deps.ts'
import { openAttempt } from '../sign-in/open-attempt.ts'
import { mayTryFrom } from '../sign-in/throttle.ts'
import type { TerminalRequest } from './store.ts'
import { hashOfTerminalCode, newTerminalCode } from './terminal-code.ts'

export type AskedInBrowser =
  /** `token`: kept by the command line, which takes the agreement with it. `code`: shown to its user, who types it into a browser. */
  { kind: 'asked'; token: Secret; code: Secret } | { kind: 'refused'; code: 'too_many_attempts' }

/**
 * Asks for a person's agreement in a browser, within ten minutes.
 * @param person_id whose agreement counts; null: a sign-in, of whoever agrees
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
