import { setTimeout as wait } from 'node:timers/promises'
import { isMerchantActive } from '../merchants/store.ts'
import type { CreatePayment } from '../payments/create-payment.ts'
import { sha256 } from '../platform/digest.ts'
import type { Turn } from '../platform/http/turns.ts'
import type { Sql } from '../platform/postgres/database.ts'
import type { Tenant } from '../values/caller.ts'
import { Msisdn } from '../values/msisdn.ts'
import { isOperatorCode, type OperatorCode } from '../values/operators.ts'
import { mayAttempt, type NoAttempt } from './decide-attempt.ts'
import type { LinkRow } from './link.ts'
import { readLink } from './link-store.ts'
import type { Nonces } from './nonces.ts'
import { readAttempt } from './page/store.ts'
import type { SessionRow } from './session.ts'
import { readSession } from './store.ts'

export type PaySessionDependencies = {
  sql: Sql
  nonces: Nonces
  createPayment: CreatePayment
}

/** The payer of a form. `proposed`: we chose the operator, and may choose another when the form is sent again. */
export type Payer = { msisdn: Msisdn; operator: OperatorCode; proposed: boolean }

export type PaySessionResult =
  /** The attempt of this form, from this submission or an earlier one. */
  { kind: 'attempted' } | { kind: 'refused'; code: 'merchant_inactive' | 'amount_above_limit' | NoAttempt }

/** Milliseconds to wait for another request with the same key, and between two reads. A transaction takes far less. */
const PATIENCE_MS = 6_000
const PAUSE_MS = 50

/**
 * Reads the payer's number and operator. Refuses an operator that this page does not offer, chosen or proposed.
 * @param propose predicts the operator of a number when the payer chose none; null when it cannot
 */
export async function readPayer(
  typed: { msisdn: string; operator: string },
  offered: (operator: OperatorCode) => boolean,
  propose: (msisdn: Msisdn) => Promise<OperatorCode | null>,
): Promise<{ kind: 'payer'; payer: Payer } | { kind: 'refused'; code: 'invalid_msisdn' | 'invalid_operator' }> {
  const msisdn = Msisdn.parse(typed.msisdn)
  if (msisdn === null) return { kind: 'refused', code: 'invalid_msisdn' }
  const proposed = typed.operator === ''
  const operator = proposed ? await propose(msisdn) : typed.operator
  if (operator === null || !isOperatorCode(operator) || !offered(operator)) {
    return { kind: 'refused', code: 'invalid_operator' }
  }
  return { kind: 'payer', payer: { msisdn, operator, proposed } }
}

/**
 * Starts an attempt to pay a session. The same form with the same number makes one payment, however often it is sent: the
 * idempotency key is derived from them, and the session accepts one attempt at a time. Refusals in order of precedence:
 * an inactive merchant, the state of the session or link, then those of any payment. While the last attempt is in doubt
 * after its end, no new attempt starts.
 */
export function createPaySession({ sql, nonces, createPayment }: PaySessionDependencies) {
  return async (
    key: Tenant & { session_id: string },
    nonce: string,
    { msisdn, operator, proposed }: Payer,
    turn: Pick<Turn, 'without'>,
  ): Promise<PaySessionResult> => {
    const { merchant_id, livemode, session_id } = key
    const attemptKey = nonces.attemptKey(session_id, nonce, msisdn.e164, proposed ? '' : operator)
    const idempotency = { key: attemptKey, fingerprint: sha256(attemptKey) }
    const patienceEnds = performance.now() + PATIENCE_MS
    for (;;) {
      const { session, link, active, in_doubt } = await readAll(key)
      // The operator has reported money for the last attempt, which had failed. Another attempt could debit the payer twice.
      if (in_doubt && mayAttempt(session, link) === null) return { kind: 'refused', code: 'idempotency_in_progress' }
      const caller = { merchant_id, livemode, key_id: 'page', scope: 'collect', merchant_active: active } as const
      const asked = {
        amount: session.amount,
        operator,
        msisdn,
        merchant_reference: null,
        description: session.description,
        metadata: null,
        simulate: null,
        checkout_session_id: session_id,
      }
      // It shares a transaction with others, and needs no connection of its own.
      const result = await turn.without(() => createPayment({ caller, idempotency }, asked))
      if (result.kind !== 'refused') return { kind: 'attempted' }
      // These two would be defects: we derive the key, and the attempt has no reference.
      if (result.code === 'idempotency_key_reused' || result.code === 'duplicate_reference') {
        throw new Error(`An attempt was refused with ${result.code}.`)
      }
      if (result.code !== 'idempotency_in_progress') {
        // A refusal about the payer or the amount counts only when the session would have accepted the attempt.
        const why = result.code === 'merchant_inactive' ? null : mayAttempt(session, link)
        return { kind: 'refused', code: why ?? result.code }
      }
      // An earlier post of this form commits its attempt together with its answer, and we got no replay of it. If the session
      // accepts no attempt, another form changed it. If it accepts one, an earlier post of this form is still running, here or
      // in another process, and we try again until it has ended.
      const why = mayAttempt(session, link)
      if (why !== null) return { kind: 'refused', code: why }
      if (performance.now() > patienceEnds) return { kind: 'refused', code: 'idempotency_in_progress' }
      await turn.without(() => wait(PAUSE_MS))
    }
  }

  async function readAll(key: Tenant & { session_id: string }): Promise<{
    session: SessionRow & { is_over: boolean }
    link: LinkRow | null
    active: boolean
    in_doubt: boolean
  }> {
    const { merchant_id, livemode } = key
    const [session, active] = await Promise.all([readSession(sql, key), isMerchantActive(sql, merchant_id)])
    if (session === null) throw new Error('A session that was found is gone.')
    const { link_id, payment_id } = session
    const tried = session.status === 'open' && !session.attempt_live ? payment_id : null
    const [link, last] = await Promise.all([
      link_id === null ? null : readLink(sql, { merchant_id, livemode, link_id }),
      tried === null ? null : readAttempt(sql, { merchant_id, livemode, payment_id: tried }),
    ])
    return { session, link, active, in_doubt: last?.in_doubt === true }
  }
}

export type PaySession = ReturnType<typeof createPaySession>
