/**
 * What a request body says, read so that the raw text is not lost: JSON.parse alone accepts duplicate keys, makes 100 of
 * `1e2` and rounds what no exact number can hold.
 */
export type StrictJson =
  | {
      readonly kind: 'parsed'
      /** The body. A number not written as plain digits of an exact integer is a `JSON.rawJSON` of its own text. */
      readonly value: unknown
      /** The same body for validation: each such number is NaN here, which no schema takes for anything. */
      readonly judged: unknown
    }
  | { readonly kind: 'refused' }

// TypeScript's library does not know these two yet.
type RawJson = { readonly rawJSON: string }
const { rawJSON, isRawJSON } = JSON as unknown as {
  rawJSON(text: string): RawJson
  isRawJSON(value: unknown): value is RawJson
}

/** Objects and arrays inside one another at most. No field of the interface needs more than four. */
const DEPTH_MAX = 10

const refused = { kind: 'refused' } as const
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Reads a body. Refused: what is not UTF-8 JSON (a byte order mark included), a key twice in one object, more than ten
 * levels, and texts that PostgreSQL would refuse or alter or that a terminal would obey: control characters and lone
 * surrogates, in keys too.
 */
export function parseStrictJson(bytes: Uint8Array): StrictJson {
  let text: string
  let value: unknown
  try {
    text = utf8.decode(bytes)
    value = JSON.parse(text)
  } catch {
    return refused
  }
  const scan = scanText(text)
  if (scan === null || scan.keys !== countKeys(value)) return refused
  if (scan.escapes && !areTextsClean(value)) return refused
  if (!scan.oddNumbers) return { kind: 'parsed', value, judged: value }
  return { kind: 'parsed', value: reviveNumbers(text, rawJSON), judged: reviveNumbers(text, () => Number.NaN) }
}

/** Whether a text is well-formed Unicode without control characters. */
export function isCleanText(text: string): boolean {
  return !/[\u0000-\u001f\u007f]/.test(text) && text.isWellFormed()
}

/**
 * A text that is equal for equal values whatever the order of their keys and the spaces between: the fingerprint of an
 * idempotent request is taken over it. Numbers kept raw stay as they were written.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join()}]`
  if (isRawJSON(value)) return value.rawJSON
  let text = ''
  for (const key of Object.keys(value).sort()) {
    text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson((value as Record<string, unknown>)[key])}`
  }
  return `{${text}}`
}

type Scan = {
  /** Keys written, so that fewer keys in the value means that one was written twice. */
  readonly keys: number
  /** Whether any text is written with an escape. Only an escape can hide a control character or a lone surrogate. */
  readonly escapes: boolean
  /** Whether any number is written otherwise than as plain digits of an exact integer. */
  readonly oddNumbers: boolean
}

/** One pass over a text that is known to be JSON. Null: too deep, or U+007F in a text. */
function scanText(text: string): Scan | null {
  let keys = 0
  let depth = 0
  let escapes = false
  let oddNumbers = false
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    if (unit === 0x22 /* " */) {
      for (at += 1; text.charCodeAt(at) !== 0x22; at += 1) {
        const inside = text.charCodeAt(at)
        if (inside === 0x7f) return null
        if (inside === 0x5c /* \ */) {
          escapes = true
          at += 1
        }
      }
    } else if (unit === 0x3a /* : */) keys += 1
    else if (unit === 0x7b /* { */ || unit === 0x5b /* [ */) {
      depth += 1
      if (depth > DEPTH_MAX) return null
    } else if (unit === 0x7d /* } */ || unit === 0x5d /* ] */) depth -= 1
    else if (unit === 0x2d /* - */ || isDigit(unit)) {
      const start = at
      while (isNumberPart(text.charCodeAt(at + 1))) at += 1
      oddNumbers ||= !isPlainInteger(text.slice(start, at + 1))
    }
  }
  return { keys, escapes, oddNumbers }
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39
}

/** Digits and `+ - . E e`; everything that can stand in a JSON number. */
function isNumberPart(unit: number): boolean {
  return isDigit(unit) || unit === 0x2e || unit === 0x2d || unit === 0x2b || unit === 0x65 || unit === 0x45
}

function isPlainInteger(token: string): boolean {
  return /^-?\d+$/.test(token) && token !== '-0' && Number.isSafeInteger(Number(token))
}

function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  let count = 0
  if (Array.isArray(value)) for (const item of value) count += countKeys(item)
  else for (const key in value) count += 1 + countKeys((value as Record<string, unknown>)[key])
  return count
}

function areTextsClean(value: unknown): boolean {
  if (typeof value === 'string') return isCleanText(value)
  if (typeof value !== 'object' || value === null) return true
  if (Array.isArray(value)) return value.every(areTextsClean)
  return Object.entries(value).every(([key, item]) => isCleanText(key) && areTextsClean(item))
}

/** Reads the text once more, with every number that is not a plain integer replaced by what `revive` makes of it. */
function reviveNumbers(text: string, revive: (token: string) => unknown): unknown {
  const reviver = (_key: string, value: unknown, context?: { source?: string }): unknown =>
    typeof value === 'number' && !isPlainInteger(context!.source!) ? revive(context!.source!) : value
  return JSON.parse(text, reviver as (key: string, value: unknown) => unknown)
}
