import { recordAct, WHOLE_SERVICE } from '../../audit-log/record-act.ts'
import type { Tx } from '../../platform/postgres/database.ts'
import type { FactorDeps } from '../factors/factor-deps.ts'
import { lockPasskey, markPasskeyUsed } from '../factors/factor-store.ts'
import { type AssertionRead, type BrowserAnswer, credentialIn, readAssertion } from '../factors/passkey.ts'
import { type CodeRefusal, type TriesLeft, takeTotp, warnOf } from '../factors/take-code.ts'
import type { Session } from '../sessions/session.ts'
import * as store from './store.ts'

/** The most wrong answers to one step-up, and to all of one session. */
const WRONG_MAX = 10
const WRONG_OF_SESSION_MAX = 30

/** A code of the phone, or the answer of a passkey. */
export type StepUpAnswer = { code: string } | { assertion: BrowserAnswer }

export type StepUpConfirmed =
  | { kind: 'confirmed' }
  | ({
      kind: 'refused'
      /**
       * `step_up_over`: too many wrong answers, or five minutes have passed. `session_worn_out`: too many in this session, which
       * confirms nothing any more. `step_up_not_found`: also when it is another session's.
       */
      code: 'step_up_not_found' | 'step_up_over' | 'session_worn_out' | PasskeyRefusal | CodeRefusal
    } & TriesLeft)

type PasskeyRefusal = Extract<AssertionRead, { kind: 'refused' }>['code']
type Proof = { factor: 'passkey' | 'totp'; proof: object }

/**
 * Confirms a step-up with a fresh factor. A code works for this act alone: one that was used before, at the sign-in or for another act,
 * is refused. A passkey signs the hash of the content. The proof is stored with the content.
 *
 * The answers of one session are checked one after the other, so that those to several step-ups at once share the limit.
 * @param from the client's address; null on the host itself
 */
export function confirmStepUp(
  deps: Pick<FactorDeps, 'sql' | 'clock' | 'key' | 'site'>,
  session: Session,
  step_up_id: string,
  answer: StepUpAnswer,
  from: string | null = null,
): Promise<StepUpConfirmed> {
  return deps.sql.begin(async (tx): Promise<StepUpConfirmed> => {
    await store.lockAnswers(tx, session.session_id)
    const row = await store.lockStepUp(tx, session.session_id, step_up_id)
    if (row === null || row.confirmed_at !== null) return { kind: 'refused', code: 'step_up_not_found' }
    const left = WRONG_OF_SESSION_MAX - (await store.countWrong(tx, session.session_id))
    if (left <= 0) return { kind: 'refused', code: 'session_worn_out' }
    if (row.expired || row.wrong >= WRONG_MAX) return { kind: 'refused', code: 'step_up_over' }
    const proof = 'code' in answer ? await byCode(tx, deps, row, answer.code) : await byPasskey(tx, deps, row, answer)
    if ('kind' in proof) {
      if (proof.code === 'passkey_counted_back') recordCountedBack(tx, session, from)
      await store.addWrong(tx, step_up_id)
      return left === 1 ? { kind: 'refused', code: 'session_worn_out' } : { ...proof, ...warnOf(left - 1, 'sign_in') }
    }
    await store.markConfirmed(tx, step_up_id, proof.factor, proof.proof)
    return { kind: 'confirmed' }
  })
}

/** Keeps a trace of a passkey that may have been copied. */
function recordCountedBack(tx: Tx, { person }: Session, from: string | null): void {
  const actor = { person: person.email, door: 'console', from, step_up_id: null } as const
  const after = { factor: 'passkey', reason: 'counted_back' }
  recordAct(
    tx,
    { merchant_id: WHOLE_SERVICE, livemode: null },
    { actor, act: 'step_up.refuse', subject: person.person_id, after },
  )
}

type Refused = Extract<StepUpConfirmed, { kind: 'refused' }>

async function byCode(
  tx: Tx,
  deps: Pick<FactorDeps, 'clock' | 'key'>,
  { person_id }: store.StepUpRow,
  code: string,
): Promise<Proof | Refused> {
  const taken = await takeTotp(tx, deps, person_id, code)
  return taken.kind === 'taken' ? { factor: 'totp', proof: { step: taken.step } } : taken
}

async function byPasskey(
  tx: Tx,
  { site }: Pick<FactorDeps, 'site'>,
  { person_id, content_hash }: store.StepUpRow,
  { assertion }: { assertion: BrowserAnswer },
): Promise<Proof | Refused> {
  const credential_id = credentialIn(assertion)
  const passkey = credential_id === null ? null : await lockPasskey(tx, credential_id)
  if (passkey?.person_id !== person_id) return { kind: 'refused', code: 'passkey_refused' }
  const read = await readAssertion(site, content_hash, assertion, passkey)
  if (read.kind === 'refused') return read
  await markPasskeyUsed(tx, passkey.credential_id, read.sign_count)
  const { origin, rp_id } = site
  // Stored with the public key, so that the signature can still be checked after the passkey was removed.
  const public_key = passkey.public_key.toString('base64url')
  return { factor: 'passkey', proof: { origin, rp_id, credential_id, public_key, ...read.signed } }
}
