import { INVISIBLE } from '../values/comparable.ts'
import { Masked } from '../values/masked.ts'

/**
 * An account number of a bank in Côte d'Ivoire (IBAN). It prints itself masked: only its end shows. `.text` is the only way to the whole
 * number.
 */
export class Iban extends Masked {
  readonly #text: string

  private constructor(text: string) {
    super()
    this.#text = text
  }

  /** The 28 letters and digits without spaces, for a bank or for the database. */
  get text(): string {
    return this.#text
  }

  get last4(): string {
    return this.#text.slice(-4)
  }

  /** `CI******0589` */
  override get masked(): string {
    return `CI******${this.last4}`
  }

  /**
   * Reads an IBAN in any letter case, with or without spaces. Null when it is no IBAN of this country: CI, two correct check digits, and the
   * bank's part. That part begins with CI again, or in the older form with one letter. We use our own pattern because some libraries know
   * only the older form.
   */
  static parse(written: string): Iban | null {
    if (written.length > 64) return null
    const text = written.replace(INVISIBLE, '').replace(/\s/g, '').toUpperCase()
    // For some accounts 00, 01 and 99 have the right remainder as well, but no bank issues them.
    const formed = /^CI(?!00|01|99)\d{2}(?:[A-Z]{2}\d{22}|[A-Z]\d{23})$/.test(text)
    return formed && remainder(text) === 1n ? new Iban(text) : null
  }
}

/** The remainder of ISO 13616: the first four characters move to the end, letters become numbers from 10 on, and the result is divided by 97. */
function remainder(text: string): bigint {
  const turned = text.slice(4) + text.slice(0, 4)
  return BigInt(turned.replace(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55))) % 97n
}
