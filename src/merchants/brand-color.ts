/** The texts that may stand on a merchant's colour: white, and the ink of the page. */
const TEXTS = ['#ffffff', '#16211c'] as const

/** The contrast that WCAG AA requires of text: the ratio of the two luminances. */
export const CONTRAST_MIN = 4.5

export type BrandColor = {
  /** `#0a7d4b` */
  color: string
  /** The text that reads best on it. */
  text_color: (typeof TEXTS)[number]
  /** Of the two, rounded down to hundredths. */
  contrast: number
}

export type ReadColor =
  | { kind: 'color'; color: BrandColor }
  | { kind: 'refused'; why: 'not_a_color' }
  /** `nearest`: the same colour, darkened until white reads well on it. */
  | { kind: 'refused'; why: 'contrast'; found: BrandColor; nearest: string }

/**
 * Reads a colour such as `#0A7D4B` for what stands behind a text. It looks the same by day and by night, and so does the text on
 * it; so one measure holds for both colour schemes. A colour on which neither white nor dark text reads well is refused.
 */
export function readColor(written: string): ReadColor {
  const color = /^#?([0-9a-f]{6})$/i.exec(written.trim())?.[1]?.toLowerCase()
  if (color === undefined) return { kind: 'refused', why: 'not_a_color' }
  const found = measure(`#${color}`)
  if (found.contrast >= CONTRAST_MIN) return { kind: 'color', color: found }
  return { kind: 'refused', why: 'contrast', found, nearest: darkened(`#${color}`) }
}

/** A colour that was read, with the text on it and their contrast. */
export function measure(color: string): BrandColor {
  const [best] = TEXTS.map((text_color) => ({ color, text_color, contrast: contrastOf(color, text_color) })).sort(
    (one, other) => other.contrast - one.contrast,
  )
  return best!
}

/** From 1 (the same) to 21 (black and white), as WCAG 2 defines it, rounded down to hundredths. */
export function contrastOf(one: string, other: string): number {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number]
  return Math.floor(((light + 0.05) / (dark + 0.05)) * 100) / 100
}

function luminance(color: string): number {
  const [red, green, blue] = channels(color).map((channel) => {
    const share = channel / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function channels(color: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))
}

function darkened(color: string): string {
  for (let percent = 99; percent > 0; percent -= 1) {
    const darker = `#${channels(color)
      .map((channel) =>
        Math.round((channel * percent) / 100)
          .toString(16)
          .padStart(2, '0'),
      )
      .join('')}`
    if (contrastOf(darker, TEXTS[0]) >= CONTRAST_MIN) return darker
  }
  return '#000000'
}
