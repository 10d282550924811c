import type { ConnectorType } from '../../src/operators/contracts/connector-type.ts'
import { pawapay } from '../../src/operators/pawapay/connector.ts'
import type { ContractUnderTest, Words } from './contract.ts'

/** pawaPay's words when it does not take an order. Written down from its documents, apart from the connector's own table. */
const refusals: Words = {
  AUTHORISATION_ERROR: 'operator_configuration',
  HTTP_SIGNATURE_ERROR: 'operator_configuration',
  INVALID_INPUT: 'operator_configuration',
  MISSING_PARAMETER: 'operator_configuration',
  UNSUPPORTED_PARAMETER: 'operator_configuration',
  INVALID_PARAMETER: 'operator_configuration',
  INVALID_CURRENCY: 'operator_configuration',
  INVALID_PROVIDER: 'operator_configuration',
  AMOUNT_OUT_OF_BOUNDS: 'amount_out_of_bounds',
  INVALID_AMOUNT: 'amount_out_of_bounds',
  PROVIDER_TEMPORARILY_UNAVAILABLE: 'operator_unavailable',
  INVALID_STATE: 'operator_refused',
}

const out: Words = {
  INSUFFICIENT_BALANCE: 'operator_float_insufficient',
  RECIPIENT_NOT_FOUND: 'recipient_not_found',
  RECIPIENT_LIMIT_REACHED: 'recipient_limit_reached',
  WALLET_LIMIT_REACHED: 'recipient_limit_reached',
  MANUALLY_CANCELLED: 'cancelled',
  UNSPECIFIED_FAILURE: 'operator_refused',
  UNKNOWN_ERROR: 'operator_refused',
  A_WORD_OF_NEXT_YEAR: 'operator_refused',
}

export const pawapayContract: ContractUnderTest = {
  type: pawapay as unknown as ConnectorType,
  api: 'pawapay',
  settings: {},
  // The suite reads callbacks by the twin's clock, which it puts forward.
  callingBackAt: (callback_url) => ({ callback_url, signature_clock: 'twin' }),
  operators: {
    collect: ['mtn_ci', 'orange_ci', 'wave_ci'],
    payout: ['mtn_ci', 'orange_ci', 'wave_ci'],
    refund: ['orange_ci'],
  },
  refusals: {
    collect: { ...refusals, DEPOSITS_NOT_ALLOWED: 'operator_account_blocked', INVALID_PHONE_NUMBER: 'invalid_number' },
    payout: {
      ...refusals,
      PAYOUTS_NOT_ALLOWED: 'operator_account_blocked',
      PAWAPAY_WALLET_OUT_OF_FUNDS: 'operator_float_insufficient',
    },
    refund: {
      REFUNDS_NOT_ALLOWED: 'operator_account_blocked',
      REFUND_IN_PROGRESS: 'operator_refused',
      AMOUNT_TOO_LARGE: 'amount_out_of_bounds',
      DEPOSIT_ALREADY_REFUNDED: 'operator_refused',
    },
  },
  failures: {
    collect: {
      PAYMENT_NOT_APPROVED: 'payer_declined',
      INSUFFICIENT_BALANCE: 'payer_insufficient_funds',
      PAYMENT_IN_PROGRESS: 'payment_in_progress',
      PAYER_NOT_FOUND: 'payer_not_found',
      PAYER_LIMIT_REACHED: 'payer_limit_reached',
      WALLET_LIMIT_REACHED: 'payer_limit_reached',
      MANUALLY_CANCELLED: 'cancelled',
      UNSPECIFIED_FAILURE: 'operator_refused',
      A_WORD_OF_NEXT_YEAR: 'operator_refused',
    },
    payout: out,
    refund: out,
  },
  vague: { collect: ['UNSPECIFIED_FAILURE', 'UNKNOWN_ERROR'], out: ['UNSPECIFIED_FAILURE', 'UNKNOWN_ERROR'] },
  redirects: ['wave_ci'],
  forgeries: [
    'callback_wrong_digest',
    'callback_wrong_signature',
    'callback_expired',
    'callback_unknown_key',
    'callback_unsigned',
  ],
  states_number: ['collect', 'payout'],
  wrong_settings: [
    [{ api_token: 'a-token-of-another-account' }, /api_token/],
    [{ require_signed_callbacks: false }, /require_signed_callbacks/],
    [{ 'provider.moov_ci': 'MOOV_CIV' }, /MOOV_CIV/],
  ],
}
