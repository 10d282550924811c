import type { Outcome } from '../rules.ts'
import type { Kind, Settings } from './settings.ts'
import { isSandbox } from './settings.ts'

/** The behaviour of a test number. */
export type NumberOutcome = {
  outcome: Outcome
  /** It is `CREATED` until it ends. */
  created?: boolean
  /** Its callback says that it has failed for this reason, which it has not. */
  claims?: string
  unverified?: string
}

/** The sandbox's numbers, and the same endings behind a prefix of Côte d'Ivoire. */
const testNumber = /^(?:467331234|22505000000)(\d{2})$/

const fails = (reason: string, unverified?: string): NumberOutcome => ({
  outcome: { outcome: 'fail', reason, after_seconds: 0 },
  ...(unverified === undefined ? {} : { unverified }),
})

const succeeds: NumberOutcome = { outcome: { outcome: 'succeed', after_seconds: 0 } }

const anyOrder: Readonly<Record<string, NumberOutcome>> = {
  '50': fails('INTERNAL_PROCESSING_ERROR'),
  '51': fails('APPROVAL_REJECTED'),
  '52': fails('EXPIRED'),
  '53': {
    outcome: { outcome: 'nothing' },
    claims: 'ONGOING',
    unverified: 'Whether this number succeeds when it is read after 30 s, as older pages say.',
  },
}

const collected: Readonly<Record<string, NumberOutcome>> = {
  ...anyOrder,
  '54': { outcome: { outcome: 'succeed', after_seconds: 25 }, created: true },
  '55': fails('PAYER_NOT_FOUND'),
  '56': fails('PAYEE_NOT_ALLOWED_TO_RECEIVE'),
  '57': fails('NOT_ALLOWED'),
  '58': fails('NOT_ALLOWED_TARGET_ENVIRONMENT'),
  '59': fails('INVALID_CALLBACK_URL_HOST'),
  '60': fails('INVALID_CURRENCY'),
  '61': fails('INTERNAL_PROCESSING_ERROR'),
  '62': fails('SERVICE_UNAVAILABLE'),
  '63': fails('COULD_NOT_PERFORM_TRANSACTION'),
  '64': fails('TRANSFER_TYPE_UNKNOWN', 'The exact word of this number.'),
}

const transferred: Readonly<Record<string, NumberOutcome>> = {
  ...anyOrder,
  '54': {
    outcome: { outcome: 'succeed', after_seconds: 25 },
    claims: 'DELAYED',
    unverified: 'The word of the delay, and whether this number ends at all.',
  },
  '55': fails('COULD_NOT_PERFORM_TRANSACTION'),
  '56': fails('COULD_NOT_PERFORM_TRANSACTION'),
  '57': fails('PAYER_NOT_FOUND'),
  '58': fails('NOT_ALLOWED'),
  '59': fails('NOT_ALLOWED_TARGET_ENVIRONMENT'),
  '60': fails('INVALID_CALLBACK_URL_HOST'),
  '61': fails('INVALID_CURRENCY'),
  '62': fails('INTERNAL_PROCESSING_ERROR'),
  '63': fails('SERVICE_UNAVAILABLE'),
  '64': fails('COULD_NOT_PERFORM_TRANSACTION', 'The outcome of a transfer to this number.'),
}

const tables: Readonly<Record<Kind, Readonly<Record<string, NumberOutcome>>>> = {
  requesttopay: collected,
  transfer: transferred,
  deposit: collected,
  refund: {},
}

/**
 * The outcome of a party's number; null: it is a phone of Côte d'Ivoire, and its holder decides. Any other number of the sandbox
 * succeeds; in production it has no wallet.
 */
export function outcomeByNumber(
  kind: Kind,
  { partyIdType, partyId }: { partyIdType: string; partyId: string },
  settings: Settings,
): NumberOutcome | null {
  const ending = testNumber.exec(partyId)?.[1]
  const listed = ending === undefined ? undefined : tables[kind][ending]
  if (listed !== undefined) return listed
  if (partyIdType === 'MSISDN' && /^2250[157]\d{8}$/.test(partyId)) return null
  if (partyIdType === 'MSISDN' && isSandbox(settings) && /^\d{6,15}$/.test(partyId)) return succeeds
  return fails('PAYER_NOT_FOUND', partyIdType === 'MSISDN' ? undefined : 'How a party without a number is answered.')
}

const unverifiedRefund = 'The reason of this value is known from one list only.'

/** The outcomes of refunds of the values 1 to 13, which stand for requests to pay. */
const refunds: Readonly<Record<string, NumberOutcome>> = {
  '1': fails('PAYER_NOT_FOUND', unverifiedRefund),
  '2': fails('INTERNAL_PROCESSING_ERROR', unverifiedRefund),
  '3': fails('APPROVAL_REJECTED', unverifiedRefund),
  '4': fails('EXPIRED', unverifiedRefund),
  '5': { outcome: { outcome: 'nothing' }, claims: 'ONGOING', unverified: unverifiedRefund },
  '6': { outcome: { outcome: 'succeed', after_seconds: 25 }, claims: 'DELAYED', unverified: unverifiedRefund },
  '7': fails('NOT_ALLOWED', unverifiedRefund),
  '8': fails('NOT_ALLOWED_TARGET_ENVIRONMENT', unverifiedRefund),
  '9': fails('INVALID_CALLBACK_URL_HOST', unverifiedRefund),
  '10': fails('INVALID_CURRENCY', unverifiedRefund),
  '11': fails('INTERNAL_PROCESSING_ERROR', unverifiedRefund),
  '12': fails('SERVICE_UNAVAILABLE', unverifiedRefund),
  '13': fails('COULD_NOT_PERFORM_TRANSACTION', unverifiedRefund),
}

/** The outcome of a refund whose `referenceIdToRefund` is a value of the sandbox's table; null for any other. */
export function outcomeOfRefund(refers_to: string): NumberOutcome | null {
  return Object.hasOwn(refunds, refers_to) ? refunds[refers_to]! : null
}
