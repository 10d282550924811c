import type { Outcome } from '../rules.ts'

/** The outcome of a number, and whether the answer to its order gets lost although it is carried out. */
export type NumberOutcome = { outcome: Outcome; answer_lost: boolean }

/** Wave has no sandbox and no test numbers: these are the twin's own, +225 07 00 00 00 and two digits. */
const testNumber = /^\+22507000000(0[0-6])$/

const bySession: Readonly<Record<string, Outcome>> = {
  '00': { outcome: 'succeed' },
  '01': fails('insufficient-funds'),
  '02': fails('blocked-account'),
  '03': fails('kyb-limits-exceeded'),
  '04': { outcome: 'nothing' },
  '05': fails('payer-mobile-mismatch'),
  '06': { outcome: 'succeed' },
}

const byPayout: Readonly<Record<string, Outcome>> = {
  '00': { outcome: 'succeed' },
  '01': { outcome: 'refuse', reason: 'insufficient-funds' },
  '02': { outcome: 'refuse', reason: 'recipient-account-blocked' },
  '03': { outcome: 'refuse', reason: 'recipient-limit-exceeded' },
  '04': { outcome: 'nothing' },
  '05': { outcome: 'refuse', reason: 'country-mismatch' },
  '06': { outcome: 'succeed' },
}

function fails(reason: string): Outcome {
  return { outcome: 'fail', reason, after_seconds: 0 }
}

/** The outcome that a number brings about by itself; null for any other. */
export function outcomeByNumber(kind: 'session' | 'payout', msisdn: string): NumberOutcome | null {
  const ending = testNumber.exec(msisdn)?.[1]
  if (ending === undefined) return null
  const outcome = (kind === 'session' ? bySession : byPayout)[ending]!
  return { outcome, answer_lost: ending === '06' }
}
