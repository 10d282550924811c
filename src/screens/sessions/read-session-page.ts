import { showOwnSession } from '../../checkout/find-sessions.ts'
import type { LinkRow } from '../../checkout/link.ts'
import { readLink } from '../../checkout/link-store.ts'
import type { SessionRow } from '../../checkout/session.ts'
import { findOperations } from '../../listings/find-operations.ts'
import { allOf } from '../../listings/listed-operation.ts'
import type { PaymentRow } from '../../payments/payment.ts'
import { readPaymentsOf } from '../../payments/store.ts'
import type { Db } from '../../platform/postgres/database.ts'
import type { TransitionRead } from '../../platform/postgres/record-transitions.ts'
import type { Tenant } from '../../values/caller.ts'

/** The most payments to read for the attempts of one session, and the number of one read. */
const LOOKED_AT_MAX = 1_000
const PAGE = 200

/** An attempt of a payer, with the last four digits of their number. */
export type Attempt = Pick<PaymentRow, 'id' | 'amount' | 'status' | 'operator' | 'failure_code' | 'created_at'> & {
  readonly last4: string | null
}

/** The facts on the page of a session. */
export type SessionPage = {
  readonly session: SessionRow
  readonly moves: readonly TransitionRead[]
  /** The attempts, oldest first: fewer than `session.attempts` when the merchant had too many payments of the same amount meanwhile. */
  readonly attempts: readonly Attempt[]
  /** The payment link that opened it. */
  readonly link: Pick<LinkRow, 'id' | 'description'> | null
}

/** Reads one session of a merchant. Null when it is not this caller's. */
export async function readSessionPage(db: Db, tenant: Tenant, session_id: string): Promise<SessionPage | null> {
  const found = await showOwnSession(db, tenant, session_id)
  if (found === null) return null
  const { session, moves } = found
  const { link_id } = session
  const [attempts, link] = await Promise.all([
    readAttempts(db, tenant, session),
    link_id === null ? null : readLink(db, { ...tenant, link_id }),
  ])
  return { session, moves, attempts, link: link && { id: link.id, description: link.description } }
}

/**
 * Reads the attempts of a session. Payments have no index on their session, to keep them cheap. The session itself names its last attempt, and
 * nearly all sessions have one. Others are found among the merchant's payments of the same amount while the session was open.
 */
async function readAttempts(db: Db, tenant: Tenant, session: SessionRow): Promise<Attempt[]> {
  const { id, payment_id, attempts } = session
  if (payment_id === null) return []
  const found = new Map<string, Attempt>()
  const keep = async (ids: readonly string[]) => {
    for (const row of ids.length === 0 ? [] : await readPaymentsOf(db, tenant, ids))
      if (row.checkout_session_id === id) found.set(row.id, attemptOf(row))
  }
  await keep([payment_id])
  const filters = {
    ...allOf('payment'),
    created_from: session.created_at,
    created_before: session.expires_at,
    amount_min: session.amount,
    amount_max: session.amount,
  }
  let after: string | null = null
  for (let looked = 0; found.size < attempts && looked < LOOKED_AT_MAX; looked += PAGE) {
    const page: Awaited<ReturnType<typeof findOperations>> = await findOperations(db, tenant, filters, {
      limit: PAGE,
      after,
    })
    await keep(page.rows.map((row) => row.id))
    after = page.after
    if (after === null) break
  }
  return [...found.values()].sort((one, other) => (one.id < other.id ? -1 : 1))
}

function attemptOf({ id, amount, status, operator, failure_code, created_at, msisdn }: PaymentRow): Attempt {
  return { id, amount, status, operator, failure_code, created_at, last4: msisdn === null ? null : msisdn.slice(-4) }
}
