/** A number with its original text, such as `1e2`, `-0`, or one too large for an exact number. It is serialised as that text. */
export class WrittenNumber {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
  toJSON(): unknown {
    return rawJSON(this.text)
  }
}

// TypeScript's library does not declare it yet.
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown }

export type Fields = Record<string, unknown>

/** The deepest nesting of objects and arrays, unless the caller passes another number. No field of the interface needs more than four levels. */
const DEPTH_MAX = 10

/**
 * The most fields in a body, those of all its objects together, because each costs as much as a hundred bytes of text. A batch of 500
 * lines has a fifth of them.
 */
const FIELDS_MAX = 16_384
/** The most list items in a body, those of all its lists together. Sixty bodies of 1 MB with 350 000 items each blocked the service for others. */
const ITEMS_MAX = 16_384

/** Thrown at any depth for an invalid body, and caught by the function that began to read it. */
export class Unreadable extends Error {
  readonly at: number
  constructor(message: string, at: number) {
    super(message)
    this.at = at
  }
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const ZERO = 0x30
const MINUS = 0x2d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d

/** Reads one text, one UTF-16 unit after the other. After the end a unit is NaN, which equals nothing. */
export class JsonReader {
  /** Whether any number is a `WrittenNumber`. */
  odd_numbers = false
  readonly #text: string
  readonly #line_breaks_in: ReadonlySet<string> | 'everywhere'
  readonly #depth_max: number
  #at = 0
  #depth = 0
  #fields = 0
  #items = 0
  /** Whether the current value may contain line breaks and tabs. */
  #breaks: boolean

  constructor(text: string, line_breaks_in: ReadonlySet<string> | 'everywhere', depth_max = DEPTH_MAX) {
    this.#text = text
    this.#line_breaks_in = line_breaks_in
    this.#depth_max = depth_max
    this.#breaks = line_breaks_in === 'everywhere'
  }

  readAll(): unknown {
    const value = this.#readValue()
    this.#skipSpaces()
    if (this.#at < this.#text.length) throw this.#broken('Nothing may follow the body, but something does')
    return value
  }

  #broken(message: string, at = this.#at): Unreadable {
    return new Unreadable(message, at)
  }

  #skipSpaces(): number {
    for (;;) {
      const unit = this.#text.charCodeAt(this.#at)
      if (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) return unit
      this.#at += 1
    }
  }

  #readValue(): unknown {
    const unit = this.#skipSpaces()
    if (unit === QUOTE) return this.#readText(this.#breaks)
    if (unit === OPEN_OBJECT) return this.#readObject()
    if (unit === OPEN_LIST) return this.#readList()
    if (unit === MINUS || isDigit(unit)) return this.#readNumber()
    if (this.#takeWord('true')) return true
    if (this.#takeWord('false')) return false
    if (this.#takeWord('null')) return null
    throw this.#broken(
      this.#at < this.#text.length ? 'The body is not JSON: a value is expected' : 'The body ends early',
    )
  }

  #takeWord(word: string): boolean {
    if (!this.#text.startsWith(word, this.#at)) return false
    this.#at += word.length
    return true
  }

  /** Enters the object or list whose opening bracket is at the position. Returns whether it is empty, and so already left. */
  #enter(close: number): boolean {
    this.#depth += 1
    if (this.#depth > this.#depth_max) throw this.#broken(`The body has more than ${this.#depth_max} levels`)
    this.#at += 1
    return this.#skipSpaces() === close && this.#leave()
  }

  #leave(): true {
    this.#at += 1
    this.#depth -= 1
    return true
  }

