import type { Unread } from '../read-csv.ts'

/**
 * The kind of text that a sheet shows in a cell with a number. `as_number`: digits as in a telephone number, which are not those of an amount: with zeros before
 * them, in groups that are not thousands, or after 225.
 */
export type Shown = 'plain' | 'as_number' | Extract<Unread, NumberUnread>
type NumberUnread = 'date' | 'time' | 'percent' | 'fraction' | 'currency' | 'not_shown' | 'shown_otherwise'

/** The formats without a code of their own (ECMA-376, 18.8.30). 5 to 8, 42 and 44 show the currency of the machine that opens them. */
const builtIn: Readonly<Record<number, string>> = {
  ...{ 0: 'General', 1: '0', 2: '0.00', 3: '#,##0', 4: '#,##0.00', 9: '0%', 10: '0.00%', 11: '0.00E+00', 12: '# ?/?' },
  ...{ 13: '# ??/??', 14: 'dd/mm/yyyy', 15: 'd-mmm-yy', 16: 'd-mmm', 17: 'mmm-yy', 18: 'h:mm AM/PM', 20: 'h:mm' },
  ...{ 19: 'h:mm:ss AM/PM', 21: 'h:mm:ss', 22: 'm/d/yy h:mm', 37: '#,##0;-#,##0', 38: '#,##0;[Red]-#,##0' },
  ...{ 39: '#,##0.00;-#,##0.00', 40: '#,##0.00;[Red]-#,##0.00', 41: '#,##0', 43: '#,##0.00', 45: 'mm:ss' },
  ...{ 46: '[h]:mm:ss', 47: 'mm:ss.0', 48: '##0.0E+0', 49: '@' },
}
const CURRENCIES = [5, 6, 7, 8, 42, 44]
/** Dates of East Asia. */
const isEastAsianDate = (id: number) => (id >= 27 && id <= 36) || (id >= 50 && id <= 58)

/** The most characters of a format, as in spreadsheets. */
const CODE_MAX = 255

/** Returns the code of a format without one of its own. An unknown one shows numbers as they are. */
export function builtInFormat(id: number): string {
  if (CURRENCIES.includes(id)) return '#,##0\\ [$\u00a4]'
  return builtIn[id] ?? (isEastAsianDate(id) ? 'dd/mm/yyyy' : 'General')
}

/** One part of a format, such as that for negative numbers, as what it draws. */
type Section = {
  readonly kind: 'general' | 'text' | 'digits' | 'none' | NumberUnread
  /** The letters and signs that it adds. */
  readonly words: string
  /** The digits that it adds. */
  readonly added: string
  /** The placeholders of the whole part, in the groups that literal signs make: `# ##0` has `#` and `##0`. */
  readonly groups: readonly string[]
}

