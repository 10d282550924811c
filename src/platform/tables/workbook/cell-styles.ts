import { createPauses } from '../../pauses.ts'
import { builtInFormat } from './number-format.ts'
import { isOn, type Tag, tagsOf } from './xml-tags.ts'

/** How a sheet shows the cells of one style. */
export type CellStyle = {
  /** The code of its number format. */
  readonly format: string
  readonly struck: boolean
  /** White on white. */
  readonly invisible: boolean
}

/** The style of a cell without one. */
export const plainStyle: CellStyle = { format: 'General', struck: false, invisible: false }

type Font = { struck: boolean; white: boolean }

/** Reads the styles to which cells refer by index (ECMA-376, 18.8). */
export async function readStyles(xml: string): Promise<readonly CellStyle[]> {
  const pauses = createPauses()
  const formats = new Map<number, string>()
  const fonts: Font[] = []
  // A filled cell shows white letters.
  const fills: boolean[] = []
  const styles: CellStyle[] = []
  let list = ''
  for (const tag of tagsOf(xml)) {
    if (pauses.isDue()) await pauses.take()
    if (/^(?:numFmts|fonts|fills|cellXfs|cellStyleXfs|dxfs)$/.test(tag.name))
      list = tag.closes || tag.empty ? '' : tag.name
    else if (list === 'numFmts' && tag.name === 'numFmt') {
      formats.set(numberIn(tag, 'numFmtId'), tag.attribute('formatCode') ?? 'General')
    } else if (list === 'fonts') readFont(tag, fonts)
    else if (list === 'fills') readFill(tag, fills)
    else if (list === 'cellXfs' && tag.name === 'xf' && !tag.closes) {
      const id = numberIn(tag, 'numFmtId')
      const { struck = false, white = false } = fonts[numberIn(tag, 'fontId')] ?? {}
      const filled = fills[numberIn(tag, 'fillId')] ?? false
      styles.push({ format: formats.get(id) ?? builtInFormat(id), struck, invisible: white && !filled })
    }
  }
  return styles
}

function numberIn(tag: Tag, name: string): number {
  return Number(tag.attribute(name) ?? 0)
}

function readFont(tag: Tag, fonts: Font[]): void {
  if (tag.closes) return
  if (tag.name === 'font') fonts.push({ struck: false, white: false })
  const font = fonts.at(-1)
  if (font === undefined) return
  if (tag.name === 'strike') font.struck = isOn(tag, 'val', true)
  if (tag.name === 'color') font.white = isWhite(tag)
}

function readFill(tag: Tag, fills: boolean[]): void {
  if (tag.closes) return
  if (tag.name === 'fill') fills.push(false)
  if (tag.name === 'patternFill') fills[fills.length - 1] = !/^(?:none)?$/.test(tag.attribute('patternType') ?? '')
  if (tag.name === 'gradientFill') fills[fills.length - 1] = true
  if (tag.name === 'fgColor' && fills.at(-1) === true) fills[fills.length - 1] = !isWhite(tag)
}

/** White by its parts, by the theme's first colour, or by the places of white in the list of colours. */
function isWhite(tag: Tag): boolean {
  const rgb = tag.attribute('rgb')
  if (rgb !== undefined) return /ffffff$/i.test(rgb)
  if (tag.attribute('theme') !== undefined)
    return tag.attribute('theme') === '0' && !/^-/.test(tag.attribute('tint') ?? '')
  return /^(?:1|9|65)$/.test(tag.attribute('indexed') ?? '')
}
