import type { ConnectorType } from '../../src/operators/contracts/connector-type.ts'
import { orangeWebpay } from '../../src/operators/orange-webpay/connector.ts'
import { orderIdOf } from '../../src/operators/orange-webpay/translate.ts'
import { type ContractUnderTest, NUMBER } from './contract.ts'

export const orangeWebpayContract: ContractUnderTest = {
  type: orangeWebpay as unknown as ConnectorType,
  api: 'orange',
  settings: {},
  // Each order names its address.
  callingBackAt: () => ({}),
  operators: { collect: ['orange_ci'], payout: [], refund: [] },
  refusals: {
    // Orange's numbers, written down apart from the connector's own table.
    collect: {
      21: 'operator_configuration',
      24: 'operator_configuration',
      50: 'operator_configuration',
      53: 'operator_configuration',
      60: 'operator_configuration',
      1201: 'operator_account_blocked',
      1202: 'operator_configuration',
      1203: 'operator_configuration',
    },
    payout: {},
    refund: {},
  },
  failures: {
    // Orange gives no reason: whatever it is, the payment has failed, or its time was over.
    collect: {
      EXPIRED: 'payer_timeout',
      payer_insufficient_funds: 'operator_refused',
      payer_declined: 'operator_refused',
    },
    payout: {},
    refund: {},
  },
  vague: { collect: ['FAILED'], out: [] },
  redirects: ['orange_ci'],
  nameOf: orderIdOf,
  kept: { pay_token: 'a-token', notif_token: 'another' },
  async pay(twin, url) {
    const fields = { number: NUMBER, code: twin.phone(NUMBER).code('orange_ci') }
    await fetch(url, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' })
    await twin.advance(2)
  },
  sandbox: { country_path: 'dev' },
  forgeries: [],
  failable_after_minutes: 30,
  wrong_settings: [[{ client_secret: 'a-secret-of-another-application' }, /client_secret/]],
}
