const DIAL = 'the twin shows no code to dial'
const CODE = 'a code to type: the contracts of these tests ask for none; live-mode-moov-code.test.ts has one that does'
const LAPSED = 'pawaPay has no word for a request that lapsed'
const SILENT = 'an operator that is silent for an hour of the simulator'
const TEXT = 'the words of test mode'
const WAVE = 'a Wave payer answers on a page of the simulator; Wave lets a payer try until the session ends'
const CALLS = 'the signature of the simulator’s callbacks; tests/conformance has those of each contract'
const STORED = 'it is about stored rows: no order leaves'
const ONE_REFUND = 'pawaPay refuses a refund of a payment while another is under way'

/**
 * The files that run twice: in test mode on the simulator, like all files, and in live mode on the operators' twin, as with `npm test -- --live`.
 * Each has a list of its tests for test mode only: the title exactly as in the file, and the reason.
 *
 * Files about the simulator itself are not here. `checkout-approvals.test.ts` tests its ways to approve: a number to dial, a code to type, its
 * app. `doubt-desk.test.ts` is about live mode in either. `live-kills.test.ts` and `npm run fire -- operators` are the counterparts in live
 * mode of `kills-end.test.ts`.
 */
export const inBothModes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'tests/contract/amounts.test.ts': {},
  'tests/contract/anomalies.test.ts': {
    'a report with an unknown reference waits once, and people can credit it to the right merchant': CALLS,
  },
  'tests/contract/cancel-payment.test.ts': {},
  'tests/contract/cancel-payout.test.ts': {},
  'tests/browser/paying.test.ts': {
    'with script: the operator is proposed, the page follows by itself, and the receipt can be checked': DIAL,
    'without script: a payer can stop the reloads of a waiting page': WAVE,
    'a code to dial is a link': DIAL,
    'the operator’s app leads back to the page, ${how} script': WAVE,
    'a retry keeps number and operator, ${how} script': WAVE,
    'a wrong number is replaced once its request has ended, never beside it, ${how} script': WAVE,
    'a payer shares a receipt, ${how} script': TEXT,
    'a telephone with a sharing menu shows it in place of the links': TEXT,
    'the page says that a request has lapsed': LAPSED,
    'a merchant’s words are always text': TEXT,
  },
  'tests/browser/links.test.ts': {
    'with a fee on top shows the total before it asks for the number': TEXT,
  },
  'tests/browser/twice.test.ts': {
    'without a network the page says so and waits': DIAL,
  },
  'tests/contract/checkout-doubts.test.ts': {
    'a payer who looks for a code or opens an app has fifteen minutes before the page mentions a doubt': CODE,
  },
  'tests/contract/checkout-links.test.ts': {},
  'tests/contract/checkout.test.ts': {
    'after an attempt that ended as ${failure_code ?? status}, the payer tries again and pays once': LAPSED,
    'a live session is separate from test mode: its page says so, and nothing of test mode reaches it':
      'here there are connectors',
  },
  'tests/contract/checkout-races.test.ts': {
    'an attempt that lapsed and is proven later pays the session, also one that has expired or was closed': LAPSED,
    'a late proof after another attempt has paid is credited and kept for a person, with its evidence': LAPSED,
    'a late proof while another attempt is under way pays the session; should that one succeed too, it is kept': LAPSED,
    'a link for one payment that was closed and is then proven paid by two payers is paid once, and the second is kept':
      LAPSED,
  },
  'tests/contract/checkout-receipts.test.ts': {},
  'tests/contract/checkout-retry.test.ts': {},
  'tests/contract/checkout-security.test.ts': {},
  'tests/contract/deposits.test.ts': {},
  'tests/contract/doubts.test.ts': {
    'money given back by hand after the request lapsed is not credited by a later proof, which opens an anomaly':
      LAPSED,
    'a proof after the request lapsed is credited, also when the callback came before the operator could tell': LAPSED,
  },
  'tests/contract/expiry.test.ts': {},
  'tests/contract/idempotency.test.ts': {},
  'tests/contract/kill-switch.test.ts': {},
  'tests/contract/payments.test.ts': {
    'a test payment needs only an amount and `simulate`': 'simulate is of test mode',
    'with `simulate` a test payment needs no payer; a Wave payer is led to the app without a number': 'so is this',
    'a live key asks a real operator; without a connector the payment fails and says why': 'here there are connectors',
    'a ${mode} payment that names ${what} is accepted, fails and says what was missing': 'it names both modes itself',
  },
  'tests/contract/payout-batch-outcomes.test.ts': {
    'while an operator is slow the answer is en_cours; an unconfirmed line counts as an error until it is confirmed':
      SILENT,
    'a batch has no error if an indeterminate line succeeds before the last one ends': SILENT,
  },
  'tests/contract/payout-batches.test.ts': {},
  'tests/contract/payout-requests.test.ts': {},
  'tests/contract/payout-windows.test.ts': {},
  'tests/contract/payouts.test.ts': {
    'a live key asks a real operator: without a connector the payout fails, and the money is back':
      'here there are some',
  },
  'tests/contract/refund-endings.test.ts': {
    'concurrent refunds never give back more than was paid or than the balance': ONE_REFUND,
  },
  'tests/contract/proposed-refunds.test.ts': {},
  'tests/console/ask-refund.test.ts': {},
  'tests/contract/refunds.test.ts': {},
  'tests/contract/settlement-decisions.test.ts': {},
  'tests/contract/settlements.test.ts': {},
  'tests/contract/statement-files.test.ts': {},
  'tests/contract/statements.test.ts': {},
  'tests/contract/x-events.test.ts': {},
  'tests/faults/collection-outbox.test.ts': {
    'a group in the outbox and its job name the same collections, with the references of their keys': STORED,
    'if two workers claim one group at once, only one gets it': STORED,
  },
  'tests/faults/crash-points.test.ts': {},
  'tests/faults/held-instruction.test.ts': {},
}
