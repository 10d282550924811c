import type { FactorDeps } from '../factors/factor-deps.ts'
import { recordActOf } from '../record-act-of.ts'
import type { Browser } from '../sessions/browser.ts'
import type { Session } from '../sessions/session.ts'
import { mayTryFrom } from '../sign-in/throttle.ts'
import * as store from './store.ts'
import { hashOfTerminalCode } from './terminal-code.ts'

/** Codes that one person types in a minute, right ones among them. */
const CODES_OF_MINUTE = 10

export type TerminalRefusal = 'terminal_code_unknown' | 'too_many_attempts'

export type RequestFound =
  | { kind: 'found'; asked: store.FoundRequest }
  /** `terminal_code_unknown`: nothing waits under it for this person: it is wrong, over, used, or another person's. */
  | { kind: 'refused'; code: TerminalRefusal }

/** Finds what a command line asks, by the code that it shows. */
export async function findAsked(
  deps: Pick<FactorDeps, 'sql' | 'limits' | 'sign_ins_per_address'>,
  { session, code, address }: { session: Session; code: string; address: string },
): Promise<RequestFound> {
  const { person_id } = session.person
  const passes =
    (await mayTryFrom(deps, address)) && (await deps.limits.hit('terminal_code', person_id, CODES_OF_MINUTE)).passed
  if (!passes) return { kind: 'refused', code: 'too_many_attempts' }
  const asked = await store.findRequest(deps.sql, hashOfTerminalCode(code), person_id)
  return asked === null ? { kind: 'refused', code: 'terminal_code_unknown' } : { kind: 'found', asked }
}

/**
 * Agrees to what a command line asks, as the person of this session: it may take its session or its proof from now on.
 * @param step_up_id the fresh factor by which they agreed to what they saw
 */
export async function agreeInBrowser(
  { sql }: Pick<FactorDeps, 'sql'>,
  agreed: { session: Session; code: string; asked: store.TerminalRequest; step_up_id: string; browser: Browser },
): Promise<{ kind: 'agreed' } | { kind: 'refused'; code: TerminalRefusal }> {
  const { session, code, asked, step_up_id, browser } = agreed
  const { person_id, email } = session.person
  return sql.begin(async (tx) => {
    if (!(await store.markAgreed(tx, hashOfTerminalCode(code), person_id, step_up_id))) {
      return { kind: 'refused', code: 'terminal_code_unknown' }
    }
    const { command, user } = asked
    recordActOf(tx, email, browser, {
      act: 'command_line.agree',
      subject: person_id,
      after: { command, user },
      step_up_id,
    })
    return { kind: 'agreed' }
  })
}
