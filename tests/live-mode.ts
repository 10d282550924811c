/**
 * Files that run twice: in test mode on the simulator, as all do, and in live mode on the operators' twin, with `npm run test:live`. With
 * each stand those of its tests that are about test mode alone: the title as it is written there, and the reason.
 */
export const inBothModes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'tests/contract/amounts.test.ts': {},
  'tests/contract/cancel-payment.test.ts': {},
  'tests/contract/cancel-payout.test.ts': {},
  'tests/contract/checkout-links.test.ts': {},
  'tests/contract/checkout-receipts.test.ts': {},
  'tests/contract/checkout-security.test.ts': {},
  'tests/contract/deposits.test.ts': {},
  'tests/contract/expiry.test.ts': {},
  'tests/contract/idempotency.test.ts': {},
  'tests/contract/kill-switch.test.ts': {},
  'tests/contract/payments.test.ts': {
    'the least that can be asked in test mode: an amount, and to have it succeed': 'simulate is of test mode',
    'with `simulate` a test payment needs no payer; a Wave payer is led to the app without a number': 'so is this',
    'a live key asks a real operator; without a connector the payment fails and says why': 'here there are connectors',
    'a ${mode} payment that names ${what} is accepted, fails and says what was missing': 'it names both modes itself',
  },
  'tests/contract/payout-batches.test.ts': {},
  'tests/contract/payout-windows.test.ts': {},
  'tests/contract/payouts.test.ts': {
    'a live key asks a real operator: without a connector the payout fails, and the money is back':
      'here there are some',
  },
  'tests/contract/refunds.test.ts': {},
  'tests/contract/settlement-decisions.test.ts': {},
  'tests/contract/settlements.test.ts': {},
  'tests/contract/statement-equation.test.ts': {},
  'tests/contract/statement-files.test.ts': {},
  'tests/contract/statements.test.ts': {},
  'tests/contract/x-events.test.ts': {},
}
