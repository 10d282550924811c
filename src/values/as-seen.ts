import { INVISIBLE, isAscii } from './comparable.ts'

/**
 * Digits and signs of other widths and styles that stand for one plain character: the full-width and small forms of East Asian fonts, and
 * the mathematical and segmented digits of styled messages. Superscripts and circled digits are left out, because "10²" is not "102".
 */
const STYLED = /[\uff01-\uff5e\ufe50-\ufe6b\u3000\u{1d7ce}-\u{1d7ff}\u{1fbf0}-\u{1fbf9}]/gu

/** The sign that shows all that follows from right to left, digits too. */
const TURNS_AROUND = '\u202e'

/**
 * Returns a number, an amount or a search as a person sees it: without invisible characters, which telephones and chats add when a text is
 * copied, and with plain digits. References are kept as they were written, and only compared in a form of their own (`comparable.ts`).
 * A text that shows its digits from right to left comes back as it is, so that no reader takes it for another number.
 */
export function asSeen(text: string): string {
  if (isAscii(text) || text.includes(TURNS_AROUND)) return text
  return text.replace(INVISIBLE, '').replace(STYLED, (sign) => sign.normalize('NFKC'))
}

/** Returns a text without invisible characters. One that turns its text around comes back as it is, so that a page can show the sign. */
export function withoutInvisible(text: string): string {
  return isAscii(text) || text.includes(TURNS_AROUND) ? text : text.replace(INVISIBLE, '')
}

/** The unit of francs, before or after an amount. */
const UNIT = String.raw`(?:f\.?\s*cfa|frs?\.?\s*cfa|francs?\s*cfa|xof|cfa|francs?|frs?|f)\.?`
const UNIT_BEFORE = new RegExp(String.raw`^${UNIT}\s*(?=[\d+(-])`, 'i')
const UNIT_AFTER = new RegExp(String.raw`(?<=[\d)\s,.-])${UNIT}$`, 'i')

/** Returns a written amount as a person sees it, without the unit of francs before or after it, and without spaces at its ends. */
export function withoutUnit(text: string): string {
  return asSeen(text).trim().replace(UNIT_BEFORE, '').replace(UNIT_AFTER, '').trim()
}

/**
 * Returns a written amount without its unit, without the spaces and apostrophes that group its digits, and without the dash that stands for
 * no cents: `16 000,- F CFA` is `16000`.
 */
export function bareFigures(text: string): string {
  return withoutUnit(text)
    .replace(/(?<=\d)['\u2019](?=\d{3}(?!\d))/g, '')
    .replace(/[.,][-\u2013\u2014]$/, '')
    .replace(/\s/g, '')
}
