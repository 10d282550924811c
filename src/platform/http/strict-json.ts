import { type Fields, JsonReader, setField, Unreadable, WrittenNumber } from './json-reader.ts'

/** The content of a request body, with the original text of unusual numbers. */
export type StrictJson =
  | {
      readonly kind: 'parsed'
      /** The body. A number not written as plain digits of an exact integer is a `WrittenNumber`. */
      readonly value: unknown
      /** The same body for validation: each such number is NaN here, which no schema accepts. */
      readonly judged: unknown
    }
  /** `problem`: a sentence for the client about the fault and its position. It quotes no value of the body. */
  | { readonly kind: 'refused'; readonly problem: string }

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const nowhere: ReadonlySet<string> = new Set()

/**
 * Reads a body once, from its beginning to its end, in a time proportional to its length. JSON.parse would accept a repeated key,
 * read `1e2` as 100, round large numbers, and not report the position of a fault. Refused are:
 * - a text that is not JSON in UTF-8, or begins with a byte order mark;
 * - a key twice in one object;
 * - more than 16 384 keys or list items, or more than `depth_max` levels (ten);
 * - control characters and lone surrogates, in keys too: PostgreSQL would refuse or change them, and a terminal would obey them.
 * @param line_breaks_in the fields of the body whose values may contain line breaks and tabs
 * @param depth_max the deepest nesting of objects and lists
 */
export function parseStrictJson(
  bytes: Uint8Array,
  line_breaks_in: ReadonlySet<string> | 'everywhere' = nowhere,
  depth_max?: number,
): StrictJson {
  if (bytes.length === 0) return { kind: 'refused', problem: 'The body is empty. Send a JSON object.' }
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    const zipped = bytes[0] === 0x1f && bytes[1] === 0x8b
    const problem = zipped ? 'The body is compressed. Send it as it is, in UTF-8.' : 'The body is not valid UTF-8.'
    return { kind: 'refused', problem }
  }
  if (text.startsWith('\ufeff')) {
    return { kind: 'refused', problem: 'The body begins with a byte order mark (U+FEFF). Send UTF-8 without it.' }
  }
  const reader = new JsonReader(text, line_breaks_in, depth_max)
  try {
    const value = reader.readAll()
    return { kind: 'parsed', value, judged: reader.odd_numbers ? judge(value) : value }
  } catch (error) {
    if (error instanceof Unreadable) return { kind: 'refused', problem: `${error.message} ${placeIn(text, error.at)}.` }
    throw error
  }
}

/** Whether a text is well-formed Unicode without control characters; line breaks and tabs are control characters too. */
export function isCleanText(text: string): boolean {
  return !/[\u0000-\u001f\u007f-\u009f]/.test(text) && text.isWellFormed()
}

/**
 * Returns the canonical text of a value: equal for equal values, whatever the order of keys and the spaces. The fingerprint of an
 * idempotent request is its hash. A `WrittenNumber` keeps its original text.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value !== 'object' || value === null) return String(value)
  if (value instanceof WrittenNumber) return value.text
  let text = ''
  if (Array.isArray(value)) {
    for (const item of value) text += text === '' ? canonicalJson(item) : `,${canonicalJson(item)}`
    return `[${text}]`
  }
  for (const key of sorted(Object.keys(value))) {
    text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson((value as Fields)[key])}`
  }
  return `{${text}}`
}

/** The most keys for which inserting one after the other is faster than `sort`, which makes lists of its own. */
const FEW_KEYS = 16

/** Sorts keys in place, as `sort` does. */
function sorted(keys: string[]): string[] {
  if (keys.length > FEW_KEYS) return keys.sort()
  for (let at = 1; at < keys.length; at += 1) {
    const key = keys[at]!
    let to = at
    for (; to > 0 && keys[to - 1]! > key; to -= 1) keys[to] = keys[to - 1]!
    keys[to] = key
  }
  return keys
}

function judge(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof WrittenNumber) return Number.NaN
  if (Array.isArray(value)) return value.map(judge)
  const judged: Fields = {}
  for (const key of Object.keys(value)) setField(judged, key, judge((value as Fields)[key]))
  return judged
}

/** Describes a position in a text by line and character, counted from one as in editors. */
function placeIn(text: string, at: number): string {
  const before = text.slice(0, at)
  const line_start = before.lastIndexOf('\n') + 1
  let line = 1
  for (let from = before.indexOf('\n'); from !== -1; from = before.indexOf('\n', from + 1)) line += 1
  return `(line ${line}, character ${at - line_start + 1})`
}