/** Returns what a format shows of a number. */
export function shownOf(code: string, value: number): Shown {
  const sections = sectionsOf(code)
  if (/\[[<>=]/.test(code.replace(/"[^"]*"|\\./g, ''))) return 'shown_otherwise'
  const numeric = sections.slice(0, 3)
  const at = value < 0 && numeric.length > 1 ? 1 : value === 0 && numeric.length > 2 ? 2 : 0
  const section = readSection(numeric[at] ?? '')
  const { kind, words, added, groups } = section
  if (kind === 'general' || kind === 'text') return plainWith(words, added)
  if (kind !== 'digits') return kind === 'none' ? (words === '' ? 'not_shown' : 'shown_otherwise') : kind
  if (words === '' && groups.slice(1).some((group) => group.length !== 3)) return 'as_number'
  const zeros = groups.join('').replace(/[^0]/g, '').length
  if (zeros > Math.max(1, String(Math.trunc(Math.abs(value))).length)) return 'as_number'
  return plainWith(words, added)
}

/** Whether a format hides or changes a text. */
export function hidesText(code: string): boolean {
  const sections = sectionsOf(code)
  const section = sections[3] ?? (sections.length === 1 && /@/.test(code) ? code : '@')
  const { kind, words, added } = readSection(section)
  return (kind !== 'text' && kind !== 'general') || /\p{L}/u.test(words) || added !== ''
}

/** Writes a date as its format shows it. Null when the format has names of days or months, or a time. @param serial days since 1899-12-30 */
export function writeSerialDate(code: string, serial: number): string | null {
  const [format = ''] = sectionsOf(code)
  const bare = format.replace(/\[\$-[0-9a-f]+\]/gi, '').replace(/\\(.)/g, '$1')
  if (!/^(?:dd?(?!d)|mm?(?!m)|yy(?:yy)?(?!y)|[-/. ])+$/i.test(bare) || !Number.isInteger(serial)) return null
  if (serial < 61 || serial > 2_958_465) return null
  const date = new Date(Date.UTC(1899, 11, 30) + serial * 86_400_000)
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()]
  return bare.replace(/[dmy]+/gi, (run) => {
    const value = /d/i.test(run) ? day : /m/i.test(run) ? month : run.length === 2 ? year % 100 : year
    return String(value).padStart(run.length, '0')
  })
}

function plainWith(words: string, added: string): Shown {
  if (words !== '' && !isFrancs(words)) return isCurrency(words) ? 'currency' : 'shown_otherwise'
  if (added === '') return 'plain'
  return words === '' && /^(?:0|(?:00)?2250?)$/.test(added) ? 'as_number' : 'shown_otherwise'
}

function isFrancs(words: string): boolean {
  return /^(?:f|fcfa|cfa|xof|frs?|frs?cfa|francs?|francs?cfa|fcfaxof)$/i.test(words)
}

/** Whether words name another currency than ours: by its sign, or by three letters. */
export function isCurrency(words: string): boolean {
  return (
    /\p{Sc}/u.test(words) || /^(?:[A-Z]{3}|euros?|dollars?|cedis?|nairas?|dirhams?|livres?|gnf|dalasis?)$/i.test(words)
  )
}

/** Splits a format at its semicolons, but not at those inside quotation marks and brackets or after a backslash. */
function sectionsOf(code: string): string[] {
  const parts = code.slice(0, CODE_MAX).match(/(?:"[^"]*"|\\.|\[[^\]]*\]|[^;])+|;/gs) ?? []
  const sections = ['']
  for (const part of parts) {
    if (part === ';') sections.push('')
    else sections[sections.length - 1] += part
  }
  return sections
}

const pieces =
  /"(?<quoted>[^"]*)"?|\\(?<escaped>.)|_.|\*.|\[(?<bracket>[^\]]*)\]|(?<general>General|Standard)|(?<noon>AM\/PM|A\/P)|(?<power>E[+-])|(?<digit>[0#?])|(?<date>[dmyhsbeg]+)|(?<sign>.)/gis

/** Reads one section of a format. */
function readSection(section: string): Section {
  let [literals, dates] = ['', '']
  let [general, text, percent, power, elapsed, hidden, scaled] = [false, false, false, false, false, false, false]
  let slashes = 0
  let ended = false
  const groups: string[] = []
  let open = false
  const literal = (sign: string) => {
    literals += sign
    open = false
  }
  for (const { groups: piece = {} } of section.matchAll(pieces)) {
    const { quoted, escaped, bracket, digit, date, sign } = piece
    if (piece.general !== undefined) general = true
    else if (piece.noon !== undefined) dates += 'h'
    else if (piece.power !== undefined) power = true
    else if (bracket !== undefined) {
      const [, symbol, locale] = /^\$([^-]*)(?:-([0-9a-f]+))?/i.exec(bracket) ?? []
      if (symbol !== undefined) literal(symbol)
      if (locale !== undefined && /^f[48]00$/i.test(locale)) dates += /^f8/i.test(locale) ? 'd' : 'h'
      if (/^(?:h+|m+|s+)$/i.test(bracket)) elapsed = true
      if (/^(?:white|blanc)$/i.test(bracket)) hidden = true
    } else if (digit !== undefined) {
      if (ended) scaled = false
      else if (open) groups[groups.length - 1] += digit
      else groups.push(digit)
      open = true
      scaled = false
    } else if (date !== undefined) dates += date.toLowerCase()
    else if (quoted !== undefined || escaped !== undefined) literal(quoted ?? escaped ?? '')
    else if (sign === '@') text = true
    else if (sign === '%') percent = true
    else if (sign === '/') slashes += 1
    else if (sign === ',') scaled = groups.length > 0
    else if (sign === '.') ended = groups.length > 0
    else if (sign !== undefined) literal(sign)
  }
  const words = literals.replace(/[^\p{L}\p{Sc}]/gu, '')
  const added = literals.replace(/\P{N}/gu, '')
  return { kind: kindOf(), words, added, groups }

  function kindOf(): Section['kind'] {
    if (hidden) return 'not_shown'
    if (elapsed || (dates !== '' && !/[dy]/.test(dates) && /[hs]/.test(dates))) return 'time'
    if (dates !== '') return 'date'
    if (percent) return 'percent'
    if (groups.length > 0 && slashes > 0) return 'fraction'
    if (power || scaled) return 'shown_otherwise'
    if (groups.length > 0) return 'digits'
    if (general) return 'general'
    return text ? 'text' : 'none'
  }
}
