import { Secret } from '../../values/secret.ts'
import type { FactorDeps } from '../factors/factor-deps.ts'
import { newShortCode } from '../short-code.ts'
import { openAttempt } from '../sign-in/open-attempt.ts'
import type { TerminalRequest } from './store.ts'
import { hashOfTerminalCode } from './terminal-code.ts'

/** `token`: the command line keeps it and takes the approval with it. `code`: the user types it into a browser. */
export type AskedInBrowser = { token: Secret; code: Secret }

/**
 * Requests a person's approval in a browser, for ten minutes.
 * @param person_id the person who has to approve; null: a sign-in, of any person who approves
 */
export async function askInBrowser(
  { sql, clock }: Pick<FactorDeps, 'sql' | 'clock'>,
  { asked, person_id }: { asked: TerminalRequest; person_id: string | null },
): Promise<AskedInBrowser> {
  const code = newShortCode()
  const terminal = { code_hash: hashOfTerminalCode(code), asked }
  const { token } = await openAttempt(sql, clock, { purpose: 'command_line', person_id, terminal })
  return { token, code: new Secret(code) }
}
