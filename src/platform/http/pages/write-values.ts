import { groupDigits } from '../../../values/group-digits.ts'
import type { Language } from '../../../values/language.ts'
import { type Html, html } from '../html.ts'

const NO_BREAK = '\u00a0'

/** Writes an amount as `10 000 F CFA`, without a line break, the same in both languages, as on price tags. */
export function writeAmount(francs: number): string {
  return `${groupDigits(francs)}${NO_BREAK}F${NO_BREAK}CFA`
}

/** The same with large figures and a small currency. A narrow window breaks it only between the two. */
export function drawAmount(francs: number): Html {
  return html`<span class="sum">${groupDigits(francs)} <small>F${NO_BREAK}CFA</small></span>`
}

/** Writes a number as people in Côte d'Ivoire do: `07 00 00 00 00`. A text that is not ten digits stays unchanged. */
export function writeNumber(typed: string): string {
  const digits = typed.replace(/\D/g, '')
  return /^0\d{9}$/.test(digits) ? digits.replace(/\d\d\B/g, '$& ') : typed
}

/** Masks a phone number as `•• 93 06`: its last four digits, in pairs as people say them. */
export function writeNumberEnd(last4: string): string {
  return `••\u00a0${last4.slice(0, 2)}\u00a0${last4.slice(2)}`
}

const dates = inBoth({ dateStyle: 'long', timeStyle: 'short' })
const shortDates = inBoth({ day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' })

function inBoth(style: Intl.DateTimeFormatOptions): Record<Language, Intl.DateTimeFormat> {
  // Abidjan keeps UTC all year.
  const format = (locale: string) => new Intl.DateTimeFormat(locale, { ...style, timeZone: 'UTC' })
  return { fr: format('fr-FR'), en: format('en-GB') }
}

/** `20 novembre 2026 à 13:06` or `20 November 2026 at 13:06`, in Abidjan's time. */
export function writeDate(at: Date, language: Language): string {
  return dates[language].format(at)
}

/** The same in short, `20 nov., 13:06` or `20 Nov, 13:06`. */
export function writeShortDate(at: Date, language: Language): string {
  return shortDates[language].format(at)
}

const days = inBoth({ dateStyle: 'long' })

/** The day alone, `20 novembre 2026` or `20 November 2026`. */
export function writeDay(at: Date, language: Language): string {
  return days[language].format(at)
}

const shortDays = inBoth({ day: 'numeric', month: 'short' })

/** The day without its year, `20 nov.` or `20 Nov`. */
export function writeShortDay(at: Date, language: Language): string {
  return shortDays[language].format(at)
}

/** The time of a day with its seconds, `13:06:41`, in Abidjan's time, which is UTC all year. */
export function writeTime(at: Date): string {
  return at.toISOString().slice(11, 19)
}

/** A sentence without a break before French punctuation, inside a number or before `h`, so that sentences can be written with plain spaces. */
export function keepTogether(sentence: string): string {
  return sentence.replace(/ (?=[:;?!»])|(?<=«) |(?<=\d) (?=\d|h\b)/g, NO_BREAK)
}
