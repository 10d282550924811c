import { type Html, html } from '../../platform/http/html.ts'
import { groupDigits } from '../../values/group-digits.ts'

// Drawings above a table of the same figures: SVG without text, stretched to its place, with an axis that begins at zero.

/** The width of a day in a drawing. The height of the drawing is 100. */
const DAY = 10
/** The number of lines of the axis above zero. */
const LINES = 4

/** Returns the end of an axis: the smallest round number from `most` on that divides evenly into its lines. */
export function axisEnd(most: number): number {
  const least = Math.max(1, most) / LINES
  const power = 10 ** Math.floor(Math.log10(least))
  const step = [1, 1.5, 2, 2.5, 3, 4, 5, 10]
    .map((times) => times * power)
    .find((one) => one >= least && Number.isInteger(one))
  return LINES * (step ?? Math.ceil(least))
}

/** Writes a short figure for an axis: `2,5 M`. */
export function writeAxis(figure: number): string {
  if (figure >= 1_000_000) return `${String(figure / 1_000_000).replace('.', ',')}\u00a0M`
  return writeCount(figure)
}

/** Writes a number with separated thousands. */
export function writeCount(figure: number): string {
  return groupDigits(figure)
}

export type Bar = { readonly to: string; readonly value: number; readonly more: number }

type Axis = { readonly end: number; readonly days_max: number; readonly labels: readonly string[] }

/** Draws a bar for each day, with the second figure hatched on top. @param name the drawing's name on its page */
export function bars(name: string, days: readonly Bar[], { end, days_max, labels }: Axis): Html {
  const high = (figure: number) => round((figure / end) * 100)
  const drawn = days.map(({ to, value, more }, nth) => {
    const x = nth * DAY + DAY * 0.15
    const width = DAY * 0.7
    const top = high(value)
    const above = high(more)
    return html`<a href="${to}" tabindex="-1"><rect class="hit" x="${nth * DAY}" y="0" width="${DAY}" height="100"/><rect class="fill" x="${x}" y="${round(100 - top)}" width="${width}" height="${top}"/>${more > 0 && html`<rect fill="url(#lost-${name})" x="${x}" y="${round(100 - top - above)}" width="${width}" height="${above}"/>`}</a>`
  })
  const width = days_max * DAY
  const hatch = html`<pattern id="lost-${name}" width="${DAY * 0.35}" height="3" patternUnits="userSpaceOnUse"><path class="hatch" vector-effect="non-scaling-stroke" d="M0 3L${DAY * 0.35} 0"/></pattern>`
  return frame({
    end,
    labels,
    width,
    drawing: html`${days.some(({ more }) => more > 0) && hatch}${lines(width)}${drawn}`,
  })
}

/** Draws a curve over the days, with a filled area below. */
export function curve(days: readonly { to: string | null; value: number }[], { end, days_max, labels }: Axis): Html {
  const points = days.map(({ value }, nth) => `${round((nth + 0.5) * DAY)} ${round(100 - (value / end) * 100)}`)
  const line = `M${points.join('L')}`
  const [first, last] = [0.5 * DAY, (days.length - 0.5) * DAY]
  const width = days_max * DAY
  const hits = days.map(
    ({ to }, nth) =>
      to !== null &&
      html`<a href="${to}" tabindex="-1"><rect class="hit" x="${nth * DAY}" y="0" width="${DAY}" height="100"/></a>`,
  )
  return frame({
    ...{ end, labels, width },
    drawing: html`<path class="under" d="${line}V100H${first}z"/>${lines(width)}<path class="curve" d="${line}${last === first && `h${DAY / 10}`}"/>${hits}`,
  })
}

function frame({
  end,
  labels,
  width,
  drawing,
}: {
  end: number
  labels: readonly string[]
  width: number
  drawing: Html
}): Html {
  const marks = Array.from({ length: LINES + 1 }, (_, nth) => writeAxis((end / LINES) * (LINES - nth)))
  return html`<div class="plot"><div class="y" aria-hidden="true">${marks.map((mark) => html`<span>${mark}</span>`)}</div><svg viewBox="0 0 ${width} 100" preserveAspectRatio="none" aria-hidden="true">${drawing}</svg><div class="x" aria-hidden="true">${labels.map((label) => html`<span>${label}</span>`)}</div></div>`
}

function lines(width: number): Html {
  const paths = Array.from({ length: LINES + 1 }, (_, nth) => `M0 ${round((100 / LINES) * nth)}h${width}`)
  return html`<path class="grid-line" d="${paths.join('')}"/>`
}

/**
 * Returns the labels under the days, at most ten: each is under the middle of an odd number of days.
 * @param days_max the days of the axis; the last group may extend it
 */
export function labelsOf(days: readonly string[], days_max: number): { labels: string[]; days_max: number } {
  const each = [1, 3, 5, 7, 9].find((one) => days_max / one <= 14) ?? 9
  const groups = Math.ceil(days_max / each)
  const began = Date.parse(days[0]!)
  const labels = Array.from({ length: groups }, (_, nth) => {
    const day = nth * each + Math.floor(each / 2)
    return day >= days_max ? '' : String(new Date(began + day * 86_400_000).getUTCDate())
  })
  return { labels, days_max: groups * each }
}

function round(figure: number): number {
  return Math.round(figure * 100) / 100
}
