import type { OperatorCode } from '../../words/operators.ts'
import type { PageLanguage } from '../page-facts.ts'

const NARROW = '\u202f'
const NO_BREAK = '\u00a0'

/** `10 000 F CFA`, which never breaks over a line; the same in both languages, as it stands on every price tag. */
export function writeAmount(francs: number): string {
  return `${String(francs).replace(/\B(?=(?:\d{3})+$)/g, NARROW)}${NO_BREAK}F${NO_BREAK}CFA`
}

/** A number as people of Côte d'Ivoire write it: `07 00 00 00 00`. What is not ten digits stays as it was typed. */
export function writeNumber(typed: string): string {
  const digits = typed.replace(/\D/g, '')
  return /^0\d{9}$/.test(digits) ? digits.replace(/\d\d\B/g, '$& ') : typed
}

const dates: Record<PageLanguage, Intl.DateTimeFormat> = { fr: format('fr-FR'), en: format('en-GB') }

function format(locale: string): Intl.DateTimeFormat {
  // Abidjan keeps UTC all year.
  return new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })
}

/** `20 novembre 2026 à 13:06` or `20 November 2026 at 13:06`, in Abidjan's time. */
export function writeDate(at: Date, language: PageLanguage): string {
  return dates[language].format(at)
}

/** `13:06`, in Abidjan's time. */
export function writeTime(at: Date): string {
  return at.toISOString().slice(11, 16)
}

/** The names that the operators give their wallets. */
export const operatorNames: Record<OperatorCode, string> = {
  orange_ci: 'Orange Money',
  mtn_ci: 'MTN MoMo',
  moov_ci: 'Moov Money',
  wave_ci: 'Wave',
}
