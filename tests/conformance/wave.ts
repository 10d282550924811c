import type { ConnectorType } from '../../src/operators/contracts/connector-type.ts'
import { wave } from '../../src/operators/wave/connector.ts'
import type { ContractUnderTest, Words } from './contract.ts'

/** Wave's codes when it does not take an order. Written down from its documents, apart from the connector's own table. */
const refusals: Words = {
  'request-validation-error': 'operator_configuration',
  'request-not-json': 'operator_configuration',
  'request-parsing-error': 'operator_configuration',
  'country-mismatch': 'invalid_number',
  'currency-mismatch': 'operator_configuration',
  'aggregated-merchant-required': 'operator_configuration',
  'missing-auth-header': 'operator_configuration',
  'invalid-auth': 'operator_configuration',
  'api-key-not-provided': 'operator_configuration',
  'no-matching-api-key': 'operator_configuration',
  'api-key-revoked': 'operator_configuration',
  'invalid-wallet': 'operator_account_blocked',
  'disabled-wallet': 'operator_account_blocked',
  'unauthorized-wallet': 'operator_account_blocked',
  'missing-permission': 'operator_configuration',
  'a-code-of-next-year': 'operator_refused',
}

const recipients: Words = {
  'recipient-minor': 'recipient_account_blocked',
  'recipient-account-blocked': 'recipient_account_blocked',
  'recipient-account-inactive': 'recipient_account_blocked',
  'recipient-limit-exceeded': 'recipient_limit_reached',
}

export const waveContract: ContractUnderTest = {
  type: wave as unknown as ConnectorType,
  api: 'wave',
  settings: {},
  // The suite reads callbacks by the twin's clock, which it puts forward. A session that failed ends with its time alone. Fees have a
  // test of their own.
  callingBackAt: (callback_url) => ({
    callback_url,
    signature_clock: 'twin',
    session_seconds: 25,
    payout_fee_percent: 0,
  }),
  operators: { collect: ['wave_ci'], payout: ['wave_ci'], refund: ['wave_ci'] },
  refusals: {
    collect: refusals,
    payout: { ...refusals, ...recipients, 'insufficient-funds': 'operator_float_insufficient' },
    refund: { 'checkout-refund-failed': 'operator_refused', 'disabled-wallet': 'operator_account_blocked' },
  },
  failures: {
    // A payer may try again until the session expires, and then it has lapsed, whatever the last try failed for.
    collect: {
      'insufficient-funds': 'payer_timeout',
      'blocked-account': 'payer_timeout',
      'customer-age-restricted': 'payer_timeout',
      'cross-border-payment-not-allowed': 'payer_timeout',
      'payer-mobile-mismatch': 'payer_timeout',
      'kyb-limits-exceeded': 'payer_timeout',
      'payment-failure': 'payer_timeout',
    },
    payout: { ...recipients, 'a-code-of-next-year': 'operator_refused' },
    refund: {},
  },
  vague: { collect: [], out: [] },
  redirects: ['wave_ci'],
  repeats: { collect: 'anew', payout: 'as_before', refund: 'as_before' },
  calls_back: ['collect'],
  refunds_unnamed: true,
  elsewhere: { webhook_secret: 'the-secret-of-another-wallet' },
  forgeries: [
    'callback_wrong_signature',
    'callback_wrong_bytes',
    'callback_expired',
    'callback_unsigned',
    'callback_dotted',
  ],
  recipients: 'same_or_not',
  states_number: ['payout'],
  wrong_settings: [[{ api_key: 'a-key-of-another-wallet' }, /api_key/]],
}
