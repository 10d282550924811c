import type { OperatorCode } from './operators.ts'

/**
 * A wallet number of Côte d'Ivoire in international form (`+2250707123456`). It prints itself masked, so that a
 * careless log line shows only the last four digits; `.e164` is the one way to the whole number.
 */
export class Msisdn {
  readonly #e164: string

  private constructor(e164: string) {
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
  get masked(): string {
    return `+225******${this.last4}`
  }

  toString(): string {
    return this.masked
  }

  toJSON(): string {
    return this.masked
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.masked
  }

  /** A number already normalised by us, read back from the database. */
  static stored(e164: string): Msisdn {
    return new Msisdn(e164)
  }

  /**
   * The number a person or a program wrote: ten digits, or the same after `+225`, `225` or `00225`; spaces, dots,
   * dashes and parentheses are dropped. Null when it is not a mobile number of the ten-digit plan of 2021, in which the
   * whole of 01, 05 and 07 is mobile and nothing else is: one pattern is the plan.
   */
  static parse(written: string): Msisdn | null {
    if (written.length > 64) return null
    const digits = written.replace(/[\s.\-()\u00a0\u202f\u2010-\u2015]/g, '')
    const national = /^(?:\+225|00225|225)?(0[157]\d{8})$/.exec(digits)?.[1]
    return national === undefined ? null : new Msisdn(`+225${national}`)
  }
}

/**
 * The operator that received this number's range. Only a hint: numbers are portable since 2018 and a Wave wallet
 * hangs on a number of any network, so it may propose and never refuse.
 */
export function operatorOfPrefix(msisdn: Msisdn): OperatorCode | null {
  const byPrefix: Record<string, OperatorCode> = { '01': 'moov_ci', '05': 'mtn_ci', '07': 'orange_ci' }
  return byPrefix[msisdn.e164.slice(4, 6)] ?? null
}

/** `•• •• •• •• 17`: a number of which only the last two digits are told, in the places that a payer knows. */
export function showEnd(lastTwo: string): string {
  return `•• •• •• •• ${lastTwo}`
}

/** Hides all but the last four digits of anything that could be a telephone number, in text kept as evidence. */
export function maskNumbers(text: string): string {
  return text.replace(/\+?\d{6,11}(\d{4})(?!\d)/g, '******$1')
}

/** The same value, with everything in its texts hidden that could be a telephone number. */
export function maskNumbersIn(value: unknown): unknown {
  if (typeof value === 'string') return maskNumbers(value)
  if (Array.isArray(value)) return value.map(maskNumbersIn)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, maskNumbersIn(inner)]))
}
