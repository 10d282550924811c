import type { ConnectorType } from '../../src/operators/contracts/connector-type.ts'
import { mtnMomo } from '../../src/operators/mtn-momo/connector.ts'
import type { ContractUnderTest, Words } from './contract.ts'

/** MTN's words when it does not take an order. Written down from its documents, apart from the connector's own table. */
const refusals: Words = {
  NOT_ALLOWED: 'operator_account_blocked',
  NOT_ALLOWED_TARGET_ENVIRONMENT: 'operator_configuration',
  INVALID_CALLBACK_URL_HOST: 'operator_configuration',
  INVALID_CURRENCY: 'operator_configuration',
}

const misconfigured: Words = {
  NOT_ALLOWED: 'operator_configuration',
  NOT_ALLOWED_TARGET_ENVIRONMENT: 'operator_configuration',
  INVALID_CALLBACK_URL_HOST: 'operator_configuration',
  INVALID_CURRENCY: 'operator_configuration',
  TRANSFER_TYPE_UNKNOWN: 'operator_configuration',
  SERVICE_UNAVAILABLE: 'operator_unavailable',
  INTERNAL_PROCESSING_ERROR: 'operator_refused',
}

/** Of money that goes out, where MTN's payer is the service itself. */
const out: Words = {
  ...misconfigured,
  PAYEE_NOT_FOUND: 'recipient_not_found',
  NOT_ENOUGH_FUNDS: 'operator_float_insufficient',
  PAYER_LIMIT_REACHED: 'operator_float_insufficient',
  PAYEE_NOT_ALLOWED_TO_RECEIVE: 'recipient_account_blocked',
  PAYEE_LIMIT_REACHED: 'recipient_limit_reached',
  APPROVAL_REJECTED: 'operator_refused',
  EXPIRED: 'operator_refused',
  COULD_NOT_PERFORM_TRANSACTION: 'operator_refused',
  TRANSACTION_CANCELED: 'cancelled',
  SENDER_ACCOUNT_NOT_ACTIVE: 'operator_account_blocked',
}

export const mtnMomoContract: ContractUnderTest = {
  type: mtnMomo as unknown as ConnectorType,
  api: 'mtn',
  settings: {},
  // Each order names its address. The documents disagree about the method: the twin's own tests have the other one.
  callingBackAt: () => ({ callback_method: 'PUT' }),
  operators: { collect: ['mtn_ci'], payout: ['mtn_ci'], refund: ['mtn_ci'] },
  refusals: { collect: refusals, payout: refusals, refund: refusals },
  failures: {
    collect: {
      ...misconfigured,
      PAYER_NOT_FOUND: 'payer_not_found',
      PAYEE_NOT_FOUND: 'operator_configuration',
      NOT_ENOUGH_FUNDS: 'payer_insufficient_funds',
      PAYER_LIMIT_REACHED: 'payer_limit_reached',
      PAYEE_NOT_ALLOWED_TO_RECEIVE: 'operator_account_blocked',
      PAYMENT_NOT_APPROVED: 'payer_declined',
      APPROVAL_REJECTED: 'payer_declined',
      EXPIRED: 'payer_timeout',
      COULD_NOT_PERFORM_TRANSACTION: 'payer_timeout',
      TRANSACTION_CANCELED: 'payer_declined',
      SENDER_ACCOUNT_NOT_ACTIVE: 'payer_account_blocked',
      A_WORD_OF_NEXT_YEAR: 'operator_refused',
    },
    payout: { ...out, PAYER_NOT_FOUND: 'recipient_not_found' },
    refund: { ...out, PAYER_NOT_FOUND: 'operator_configuration' },
  },
  vague: {
    collect: ['INTERNAL_PROCESSING_ERROR'],
    out: [
      'PAYMENT_NOT_APPROVED',
      'APPROVAL_REJECTED',
      'EXPIRED',
      'COULD_NOT_PERFORM_TRANSACTION',
      'INTERNAL_PROCESSING_ERROR',
    ],
  },
  redirects: [],
  sandbox: { target_environment: 'sandbox' },
  forgeries: [],
  recipients: 'nearness',
  states_number: ['collect', 'payout'],
  wrong_settings: [
    [{ 'collection.subscription_key': 'a-key-of-another-product' }, /collection\.subscription_key/],
    [{ 'disbursement.api_key': 'a-key-of-another-user' }, /disbursement\.api_user with disbursement\.api_key/],
    [{ target_environment: 'mtncameroon' }, /target_environment/],
  ],
}
