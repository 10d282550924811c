import { Msisdn } from '../values/msisdn.ts'

const TEXT_MAX = 400

const DAY = String.raw`\d{1,2}(?:er)?(?:[/.-]\d{1,2}(?:[/.-]\d{2,4})?)?`
const MONTH =
  '(?:JANV(?:IER)?|FEVR(?:IER)?|MARS|AVR(?:IL)?|MAI|JUIN|JUIL(?:LET)?|AOUT|SEPT(?:EMBRE)?|OCT(?:OBRE)?|NOV(?:EMBRE)?|DEC(?:EMBRE)?|JAN(?:UARY)?|FEB(?:RUARY)?|MARCH|APRIL|MAY|JUNE|JULY|AUGUST|SEPTEMBER|OCTOBER|NOVEMBER|DECEMBER)'
const DATE = String.raw`${DAY}(?: ?${MONTH}\b)?(?: \d{4}\b)?`
const PERIOD = new RegExp(
  String.raw`\b(?:DU|FROM) ?${DATE} ?(?:AU|TO) ?${DATE}|\b\d{1,2}[/.-]\d{1,2}[/.-]\d{2,4}\b`,
  'gi',
)
/** Our identifiers (`values/ids.ts`), and those of callers, which are UUIDs. */
const ID = /^(?:[a-z]{2,3}_[0-9a-z]{26}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i
/** Letters of the union's payment systems and of banks inside references. */
const SYSTEM = /STAR|SICA|VIR|TRF|OPE|REF/gi
/** At least three digits, and letters in groups of at most two. A longer group may be a name, because messages join words. */
const REFERENCE = /^(?=(?:\D*\d){3})(?!.*[A-Z]{3})[A-Z0-9-]{4,18}$/i

/**
 * Returns what matching needs of a free text of a bank: the periods that it names, our identifiers and the bank's references, with one space
 * between them. No other word is kept, because it may be a name, and no number of a telephone. Null when there is none.
 */
export function keptText(text: string): string | null {
  if (!/\d/.test(text)) return null
  const seen = text.normalize('NFD').replace(/\p{M}/gu, '').replace(/\s+/g, ' ')
  const periods = seen.match(PERIOD) ?? []
  const others = seen
    .replace(PERIOD, ' ')
    .split(/[^A-Za-z0-9_-]+/)
    .filter((word) => ID.test(word) || (REFERENCE.test(word.replace(SYSTEM, '-')) && Msisdn.parse(word) === null))
  const kept = [...periods, ...others].join(' ')
  return kept === '' ? null : kept.slice(0, TEXT_MAX)
}
