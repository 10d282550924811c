import type { Operation } from '../state.ts'
import type { TwinAnswer } from '../wire.ts'
import type { Settings } from './settings.ts'

/** Moov's codes with our own words for them: nobody has seen the texts that go with all of them. */
const messages: Readonly<Record<string, string>> = {
  0: 'Request accepted',
  2: 'Not allowed on this transaction',
  3: 'Malformed number',
  91: 'Wrong parameters',
  92: 'Prompt timed out or cancelled',
  94: 'Transaction does not exist',
  95: 'Failed',
  98: 'Wrong credentials',
  99: 'Internal error',
  100: 'Pending',
  555: 'Not registered',
}

/** The code of a failure on the older platform: of a collection, and of a payout. */
const olderCodes: Readonly<Record<string, readonly [collection: string, payout: string]>> = {
  payer_declined: ['92', '95'],
  payer_timeout: ['92', '95'],
  payer_insufficient_funds: ['8', '8'],
  payer_not_found: ['555', '555'],
  payer_limit_reached: ['13', '13'],
  payer_account_blocked: ['9', '9'],
  recipient_not_found: ['555', '555'],
  recipient_limit_reached: ['17', '17'],
  recipient_account_blocked: ['7', '7'],
  amount_out_of_bounds: ['11', '11'],
  invalid_number: ['3', '3'],
  operator_float_insufficient: ['95', '8'],
  operator_account_blocked: ['6', '6'],
  operator_configuration: ['91', '91'],
}

/** The code of a reason of the core. A code of Moov's stays as it is; the newer platform is known to have one code for all. */
export function codeOf(reason: string, direction: Operation['direction'], { platform }: Settings): string {
  if (/^-?\d{1,3}$/.test(reason)) return reason
  return platform === 'newer' ? '12' : (olderCodes[reason]?.[direction === 'collection' ? 0 : 1] ?? '95')
}

/** The code of an operation that was asked about. */
export function statusOf(operation: Operation, settings: Settings): string {
  const { state, reason, direction, detail } = operation
  if (state === 'succeeded') return '0'
  if (state === 'failed') return codeOf(reason ?? 'operator_refused', direction, settings)
  if (settings.platform === 'newer') return '15'
  return detail.stays_unknown === true ? '99' : '100'
}

/** The honest line about an answer, beside what its caller knows: everything here comes from sister companies. */
const ELSEWHERE = 'Everything: no contract for this country is public, and this was seen in sister companies.'

/** An answer of the gateway. @param more fields beside the code and its text */
export function says(
  status: string,
  { text_field }: Pick<Settings, 'text_field'>,
  { unverified, ...more }: { unverified?: string; 'request-id'?: string; 'trans-id'?: string } = {},
): TwinAnswer {
  return {
    status: 200,
    body: { ...more, status, [text_field]: messages[status] ?? 'Refused', 'extended-data': {} },
    unverified: unverified ?? ELSEWHERE,
  }
}
