import type { Outcome } from '../rules.ts'
import type { Kind } from './settings.ts'

/** The sandbox's test wallets of Côte d'Ivoire, MTN's and Orange's: the last three digits say what happens, at once. */
const testWallet = /^\+225(?:0503456|0734567)(\d{3})$/

const endings: Readonly<Record<Kind, Record<string, Outcome>>> = {
  deposit: {
    '019': fails('PAYER_LIMIT_REACHED'),
    '029': fails('PAYER_NOT_FOUND'),
    '030': fails('PAYMENT_NOT_APPROVED'),
    '039': fails('PAYMENT_NOT_APPROVED'),
    '049': fails('INSUFFICIENT_BALANCE'),
    '069': fails('UNSPECIFIED_FAILURE'),
    '129': { outcome: 'nothing' },
    '130': { outcome: 'nothing' },
  },
  payout: {
    '030': fails('UNSPECIFIED_FAILURE'),
    '089': fails('RECIPIENT_NOT_FOUND'),
    '119': fails('UNSPECIFIED_FAILURE'),
    '129': { outcome: 'nothing' },
    '130': { outcome: 'nothing' },
  },
  refund: {},
}

function fails(reason: string): Outcome {
  return { outcome: 'fail', reason, after_seconds: 0 }
}

/** The outcome of a test wallet; null for any other number. Every ending that the table does not name succeeds. */
export function outcomeByNumber(kind: Kind, msisdn: string): Outcome | null {
  const ending = testWallet.exec(msisdn)?.[1]
  if (ending === undefined) return null
  return endings[kind][ending] ?? { outcome: 'succeed', after_seconds: 0 }
}

/** MTN's test numbers that several sources agree on, for each kind. */
const agreed: Readonly<Record<Kind, RegExp | null>> = {
  deposit: /^\+2250503456(?:789|029|039|069|129)$/,
  payout: /^\+2250503456(?:789|129|089|119)$/,
  refund: null,
}

/** Orange's three test numbers, and every ending taken from other countries, rest on one source or on none. */
export function unverifiedNumber(kind: Kind, msisdn: string): string | undefined {
  return testWallet.test(msisdn) && agreed[kind]?.test(msisdn) !== true
    ? 'This test number is known from one source or by analogy.'
    : undefined
}
