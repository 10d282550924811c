import type { Addresses } from '../../checkout/addresses.ts'
import { readAttempt } from '../../checkout/page/store.ts'
import type { SessionRow } from '../../checkout/session.ts'
import { readSession } from '../../checkout/store.ts'
import type { PaymentRow } from '../../payments/payment.ts'
import { readPayment } from '../../payments/store.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import type { Tenant } from '../../values/caller.ts'

/**
 * Where a sale stands, as its seller acts on it:
 * - `open`: nobody has tried to pay. `asked`: the operator waits for the payer. `payers_turn`: the payer types a code or opens an app on their own phone.
 * - `failed`: the last attempt ended, nothing was taken. `doubt`: nobody knows whether it took money. `paid`. `over`: nobody can pay it now.
 */
export type SaleState = 'open' | 'asked' | 'payers_turn' | 'failed' | 'doubt' | 'paid' | 'over'

/** A sale as its seller sees it: of the payer's number the last four digits. */
export type SaleFacts = {
  readonly state: SaleState
  readonly session: Pick<
    SessionRow,
    'id' | 'link_id' | 'status' | 'amount' | 'description' | 'created_at' | 'expires_at'
  >
  /** The last attempt. */
  readonly attempt:
    | (Pick<PaymentRow, 'id' | 'status' | 'operator' | 'failure_code' | 'created_at' | 'succeeded_at'> & {
        readonly last4: string | null
        /** The number to dial, for a payer whose phone shows no prompt. */
        readonly dial_code: string | null
      })
    | null
  /** The address of the payer's page, which the code contains. */
  readonly url: string
}

/** Reads one sale. Null when it is not this merchant's, or not of this mode. */
export async function readSale(
  { sql, addresses }: { sql: Sql; addresses: Addresses },
  tenant: Tenant,
  session_id: string,
): Promise<SaleFacts | null> {
  const row = await readSession(sql, { ...tenant, session_id })
  if (row === null) return null
  const { id, link_id, status, amount, description, created_at, expires_at, payment_id } = row
  const key = { ...tenant, payment_id: payment_id ?? '' }
  const [payment, attempt] =
    payment_id === null ? [null, null] : await Promise.all([readPayment(sql, key), readAttempt(sql, key)])
  return {
    state: stateOf(row, payment, attempt?.in_doubt === true),
    session: { id, link_id, status, amount, description, created_at, expires_at },
    attempt: payment && {
      id: payment.id,
      status: payment.status,
      operator: payment.operator,
      failure_code: payment.failure_code,
      created_at: payment.created_at,
      succeeded_at: payment.succeeded_at,
      last4: payment.msisdn?.slice(-4) ?? null,
      dial_code: payment.next_action?.dial_code ?? null,
    },
    url: addresses.sessionUrl(id),
  }
}

function stateOf(session: SessionRow & { is_over: boolean }, payment: PaymentRow | null, in_doubt: boolean): SaleState {
  if (session.status === 'paid') return 'paid'
  if (in_doubt) return 'doubt'
  if (session.attempt_live) {
    const step = payment?.next_action?.type
    return step === 'enter_code' || step === 'redirect' ? 'payers_turn' : 'asked'
  }
  if (session.status !== 'open' || session.is_over) return 'over'
  return payment === null ? 'open' : 'failed'
}
