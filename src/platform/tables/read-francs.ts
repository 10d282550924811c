import { asSeen, bareFigures } from '../../values/as-seen.ts'

/**
 * Reads an amount in francs as banks and operators write it: `1 250 000`, `1.250.000,00`, `-1,250,000.00 XOF`, `(500)`, `500-`. Three digits
 * after a separator are thousands, because a franc has no subdivision. Null when the text is no whole number of francs.
 */
export function readFrancs(text: string): number | null {
  if (/^-?\d{1,15}$/.test(text)) return Number(text) + 0
  const seen = asSeen(text).trim()
  const inside = /^\((.+)\)$/.exec(seen)?.[1]
  const bare = bareFigures(inside ?? seen).replaceAll('\u2212', '-')
  const before = /^([^+-].*)-$/.exec(bare)?.[1]
  const [, sign, whole] =
    /^([+-]?)(\d{1,15})(?:[.,]0{1,2})?$/.exec(before ?? bare) ??
    /^([+-]?)(\d{1,3}(?:\.\d{3})+)(?:,0{1,2})?$/.exec(before ?? bare) ??
    /^([+-]?)(\d{1,3}(?:,\d{3})+)(?:\.0{1,2})?$/.exec(before ?? bare) ??
    []
  if (whole === undefined) return null
  const francs = Number(whole.replace(/\D/g, ''))
  if (!Number.isSafeInteger(francs)) return null
  const minuses = [sign === '-', before !== undefined, inside !== undefined].filter(Boolean).length
  if (minuses > 1 || (minuses === 1 && sign === '+')) return null
  return minuses === 1 && francs !== 0 ? -francs : francs
}

/**
 * Reads an amount whose form fixes the decimal mark, as numbers of workbooks, JSON, camt and MT940 do: `500`, `-500.00`. Three digits behind the
 * mark are a fraction, never thousands. Null when the text is no whole number of francs.
 */
export function readDecimal(text: string): number | null {
  const [, whole] = /^([+-]?\d{1,15})(?:\.0*)?$/.exec(text.trim()) ?? []
  return whole === undefined ? null : Number(whole) + 0
}
