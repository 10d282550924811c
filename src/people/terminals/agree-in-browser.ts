import type { FactorDeps } from '../factors/factor-deps.ts'
import { recordActOf } from '../record-act-of.ts'
import type { Browser } from '../sessions/browser.ts'
import type { Session } from '../sessions/session.ts'
import type { StepUpAct } from '../step-up/step-up.ts'
import { type StepUpUsed, useStepUp } from '../step-up/use-step-up.ts'
import * as store from './store.ts'
import { hashOfTerminalCode } from './terminal-code.ts'

/** The most codes that one person can type in a minute, correct ones included. */
const CODES_OF_MINUTE = 10

type StepUpRefusal = Extract<StepUpUsed, { kind: 'refused' }>['code']

export type TerminalRefusal = 'terminal_code_unknown' | 'too_many_attempts'

export type RequestFound =
  | { kind: 'found'; asked: store.FoundRequest }
  /** `terminal_code_unknown`: no request with this code waits for this person: it is wrong, over, used, or another person's. */
  | { kind: 'refused'; code: TerminalRefusal }

/** Finds the request of a command line by the code that it shows. */
export async function findAsked(
  deps: Pick<FactorDeps, 'sql' | 'limits'>,
  { session, code }: { session: Session; code: string },
): Promise<RequestFound> {
  const { person_id } = session.person
  if (!(await deps.limits.hit('terminal_code', person_id, CODES_OF_MINUTE)).passed)
    return { kind: 'refused', code: 'too_many_attempts' }
  const asked = await store.findRequest(deps.sql, hashOfTerminalCode(code), person_id)
  return asked === null ? { kind: 'refused', code: 'terminal_code_unknown' } : { kind: 'found', asked }
}

/**
 * Approves the request of a command line as the person of this session. The command line can then take its session or its proof.
 * @param proof the fresh factor with which the person confirmed what they saw. It is used up in the same transaction
 */
export async function agreeInBrowser(
  { sql }: Pick<FactorDeps, 'sql'>,
  agreed: {
    session: Session
    code: string
    asked: store.TerminalRequest
    proof: StepUpAct & { step_up_id: string }
    browser: Browser
  },
): Promise<{ kind: 'agreed' } | { kind: 'refused'; code: 'terminal_code_unknown' | StepUpRefusal }> {
  const { session, code, asked, proof, browser } = agreed
  const { step_up_id, operation, subject, content } = proof
  const { person_id, email } = session.person
  return sql.begin(async (tx) => {
    const used = await useStepUp(tx, session, step_up_id, operation, subject, content)
    if (used.kind === 'refused') return used
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

/**
 * Refuses the request of a command line as the person of this session, without a fresh factor: nothing is done. The command ends at its
 * next look.
 */
export async function refuseInBrowser(
  { sql }: Pick<FactorDeps, 'sql'>,
  { session, code, asked, browser }: { session: Session; code: string; asked: store.TerminalRequest; browser: Browser },
): Promise<{ kind: 'declined' } | { kind: 'refused'; code: TerminalRefusal }> {
  const { person_id, email } = session.person
  return sql.begin(async (tx) => {
    if (!(await store.markRefused(tx, hashOfTerminalCode(code), person_id))) {
      return { kind: 'refused', code: 'terminal_code_unknown' }
    }
    const { command, user } = asked
    recordActOf(tx, email, browser, { act: 'command_line.refuse', subject: person_id, after: { command, user } })
    return { kind: 'declined' }
  })
}
