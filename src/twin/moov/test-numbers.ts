import type { Outcome } from '../rules.ts'
import type { Kind } from './settings.ts'

/** The behaviour of a test number. */
export type NumberOutcome = {
  outcome: Outcome
  /** The order is answered 99, whatever becomes of it. */
  answers_internal?: boolean
  /** Questions are answered that the state is unknown. */
  stays_unknown?: boolean
}

const testNumber = /^22501000000(\d{2})$/

/** The code with which an order to the number of an ending fails. */
const failing: Readonly<Record<string, string>> = {
  '08': '8',
  '09': '9',
  '11': '11',
  '17': '17',
  '92': '92',
  '95': '95',
}

const special: Readonly<Record<string, NumberOutcome>> = {
  '00': { outcome: { outcome: 'succeed', after_seconds: 0 } },
  '15': { outcome: { outcome: 'nothing' }, stays_unknown: true },
  '98': { outcome: { outcome: 'fail', reason: '95', after_seconds: 0 }, answers_internal: true },
  '99': { outcome: { outcome: 'succeed', after_seconds: 0 }, answers_internal: true },
}

/** The outcome of a number of the twin's table; null: it is any phone, and its holder decides. A prompt was sent before it fails. */
export function outcomeByNumber(kind: Kind, destination: string): NumberOutcome | null {
  const ending = testNumber.exec(destination)?.[1]
  if (ending === undefined) return null
  const reason = failing[ending]
  if (reason === undefined) return special[ending] ?? null
  return { outcome: kind === 'prompt' ? { outcome: 'fail', reason, after_seconds: 0 } : { outcome: 'refuse', reason } }
}
