/** The most characters of a tag that we read, and of an escaped text: a cell keeps fewer. */
const TAG_MAX = 4_096
const ESCAPED_MAX = 8_192

export type Tag = {
  /** The name without the prefix of its namespace. */
  readonly name: string
  readonly closes: boolean
  /** Whether the tag opens and closes at once. */
  readonly empty: boolean
  /** The text before the tag. */
  readonly before: string
  attribute(name: string): string | undefined
}

/** Yields the tags of an XML text in order, each with the text before it. It skips comments, declarations and CDATA sections. */
export function tagsOf(xml: string): Generator<Tag> {
  return new TagReader().push(xml)
}

/** Reads the tags of an XML text that comes in pieces. */
export class TagReader {
  #rest = ''

  /** The characters that wait for the end of their tag. */
  get waiting(): number {
    return this.#rest.length
  }

  *push(piece: string): Generator<Tag> {
    const xml = this.#rest + piece
    let at = 0
    for (;;) {
      const from = xml.indexOf('<', at)
      const to = from === -1 ? -1 : xml.indexOf('>', from)
      if (to === -1) break
      const inside = xml.slice(from + 1, to)
      const before = xml.slice(at, from)
      at = to + 1
      if (inside.startsWith('?') || inside.startsWith('!')) continue
      const closes = inside.startsWith('/')
      const empty = inside.endsWith('/')
      const [qualified = ''] = inside.slice(closes ? 1 : 0).split(/[\s/]/, 1)
      const name = qualified.slice(qualified.indexOf(':') + 1)
      yield { name, closes, empty, before, attribute: (wanted) => attributeOf(inside, wanted) }
    }
    this.#rest = xml.slice(at)
  }
}

/** Whether an attribute of a tag is on, as ECMA-376 writes it. An absent one has the given value. */
export function isOn(tag: Tag, name: string, absent = false): boolean {
  const value = tag.attribute(name)
  return value === undefined ? absent : value === '1' || value.toLowerCase() === 'true'
}

function attributeOf(tag: string, name: string): string | undefined {
  for (const [, qualified, value, other] of tag
    .slice(0, TAG_MAX)
    .matchAll(/\s([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)) {
    if (qualified!.slice(qualified!.indexOf(':') + 1) === name) return unescaped(value ?? other ?? '')
  }
  return undefined
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

function unescaped(whole: string): string {
  const text = whole.slice(0, ESCAPED_MAX)
  if (!text.includes('&')) return text
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w{2,4}));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return entities[name] ?? whole
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
    return code > 0x10ffff ? whole : String.fromCodePoint(code)
  })
}

/**
 * Returns the text of a cell or a note. Spreadsheets write a character that XML does not allow as `_x000D_`, and the underscore of a text
 * that looks so as `_x005F_` (ECMA-376, ST_Xstring).
 */
export function textIn(xml: string): string {
  const text = unescaped(xml)
  if (!text.includes('_x')) return text
  return text.replace(/_x([0-9a-f]{4})_/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}
