import { randomFillSync } from 'node:crypto'

/** Every prefix an identifier of ours can carry. The text after it is a UUIDv7 in 26 base-32 letters (TypeID). */
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
  | 'adj'
  | 'cap'
  | 'vis'
  | 'anp'
  | 'per'
  | 'inv'
  | 'ses'
  | 'stp'
  | 'csd'

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

// Randomness is drawn a page at a time: one system call serves hundreds of identifiers.
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

/** Filled anew for each identifier. */
const uuid = Buffer.alloc(16)

let lastMillisecond = 0
let withinMillisecond = 0

/**
 * A new identifier such as `txn_01jd3c…`. Identifiers made by one process sort in the order they were made,
 * so that a primary key is appended to rather than scattered over its index.
 * @param milliseconds the present, in milliseconds since 1970 (the time is readable in the identifier)
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
 * The identifier that belongs to a moment and ten bytes: the same ones give the same identifier, so that a caller that asks for
 * the same thing twice names the same thing. The bytes must be such that nobody can choose or guess them (an HMAC).
 */
export function idFrom(prefix: IdPrefix, milliseconds: number, bytes: Buffer): string {
  return typeId(prefix, milliseconds, bytes.readUInt16BE(0) & 0xfff, bytes.subarray(2, 10))
}

/** The last moment that an identifier can have, in milliseconds: its time has 48 bits, and begins in 1970. */
const LAST_MOMENT = 2 ** 48 - 1

/**
 * The smallest identifier of a moment: those made from then on are not before it, in every order of letters. A moment that no identifier
 * has is the nearest that one can have.
 */
export function firstIdAt(prefix: IdPrefix, milliseconds: number): string {
  return typeId(prefix, Math.min(Math.max(milliseconds, 0), LAST_MOMENT), 0, Buffer.alloc(8))
}

/** UUIDv7: 48 bits of time, version 7, 12 bits of `low`, variant 2, 62 bits of `bytes`. */
function typeId(prefix: IdPrefix, milliseconds: number, low: number, bytes: Uint8Array): string {
  const high = Math.floor(milliseconds / 0x1_0000_0000)
  uuid.writeUInt16BE(high, 0)
  uuid.writeUInt32BE(milliseconds - high * 0x1_0000_0000, 2)
  uuid.writeUInt16BE(0x7000 | low, 6)
  uuid.set(bytes, 8)
  uuid[8] = 0x80 | (uuid[8]! & 0x3f)
  // 128 bits as 26 letters: the first carries three bits, as if two zero bits stood in front.
  return `${prefix}_${base32(uuid, 2)}`
}

/** Bytes as base-32 letters, for secrets; the last letter is padded with zero bits. */
export function base32Bytes(bytes: Uint8Array): string {
  return base32(bytes, 0)
}

/** Five bits a letter, most significant first, after so many leading zero bits. */
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
 * Whether a path segment looks like an identifier with this prefix: the prefix, then 1 to 64 letters or digits.
 * A segment that does not is refused as `invalid_id`; one that does and is not found, as `resource_not_found`.
 */
export function looksLikeId(prefix: string, text: string): boolean {
  return text.startsWith(`${prefix}_`) && /^[0-9A-Za-z]{1,64}$/.test(text.slice(prefix.length + 1))
}
