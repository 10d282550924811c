import { sha256 } from '../../platform/digest.ts'
import type { Tx } from '../../platform/postgres/database.ts'
import type { Secret } from '../../values/secret.ts'
import type { FactorDeps } from '../factors/factor-deps.ts'
import { recordActOf } from '../record-act-of.ts'
import type { Browser } from '../sessions/browser.ts'
import { type OpenedSession, openSession } from '../sessions/open-session.ts'
import { findPersonOf, lockAttempt, markUsed } from '../sign-in/attempt-store.ts'
import { lockPerson } from '../store.ts'
import * as store from './store.ts'

type Deps = Pick<FactorDeps, 'sql' | 'clock'>

/**
 * `waits`: no person has answered yet. `declined`: a person refused it in the browser. `over`: ten minutes have passed, the approval was
 * taken, or the person was disabled.
 */
export type Taken<Result> = Result | { kind: 'waits' } | { kind: 'declined' } | { kind: 'over' }

/** Takes the session of the person who approved, once. Its factor is that of the approval. */
export function takeSession(
  deps: Deps,
  { token, browser }: { token: Secret; browser: Browser },
): Promise<Taken<{ kind: 'signed_in'; session: OpenedSession }>> {
  return take(deps, token, async (tx, { person_id, email, step_up_id, factor }) => {
    const session = await openSession(tx, deps.clock, { person_id, email, factor, ...browser })
    const after = { factor, agreed_in_browser: true }
    recordActOf(tx, email, browser, { act: 'session.open', subject: session.session_id, after, step_up_id })
    return { kind: 'signed_in', session }
  })
}

/** Takes the proof with which the person approved one command, once. */
export function takeProof(deps: Deps, token: Secret): Promise<Taken<{ kind: 'proven'; step_up_id: string }>> {
  return take(deps, token, async (_, { step_up_id }) => ({ kind: 'proven', step_up_id }))
}

type Agreement = { person_id: string; email: string; step_up_id: string; factor: 'passkey' | 'totp' }

async function take<Result>(
  { sql }: Deps,
  token: Secret,
  use: (tx: Tx, agreement: Agreement) => Promise<Result>,
): Promise<Taken<Result>> {
  const found = await store.readAgreement(sql, sha256(token.reveal()))
  if (found?.refused === true) return { kind: 'declined' }
  if (found === null || found.over) return { kind: 'over' }
  const { step_up_id, factor } = found
  if (step_up_id === null || factor === null) return { kind: 'waits' }
  return sql.begin(async (tx): Promise<Taken<Result>> => {
    const owner = await findPersonOf(tx, token.reveal())
    const person = owner === null ? null : await lockPerson(tx, { person_id: owner })
    const row = await lockAttempt(tx, token.reveal(), 'command_line')
    if (person?.status !== 'active' || row === null) return { kind: 'over' }
    await markUsed(tx, row)
    return use(tx, { person_id: person.person_id, email: person.email, step_up_id, factor })
  })
}
