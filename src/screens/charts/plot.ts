import { type Html, html, type Piece } from '../../platform/http/html.ts'
import { groupDigits } from '../../values/group-digits.ts'
import type { Language } from '../../values/language.ts'

// Drawings above a table of the same figures: SVG without text, stretched to its place, with an axis that begins at zero.

/** The width of a day in a drawing. The height of the drawing is 100. */
const DAY = 10
/** The fewest and the most lines of an axis above zero; a whole number below the fewest has one line each. */
const [LINES_MIN, LINES_MAX] = [3, 5]

/** The scale of a drawing: its end, and the number of its lines above zero, at whole numbers. */
export type Scale = { readonly end: number; readonly lines: number }

/** Returns the scale that ends at the first round number from `most` on, with few lines. The largest value takes at least three quarters of it. */
export function scaleOf(most: number): Scale {
  const whole = Math.max(1, Math.ceil(most))
  if (whole < LINES_MIN) return { end: whole, lines: whole }
  const power = 10 ** Math.floor(Math.log10(whole / LINES_MAX))
  const steps = [1, 2, 2.5, 4, 5, 10].map((times) => times * power).filter((step) => Number.isInteger(step))
  const scales = steps
    .map((step) => ({ end: step * Math.ceil(whole / step), lines: Math.ceil(whole / step) }))
    .filter(({ lines }) => lines >= LINES_MIN && lines <= LINES_MAX)
  return scales.reduce((best, one) =>
    one.end < best.end || (one.end === best.end && one.lines < best.lines) ? one : best,
  )
}

/** Writes a figure of an axis in the unit of its end: `2,5 M` in French, `2.5 M` in English. */
export function writeAxis(figure: number, { end, language }: { end: number; language: Language }): string {
  if (end < 1_000_000 || figure === 0) return writeCount(figure)
  const [whole = '0', part = ''] = String(figure / 1_000_000).split('.')
  const point = language === 'fr' ? ',' : '.'
  return `${writeCount(Number(whole))}${part && point + part}\u00a0M`
}

/** Writes a number with separated thousands. */
export function writeCount(figure: number): string {
  return groupDigits(figure)
}

/** A day with its list. `value_to`, `more_to`: the lists of each figure; absent: that of the day. */
export type Bar = {
  readonly to: string
  readonly value: number
  readonly value_to?: string
  readonly more: number
  readonly more_to?: string
}

type Axis = Scale & { readonly language: Language; readonly days_max: number; readonly labels: readonly string[] }

/** Draws a bar for each day, with the second figure hatched on top. @param name the drawing's name on its page */
export function bars(name: string, days: readonly Bar[], axis: Axis): Html {
  const { end } = axis
  const high = (figure: number) => round((figure / end) * 100)
  const drawn = days.map(({ to, value, value_to, more, more_to }, nth) => {
    const x = nth * DAY + DAY * 0.15
    const width = DAY * 0.7
    const top = high(value)
    const above = high(more)
    const hit = html`<rect class="hit" x="${nth * DAY}" y="0" width="${DAY}" height="100"/>`
    const fill = html`<rect class="fill" x="${x}" y="${round(100 - top)}" width="${width}" height="${top}"/>`
    const hatched =
      more > 0 &&
      html`<rect fill="url(#lost-${name})" x="${x}" y="${round(100 - top - above)}" width="${width}" height="${above}"/>`
    const inner = (list: string | undefined, mark: Html | false) =>
      list === undefined || mark === false ? mark : html`<a href="${list}" tabindex="-1">${mark}</a>`
    const marks = [inner(value > 0 ? value_to : undefined, fill), inner(more_to, hatched)]
    return value_to === undefined
      ? html`<a href="${to}" tabindex="-1">${hit}${marks}</a>`
      : html`<a href="${to}" tabindex="-1">${hit}</a>${marks}`
  })
  const width = DAY * 0.35
  const line = html`<path class="hatch" vector-effect="non-scaling-stroke" d="M0 3L${width} 0"/>`
  const hatch = html`<pattern id="lost-${name}" width="${width}" height="3" patternUnits="userSpaceOnUse">${line}</pattern>`
  return frame(axis, html`${days.some(({ more }) => more > 0) && hatch}${gridLines(axis)}${drawn}`)
}

/** Draws a curve over the days, with a filled area below. A single day is as wide as a bar. */
export function curve(days: readonly { to: string | null; value: number }[], axis: Axis): Html {
  const high = (value: number) => round(100 - (value / axis.end) * 100)
  const middles = days.map(({ value }, nth) => [(nth + 0.5) * DAY, high(value)] as const)
  const [[, only] = [0, 0]] = middles
  const points =
    days.length === 1
      ? ([
          [DAY * 0.15, only],
          [DAY * 0.85, only],
        ] as const)
      : middles
  const line = `M${points.map(([x, y]) => `${x} ${y}`).join('L')}`
  const hits = days.map(
    ({ to }, nth) =>
      to !== null &&
      html`<a href="${to}" tabindex="-1"><rect class="hit" x="${nth * DAY}" y="0" width="${DAY}" height="100"/></a>`,
  )
  const under = `${line}V100H${points[0]![0]}z`
  return frame(axis, html`<path class="under" d="${under}"/>${gridLines(axis)}<path class="curve" d="${line}"/>${hits}`)
}

/** The key of bars with a hatched part. */
export function barsKey(filled: string, hatched: string): Html {
  const key = html`<span><span class="swatch"></span>${filled}</span>`
  return html`<p class="key-line">${key}<span><span class="swatch other"></span>${hatched}</span></p>`
}

function frame(axis: Axis, drawing: Html): Html {
  const { end, lines, labels, days_max } = axis
  const marks = Array.from({ length: lines + 1 }, (_, nth) => writeAxis((end / lines) * (lines - nth), axis))
  const shown = (words: readonly Piece[]) => html`${words.map((one) => html`<span>${one}</span>`)}`
  const svg = html`<svg viewBox="0 0 ${days_max * DAY} 100" preserveAspectRatio="none" aria-hidden="true">${drawing}</svg>`
  const y = html`<div class="y" aria-hidden="true">${shown(marks)}</div>`
  return html`<div class="plot">${y}${svg}<div class="x" aria-hidden="true">${shown(labels)}</div></div>`
}

function gridLines({ lines, days_max }: Axis): Html {
  const paths = Array.from({ length: lines + 1 }, (_, nth) => `M0 ${round((100 / lines) * nth)}h${days_max * DAY}`)
  return html`<path class="grid-line" d="${paths.join('')}"/>`
}

/**
 * Returns the labels under the days, each under the middle of an odd number of days: the day of the month, and in a period of several months
 * the month too, `6/9`.
 * @param days_max the days of the axis; the last group may extend it
 */
export function labelsOf(days: readonly string[], days_max: number): { labels: string[]; days_max: number } {
  const each = [1, 3, 5, 7, 9].find((one) => days_max / one <= 14) ?? 9
  const groups = Math.ceil(days_max / each)
  const began = Date.parse(days[0]!)
  const labels = Array.from({ length: groups }, (_, nth) => {
    const day = nth * each + Math.floor(each / 2)
    const at = new Date(began + day * 86_400_000)
    const month = days_max > 31 ? `/${at.getUTCMonth() + 1}` : ''
    return day >= days_max ? '' : `${at.getUTCDate()}${month}`
  })
  return { labels, days_max: groups * each }
}

function round(figure: number): number {
  return Math.round(figure * 100) / 100
}
