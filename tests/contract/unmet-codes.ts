import type { ErrorCode } from '../../src/values/error-codes.ts'

/** Codes of the catalogue that no route answers, each with its reason. */
export const unmetCodes: Readonly<Record<string, string>> = {
  refund_via_support: 'its meaning is not shown, and there is no route to ask for a refund: staff decide on it',
  already_refunded: 'of a route that is no longer part of the interface',
  invalid_payment_id: 'of the same route',
  refund_unsupported: 'of the same route',
}

/** The interface's table of all codes, by status (Errors). */
export const catalogue: Readonly<Record<number, readonly ErrorCode[]>> = {
  400: ['idempotency_key_required', 'invalid_body', 'invalid_request'],
  401: ['authentication_required', 'invalid_api_key'],
  403: ['merchant_inactive', 'insufficient_scope'],
  404: ['resource_not_found', 'destination_introuvable'],
  405: ['method_not_allowed'],
  409: [
    'idempotency_in_progress',
    'duplicate_reference',
    'insufficient_funds',
    'batch_pending_approval',
    'batch_not_executable',
    'batch_not_cancellable',
    'session_expired',
    'session_closed',
    'lien_indisponible',
    'idempotency_key_reused',
  ],
  422: [
    'invalid_amount',
    'invalid_currency',
    'invalid_id',
    'invalid_beneficiary',
    'invalid_lines',
    'too_many_lines',
    'invalid_return_url',
    'invalid_msisdn',
    'invalid_operator',
    'invalid_period',
    'amount_above_limit',
    'amount_too_small',
    'amount_too_large',
    'idempotency_key_reused',
    'idempotency_key_required',
    'sous_le_plancher',
    'montant_non_eligible',
    'destination_non_designee',
    'destination_trop_recente',
  ],
  429: ['rate_limit_exceeded', 'too_many_attempts'],
  500: [
    'payment_creation_failed',
    'payout_failed',
    'checkout_creation_failed',
    'payment_failed',
    'bornes_illisibles',
    'statement_failed',
    'settlement_failed',
  ],
}

/** Our additions to that table, and the routes that answer them. */
export const addedCodes: readonly { status: number; code: ErrorCode; why: string }[] = [
  { status: 409, code: 'cursor_expired', why: 'only under /x/' },
  { status: 409, code: 'event_not_deliverable', why: 'only under /x/' },
  { status: 422, code: 'invalid_expires_at', why: 'only under /x/' },
  { status: 409, code: 'link_not_closable', why: 'only under /x/' },
  { status: 409, code: 'payment_not_cancellable', why: 'only under /x/' },
  { status: 409, code: 'payment_code_not_expected', why: 'only under /x/' },
  { status: 409, code: 'payout_not_cancellable', why: 'only under /x/' },
]
