import { TableRefused } from './table-refused.ts'

const DEPTH_MAX = 32

export type JsonObject = Readonly<Record<string, unknown>>

/** An object that was found. `is_alone`: it is of the outermost level. `list`: the lists of the second level that had begun. */
export type FoundObject = { readonly record: JsonObject; readonly is_alone: boolean; readonly list: number }

/** Returns the fields of an object before its first list. Null when it begins without one, or is no JSON. */
export function fieldsBeforeList(text: string): JsonObject | null {
  let [depth, inside] = [0, false]
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at]!
    if (inside) {
      if (sign === '\\') at += 1
      else if (sign === '"') inside = false
    } else if (sign === '"') inside = true
    else if (sign === '[' && depth === 1) return parsed(`${text.slice(0, at)}null}`)
    else if (sign === '{' || sign === '[') depth += 1
    else if (sign === '}' || sign === ']') depth -= 1
  }
  return null
}

function parsed(text: string): JsonObject | null {
  try {
    return JSON.parse(text) as JsonObject
  } catch {
    return null
  }
}

/** Finds the objects of some places by counting brackets, and parses each alone, so that no file is in memory whole. */
export class ObjectScanner {
  readonly #places: ReadonlySet<string>
  readonly #length_max: number
  /** The open brackets, from the outermost. */
  #open = ''
  #inside = false
  #escaped = false
  #text = ''
  /** The depth of the object that is kept. Null: none is open. */
  #from: number | null = null
  #found: FoundObject[] = []
  #list = 0
  #count = 0
  has_begun = false

  /** @param places the brackets up to an object that counts, such as `[{`. @param length_max the most characters of one */
  constructor(places: readonly string[], length_max: number) {
    this.#places = new Set(places)
    this.#length_max = length_max
  }

  /** Whether everything that was opened is closed. */
  get is_closed(): boolean {
    return this.#open === '' && !this.#inside
  }

  /** Returns the objects found since the last call. */
  drain(): FoundObject[] {
    const found = this.#found
    this.#found = []
    return found
  }

  /** Returns the beginning of an object that is too long, and forgets it. Null: there is none. */
  takeLong(): { readonly text: string; readonly is_alone: boolean } | null {
    if (this.#text.length <= this.#length_max) return null
    const long = { text: this.#text, is_alone: this.#from === 1 }
    this.#text = ''
    this.#from = null
    this.#open = ''
    this.#inside = this.#escaped = false
    return long
  }

  /**
   * Reads a piece from an index on, until its end or the end of an outermost bracket.
   * @returns the index behind what was read
   * @throws TableRefused `too_deep`, or `damaged`
   */
  push(piece: string, from: number): number {
    let start = this.#from === null ? -1 : from
    let at = from
    let ended = false
    for (; at < piece.length && !ended; at += 1) {
      const sign = piece[at]!
      if (this.#inside) {
        if (this.#escaped) this.#escaped = false
        else if (sign === '\\') this.#escaped = true
        else if (sign === '"') this.#inside = false
      } else if (sign === '"') this.#inside = true
      else if (sign === '{' || sign === '[') {
        this.#begin(sign)
        if (this.#from === null && sign === '{' && this.#places.has(this.#open)) {
          this.#from = this.#open.length
          start = at
        }
      } else if (sign === '}' || sign === ']') {
        this.#end(sign)
        if (this.#from !== null && this.#open.length < this.#from) {
          this.#keep(this.#text + piece.slice(start, at + 1))
          start = -1
        }
        ended = this.#open === ''
      }
    }
    if (this.#from !== null) this.#text += piece.slice(Math.max(start, from), at)
    return at
  }

  #begin(sign: string): void {
    this.has_begun = true
    this.#open += sign
    if (this.#open.length === 2 && sign === '[') this.#list += 1
    if (this.#open.length > DEPTH_MAX) throw new TableRefused('too_deep', this.#count)
  }

  #end(sign: string): void {
    if (this.#open.at(-1) !== (sign === '}' ? '{' : '[')) throw new TableRefused('damaged', this.#count)
    this.#open = this.#open.slice(0, -1)
  }

  #keep(text: string): void {
    const is_alone = this.#from === 1
    this.#from = null
    this.#text = ''
    this.#count += 1
    const record = parsed(text)
    if (record === null) throw new TableRefused('damaged', this.#count)
    this.#found.push({ record, is_alone, list: this.#list })
  }
}
