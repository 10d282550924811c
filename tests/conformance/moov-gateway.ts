import type { ConnectorType } from '../../src/operators/contracts/connector-type.ts'
import { moovGateway } from '../../src/operators/moov-gateway/connector.ts'
import type { ContractUnderTest, Words } from './contract.ts'

/** Codes about the call itself. To a question they say nothing of the order. */
const ofCall: Words = {
  1: 'operator_configuration',
  2: 'operator_configuration',
  4: 'operator_configuration',
  91: 'operator_configuration',
  98: 'operator_configuration',
}

/** The codes of the older platform, written down apart from the connector's own table: of prompts, and of payouts. */
const collected: Words = {
  3: 'invalid_number',
  6: 'operator_account_blocked',
  7: 'operator_account_blocked',
  8: 'payer_insufficient_funds',
  9: 'payer_account_blocked',
  10: 'payer_insufficient_funds',
  11: 'amount_out_of_bounds',
  12: 'amount_out_of_bounds',
  13: 'payer_limit_reached',
  14: 'payer_limit_reached',
  15: 'payer_limit_reached',
  16: 'payer_limit_reached',
  17: 'operator_account_blocked',
  18: 'operator_account_blocked',
  19: 'payer_limit_reached',
  20: 'payer_limit_reached',
  92: 'payer_timeout',
  95: 'operator_refused',
  555: 'payer_not_found',
}

const paid: Words = {
  3: 'invalid_number',
  6: 'recipient_account_blocked',
  7: 'recipient_account_blocked',
  8: 'operator_float_insufficient',
  9: 'recipient_account_blocked',
  10: 'operator_float_insufficient',
  11: 'amount_out_of_bounds',
  12: 'amount_out_of_bounds',
  13: 'operator_float_insufficient',
  14: 'operator_float_insufficient',
  15: 'operator_float_insufficient',
  16: 'operator_float_insufficient',
  17: 'recipient_limit_reached',
  18: 'recipient_limit_reached',
  19: 'operator_float_insufficient',
  20: 'operator_float_insufficient',
  95: 'operator_refused',
  555: 'recipient_not_found',
}

export const moovGatewayContract: ContractUnderTest = {
  type: moovGateway as unknown as ConnectorType,
  api: 'moov',
  settings: {},
  callingBackAt: null,
  // The suite asks for days; `moov-midnight.test.ts` has an operator that forgets at midnight.
  twin_settings: { forgets_at_midnight: false },
  operators: { collect: ['moov_ci'], payout: ['moov_ci'], refund: [] },
  refusals: { collect: { ...ofCall, ...collected }, payout: { ...ofCall, ...paid }, refund: {} },
  failures: { collect: collected, payout: paid, refund: {} },
  vague: { collect: ['95'], out: ['95'] },
  redirects: [],
  forgeries: [],
  failable_after_minutes: 1440,
  wrong_settings: [
    [{ password: 'a-password-of-another-user' }, /user with password/],
    [{ authorization: 'Bearer' }, /authorization/],
    [{ read_path: '/gateway/elsewhere' }, /read_path/],
  ],
}
