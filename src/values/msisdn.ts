import { asSeen } from './as-seen.ts'
import { Masked } from './masked.ts'
import type { OperatorCode } from './operators.ts'

/**
 * A wallet's number of Côte d'Ivoire in international form (`+2250707123456`). It prints itself masked: only the last
 * four digits show. `.e164` is the only way to the whole number.
 */
export class Msisdn extends Masked {
  readonly #e164: string

  private constructor(e164: string) {
    super()
    this.#e164 = e164
  }

  /** The whole number, for an operator or for the database. */
  get e164(): string {
    return this.#e164
  }

  get last4(): string {
    return this.#e164.slice(-4)
  }

  get last2(): string {
    return this.#e164.slice(-2)
  }

  /** `+225******3456` */
  override get masked(): string {
    return `+225******${this.last4}`
  }

  /** Makes a number from a text that the database stored in international form. */
  static stored(e164: string): Msisdn {
    return new Msisdn(e164)
  }

  /**
   * Reads a number as people and programs write it: ten digits, or the same after `+225`, `225` or `00225`. Spaces, dots, dashes,
   * parentheses and invisible characters are ignored, and digits of another width are digits (`asSeen`). Null when it is no mobile number of the ten-digit plan of 2021: there all numbers with 01, 05 and 07 are mobile,
   * and no others.
   */
  static parse(written: string): Msisdn | null {
    if (written.length > 64) return null
    const digits = asSeen(written).replace(/[\s.\-()\u2010-\u2015\u2212]/g, '')
    const national = /^(?:\+225|00225|225)?(0[157]\d{8})$/.exec(digits)?.[1]
    return national === undefined ? null : new Msisdn(`+225${national}`)
  }
}

/**
 * Returns the operator to which this number's range was assigned. It is only a hint, never a reason to refuse: numbers are portable since
 * 2018, and a Wave wallet may have a number of any network.
 */
export function operatorOfPrefix(msisdn: Msisdn): OperatorCode | null {
  const byPrefix: Record<string, OperatorCode> = { '01': 'moov_ci', '05': 'mtn_ci', '07': 'orange_ci' }
  return byPrefix[msisdn.e164.slice(4, 6)] ?? null
}

/** Returns `•• •• •• •• 17`: a number with only its last two digits, spaced as a payer knows it. */
export function showEnd(lastTwo: string): string {
  return `•• •• •• •• ${lastTwo}`
}

/** A number of Côte d'Ivoire in pairs, as people write it, with up to three spaces, dots or dashes between two pairs. No letter or digit stands beside it, so that it is no part of an identifier. */
const inPairs =
  /(?<!\w)(?:(?:\+|00)?225[\s.\u2010-\u2015-]{0,3})?\(?0[157]\)?(?:[\s.\u2010-\u2015-]{0,3}\d\d){2}[\s.\u2010-\u2015-]{0,3}(\d\d)[\s.\u2010-\u2015-]{0,3}(\d\d)(?!\w)/g

/** Replaces each number of Côte d'Ivoire in a text, however it is written. @param write receives the last two pairs of its digits */
export function replaceNumbers(text: string, write: (pair: string, last: string) => string): string {
  return text.replace(inPairs, (_number, pair: string, last: string) => write(pair, last))
}

/** Hides all but the last four digits of anything that could be a phone number, in text that is stored as evidence. */
export function maskNumbers(text: string): string {
  const seen = asSeen(text)
  // The evidence is kept as it came, unless invisible characters would hide a number from us and not from a reader.
  return seen === text || maskPlain(seen) === seen ? maskPlain(text) : maskPlain(seen)
}

function maskPlain(text: string): string {
  return replaceNumbers(text, (pair, last) => `******${pair}${last}`).replace(/\+?\d{6,11}(\d{4})(?!\d)/g, '******$1')
}

/** Returns the same value with `maskNumbers` applied to all of its texts. */
export function maskNumbersIn(value: unknown): unknown {
  if (typeof value === 'string') return maskNumbers(value)
  if (Array.isArray(value)) return value.map(maskNumbersIn)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, maskNumbersIn(inner)]))
}
