import { randomFillSync } from 'node:crypto'

/** Every prefix of our identifiers. A UUIDv7 in 26 base-32 letters follows it (TypeID). */
export type IdPrefix =
  | 'txn'
  | 'por'
  | 'pob'
  | 'pbd'
  | 'cs'
  | 'lnk'
  | 'stl'
  | 'dep'
  | 'mov'
  | 'evt'
  | 'whe'
  | 'dlv'
  | 'ano'
  | 'rfd'
  | 'rfq'
  | 'adj'
  | 'cap'
  | 'inc'
  | 'vis'
  | 'anp'
  | 'prp'
  | 'rcp'
  | 'per'
  | 'inv'
  | 'ses'
  | 'stp'
  | 'csd'
  | 'tph'
  | 'stf'
  | 'lin'
  | 'dif'
  | 'mow'
  | 'mdo'

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

// Random bytes come a page at a time, so that one system call serves hundreds of identifiers.
const pool = Buffer.alloc(4096)
let drawn = pool.length

function randomBytes(count: number): Buffer {
  if (drawn + count > pool.length) {
    randomFillSync(pool)
    drawn = 0
  }
  drawn += count
  return pool.subarray(drawn - count, drawn)
}

/** A buffer that each identifier reuses. */
const uuid = Buffer.alloc(16)

let lastMillisecond = 0
let withinMillisecond = 0

/**
 * Makes a new identifier such as `txn_01jd3c…`. Identifiers of one process sort in the order of their creation, so that inserts append to
 * the index of a primary key.
 * @param milliseconds the present, in milliseconds since 1970; the identifier contains it
 */
export function newId(prefix: IdPrefix, milliseconds: number): string {
  if (milliseconds > lastMillisecond) {
    lastMillisecond = milliseconds
    withinMillisecond = 0
  } else if (++withinMillisecond > 0xfff) {
    lastMillisecond += 1
    withinMillisecond = 0
  }
  return typeId(prefix, lastMillisecond, withinMillisecond, randomBytes(8))
}

/**
 * Returns the identifier of a moment and ten bytes. The same ones give the same identifier, so that a repeated request names the same
 * object. The bytes must be an HMAC, which nobody can choose or guess.
 */
export function idFrom(prefix: IdPrefix, milliseconds: number, bytes: Buffer): string {
  return typeId(prefix, milliseconds, bytes.readUInt16BE(0) & 0xfff, bytes.subarray(2, 10))
}

/** The last moment of an identifier, in milliseconds since 1970: its time has 48 bits. */
const LAST_MOMENT = 2 ** 48 - 1

/**
 * Returns the smallest identifier of a moment. Identifiers made from then on do not sort before it, in any collation. For an impossible
 * moment it uses the nearest possible one.
 */
export function firstIdAt(prefix: IdPrefix, milliseconds: number): string {
  return typeId(prefix, Math.min(Math.max(milliseconds, 0), LAST_MOMENT), 0, Buffer.alloc(8))
}

/** Milliseconds by which the time in an identifier may differ from the moment at which its row says it was created. */
export const IDS_OFF_MS = 60_000

/**
 * Returns the bounds of the identifiers of what was created between two moments; null: no such moment. They are a little too wide, for an
 * index; the query compares the moments too.
 * @returns `from` belongs to the range, `before` does not
 */
export function idsBetween(
  prefix: IdPrefix,
  { created_from, created_before }: { readonly created_from: Date | null; readonly created_before: Date | null },
): { from: string; before: string } {
  const from = created_from === null ? `${prefix}_` : firstIdAt(prefix, created_from.getTime() - IDS_OFF_MS)
  const before = created_before === null ? `${prefix}_z` : firstIdAt(prefix, created_before.getTime() + IDS_OFF_MS)
  return { from, before }
}

/** Writes a UUIDv7: 48 bits of time, version 7, 12 bits of `low`, variant 2, 62 bits of `bytes`. */
function typeId(prefix: IdPrefix, milliseconds: number, low: number, bytes: Uint8Array): string {
  const high = Math.floor(milliseconds / 0x1_0000_0000)
  uuid.writeUInt16BE(high, 0)
  uuid.writeUInt32BE(milliseconds - high * 0x1_0000_0000, 2)
  uuid.writeUInt16BE(0x7000 | low, 6)
  uuid.set(bytes, 8)
  uuid[8] = 0x80 | (uuid[8]! & 0x3f)
  // 128 bits as 26 letters of five bits: two zero bits come first.
  return `${prefix}_${base32(uuid, 2)}`
}

/** Writes bytes as base-32 letters, for secrets. The last letter is padded with zero bits. */
export function base32Bytes(bytes: Uint8Array): string {
  return base32(bytes, 0)
}

/** Writes five bits a letter, most significant first, after this many zero bits. */
function base32(bytes: Uint8Array, leadingBits: number): string {
  let text = ''
  let held = 0
  let bits = leadingBits
  for (const byte of bytes) {
    held = (held << 8) | byte
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += ALPHABET[(held >> bits) & 31]
    }
    held &= (1 << bits) - 1
  }
  return bits > 0 ? text + ALPHABET[(held << (5 - bits)) & 31] : text
}

/**
 * Whether a path segment has the form of an identifier: this prefix, then 1 to 64 letters or digits. Another form answers `invalid_id`; an
 * unknown identifier of this form answers `resource_not_found`.
 */
export function looksLikeId(prefix: string, text: string): boolean {
  return text.startsWith(`${prefix}_`) && /^[0-9A-Za-z]{1,64}$/.test(text.slice(prefix.length + 1))
}

/** The same as the pattern of a field. @param prefix or several, between `|` */
export function idPattern(prefix: string): string {
  return `^${prefix.includes('|') ? `(${prefix})` : prefix}_[0-9A-Za-z]{1,64}$`
}
