import type { Operation } from '../state.ts'
import type { TwinAnswer } from '../wire.ts'

const PLATFORM = "This code is of Orange's platform in general."

/** Orange's numbers for what went wrong, with the status that each goes out with. */
const codes: Readonly<Record<string, { status: number; message: string; unverified?: string }>> = {
  1: { status: 500, message: 'Internal error', unverified: PLATFORM },
  5: { status: 503, message: 'Service unavailable', unverified: PLATFORM },
  21: { status: 400, message: 'Missing parameter', unverified: PLATFORM },
  22: { status: 400, message: 'Invalid body', unverified: PLATFORM },
  23: { status: 400, message: 'Missing body field', unverified: PLATFORM },
  24: { status: 400, message: 'Invalid body field', unverified: PLATFORM },
  40: { status: 401, message: 'Missing credentials' },
  41: { status: 401, message: 'Invalid credentials' },
  42: { status: 401, message: 'Expired credentials' },
  50: { status: 403, message: 'Access denied' },
  53: { status: 403, message: 'Too many requests' },
  60: { status: 404, message: 'Resource not found', unverified: PLATFORM },
  1201: { status: 400, message: 'Transaction not allowed' },
  1202: { status: 400, message: 'Invalid merchant key' },
  1203: { status: 400, message: 'Currency not supported' },
  1204: { status: 400, message: 'Order id already used' },
}

const STATUS_4XX = 'Which status between 400 and 499 goes with this code.'

/** An answer that refuses. @param code Orange's number */
export function refusal(code: string, unverified?: string): TwinAnswer {
  const { status, message, unverified: usual } = codes[code] ?? { status: 400, message: 'Refused' }
  const honest = unverified ?? usual ?? (Number(code) > 1_000 ? STATUS_4XX : undefined)
  return {
    status,
    body: { code: Number(code), message, description: `The twin says: ${message.toLowerCase()}.` },
    ...(honest === undefined ? {} : { unverified: honest }),
  }
}

const atTheOrder: Readonly<Record<string, string>> = {
  operator_account_blocked: '1201',
  operator_configuration: '1202',
  operator_unavailable: '5',
}

/** The answer to an announcement that a script refuses. */
export function refusedAtOnce(reason: string): TwinAnswer {
  return refusal(/^\d+$/.test(reason) ? reason : (atTheOrder[reason] ?? '1201'))
}

/** Orange's word for a state. It gives no reason for a failure. */
export function statusOf({ state, reason, detail }: Operation): string {
  switch (state) {
    case 'succeeded':
      return 'SUCCESS'
    case 'failed':
      return reason === 'payer_timeout' || reason === 'EXPIRED' ? 'EXPIRED' : 'FAILED'
    case 'in_doubt':
      return 'PENDING'
    default:
      return detail.typed === true ? 'PENDING' : 'INITIATED'
  }
}

/** Orange's number of a transaction, once there is one. */
export function transactionOf({ executed_at, transaction }: Operation): string | null {
  return executed_at === null ? null : `MP${transaction.slice(2)}`
}