  /** After a value: returns whether the object or list continues. If not, it has been left. */
  #goesOn(close: number): boolean {
    const unit = this.#skipSpaces()
    if (unit === close) return !this.#leave()
    if (unit !== COMMA) {
      const bracket = String.fromCharCode(close)
      throw this.#broken(
        this.#at < this.#text.length
          ? `The body is not JSON: a comma or ${bracket} is expected`
          : 'The body ends early',
      )
    }
    this.#at += 1
    return true
  }

  #readList(): unknown[] {
    const list: unknown[] = []
    if (this.#enter(CLOSE_LIST)) return list
    do {
      this.#items += 1
      if (this.#items > ITEMS_MAX) throw this.#broken(`The body has more than ${ITEMS_MAX} items in its lists`)
      list.push(this.#readValue())
    } while (this.#goesOn(CLOSE_LIST))
    return list
  }

  #readObject(): Fields {
    const object: Fields = {}
    if (this.#enter(CLOSE_OBJECT)) return object
    do {
      this.#fields += 1
      if (this.#fields > FIELDS_MAX) throw this.#broken(`The body has more than ${FIELDS_MAX} fields`)
      const unit = this.#skipSpaces()
      const at = this.#at
      if (unit !== QUOTE) {
        throw this.#broken(
          at < this.#text.length
            ? 'The body is not JSON: the name of a field, in double quotes, is expected'
            : 'The body ends early',
        )
      }
      const key = this.#readText(false)
      if (Object.hasOwn(object, key)) throw this.#broken(`${sayKey(key)} is there twice in one object`, at)
      if (this.#skipSpaces() !== COLON) throw this.#broken('The body is not JSON: a colon is expected')
      this.#at += 1
      if (this.#depth === 1 && this.#line_breaks_in !== 'everywhere') this.#breaks = this.#line_breaks_in.has(key)
      setField(object, key, this.#readValue())
    } while (this.#goesOn(CLOSE_OBJECT))
    return object
  }

  /** At its opening quote. */
  #readText(breaks: boolean): string {
    const text = this.#text
    const start = this.#at + 1
    for (let at = start; ; at += 1) {
      const unit = text.charCodeAt(at)
      if (unit === QUOTE) {
        this.#at = at + 1
        return text.slice(start, at)
      }
      if (unit === BACKSLASH) return this.#readEscapes(start, at, breaks)
      if (!isClean(unit)) throw this.#dirty(unit, at)
    }
  }

  /** The text that began at `start`, whose first escape is at `first`. */
  #readEscapes(start: number, first: number, breaks: boolean): string {
    const text = this.#text
    let read = text.slice(start, first)
    let surrogates = false
    this.#at = first
    for (;;) {
      const unit = text.charCodeAt(this.#at)
      if (unit === QUOTE) break
      if (unit === BACKSLASH) {
        const at = this.#at
        const escaped = this.#readEscape()
        if (!isClean(escaped) && !(breaks && isBreak(escaped))) throw this.#dirty(escaped, at)
        surrogates ||= (escaped & 0xf800) === 0xd800
        read += String.fromCharCode(escaped)
      } else {
        const from = this.#at
        let at = from
        for (let next = unit; next !== QUOTE && next !== BACKSLASH; next = text.charCodeAt(at)) {
          if (!isClean(next)) throw this.#dirty(next, at)
          at += 1
        }
        read += text.slice(from, at)
        this.#at = at
      }
    }
    this.#at += 1
    if (surrogates && !read.isWellFormed()) throw this.#broken('A text holds half of a surrogate pair', start)
    return read
  }

  /** The unit that an escape stands for. At its backslash. */
  #readEscape(): number {
    const letter = this.#text.charCodeAt(this.#at + 1)
    if (letter === 0x75 /* u */) {
      let unit = 0
      for (let at = this.#at + 2; at < this.#at + 6; at += 1) {
        const digit = hexDigit(this.#text.charCodeAt(at))
        if (digit === -1) throw this.#broken('The body is not JSON: \\u needs four hexadecimal digits')
        unit = unit * 16 + digit
      }
      this.#at += 6
      return unit
    }
    const plain = escapes.get(letter)
    if (plain === undefined) throw this.#broken('The body is not JSON: this escape does not exist')
    this.#at += 2
    return plain
  }

  /** The error for a unit that is not allowed in a text. */
  #dirty(unit: number, at: number): Unreadable {
    if (Number.isNaN(unit)) return this.#broken('The body ends early, inside a text', at)
    const name = `U+${unit.toString(16).toUpperCase().padStart(4, '0')}`
    if (isBreak(unit)) {
      return this.#broken(`A line break or tab (${name}) is not allowed in this text; take it out`, at)
    }
    return this.#broken(`A text holds a control character (${name}); take it out`, at)
  }

  #readNumber(): number | WrittenNumber {
    const text = this.#text
    const start = this.#at
    const negative = text.charCodeAt(start) === MINUS
    let at = negative ? start + 1 : start
    let value = 0
    let unit = text.charCodeAt(at)
    if (!isDigit(unit)) throw this.#broken('The body is not JSON: a digit is expected', at)
    if (unit === ZERO) unit = text.charCodeAt(++at)
    // A value that is no longer an exact integer never becomes one again.
    else for (; isDigit(unit); unit = text.charCodeAt(++at)) value = value * 10 + (unit - ZERO)

    const whole = unit !== 0x2e /* . */ && unit !== 0x65 /* e */ && unit !== 0x45 /* E */
    if (unit === 0x2e) {
      at = this.#skipDigits(at + 1)
      unit = text.charCodeAt(at)
    }
    if (unit === 0x65 || unit === 0x45) {
      const sign = text.charCodeAt(at + 1)
      at = this.#skipDigits(sign === 0x2b /* + */ || sign === MINUS ? at + 2 : at + 1)
    }
    this.#at = at
    if (whole && value <= Number.MAX_SAFE_INTEGER && !(negative && value === 0)) return negative ? -value : value
    this.odd_numbers = true
    return new WrittenNumber(text.slice(start, at))
  }

  #skipDigits(from: number): number {
    let at = from
    while (isDigit(this.#text.charCodeAt(at))) at += 1
    if (at === from) throw this.#broken('The body is not JSON: a digit is expected', at)
    return at
  }
}

function isDigit(unit: number): boolean {
  return unit >= ZERO && unit <= 0x39
}

/** Neither a control character nor the end. */
function isClean(unit: number): boolean {
  return (unit >= 0x20 && unit < 0x7f) || unit > 0x9f
}

function isBreak(unit: number): boolean {
  return unit === 0x0a || unit === 0x0d || unit === 0x09
}

function hexDigit(unit: number): number {
  if (isDigit(unit)) return unit - ZERO
  const letter = unit | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x61 + 10 : -1
}

/** The characters behind a backslash, and their meanings. */
const escapes = new Map(
  [...'"\\/bfnrt'].map((letter, at) => [letter.charCodeAt(0), '"\\/\b\f\n\r\t'.charCodeAt(at)] as const),
)

/** As JSON.parse does it: `__proto__` is a name like another. */
export function setField(object: Fields, key: string, value: unknown): void {
  if (key !== '__proto__') object[key] = value
  else Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true })
}

/** A key as a message names it: only one that looks like the name of a field, because others may be anything. */
function sayKey(key: string): string {
  return /^[A-Za-z_]{1,40}$/.test(key) ? `The field ${key}` : 'A field'
}
