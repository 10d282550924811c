import { isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'

/** A column to write, with the name of its type and the encoder of its values. */
export type Field = { readonly name: string; readonly type: string; readonly write: (value: never) => void }

/** @throws TypeError for a type that this file cannot encode */
export function fieldOf(name: string, type: string): Field {
  if (!isWritten(type)) throw new TypeError(`COPY does not know how to write ${name}, which is of type ${type}.`)
  return { name, type, write: writers[type] }
}

function isWritten(type: string): type is keyof FieldTypes {
  return Object.hasOwn(writers, type)
}

/** The type of a value for each type of column. JSON is a text, or a value to serialise; a time as text is in UTC, a date is `YYYY-MM-DD`. */
type FieldTypes = {
  bigint: number
  boolean: boolean
  bytea: Uint8Array
  date: string
  inet: string
  integer: number
  json: string | object
  jsonb: string | object
  smallint: number
  text: string
  'timestamp with time zone': Date | string
  uuid: string
}

/** The buffer into which rows are encoded. It grows as necessary. */
let space = Buffer.allocUnsafeSlow(65_536)
let end = 0

/**
 * Encodes rows in the binary format of COPY, so that the server need not parse them. An absent field is null.
 *
 * @throws TypeError or RangeError for a value that its type cannot hold
 */
export function copyBytesOf(fields: readonly Field[], rows: readonly object[]): Buffer {
  end = 0
  makeRoom(HEADER.length)
  end += HEADER.copy(space, end)
  for (const row of rows) {
    makeRoom(2)
    end = space.writeInt16BE(fields.length, end)
    for (const { name, write } of fields) {
      const value: unknown = row[name as never]
      if (value === null || value === undefined) {
        makeRoom(4)
        end = space.writeInt32BE(-1, end)
      } else write(value as never)
    }
  }
  makeRoom(2)
  end = space.writeInt16BE(-1, end)
  return Buffer.from(space.subarray(0, end))
}

/** The header: the signature, no flags, no extension. */
const HEADER = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1')

function makeRoom(bytes: number): void {
  if (end + bytes <= space.length) return
  const larger = Buffer.allocUnsafeSlow(Math.max(2 * space.length, end + bytes))
  space.copy(larger, 0, 0, end)
  space = larger
}

/** The encoders. Each writes the length of a field and the field. */
const writers: { readonly [Type in keyof FieldTypes]: (value: FieldTypes[Type]) => void } = {
  bigint(value) {
    begin(8)
    end = space.writeInt32BE(Math.floor(whole(value) / 2 ** 32), end)
    end = space.writeUInt32BE(value >>> 0, end)
  },
  boolean(value) {
    begin(1)
    end = space.writeUInt8(value ? 1 : 0, end)
  },
  bytea(value) {
    begin(value.length)
    space.set(value, end)
    end += value.length
  },
  date(value) {
    writeSame(lastDate, value, dateOf)
  },
  inet(value) {
    writeSame(lastInet, value, inetOf)
  },
  integer(value) {
    begin(4)
    end = space.writeInt32BE(whole(value), end)
  },
  json(value) {
    writeText(typeof value === 'string' ? value : JSON.stringify(value))
  },
  jsonb(value) {
    // The first byte is the version of the format.
    writeText(`\u0001${typeof value === 'string' ? value : JSON.stringify(value)}`)
  },
  smallint(value) {
    begin(2)
    end = space.writeInt16BE(whole(value), end)
  },
  text: writeText,
  'timestamp with time zone'(value) {
    writeSame(lastMoment, typeof value === 'string' ? value : value.getTime(), momentOf)
  },
  uuid(value) {
    if (!UUID.test(value)) throw new TypeError('A text is no UUID.')
    begin(16)
    for (const at of UUID_BYTES) {
      space[end] = 16 * digitOf(value.charCodeAt(at)) + digitOf(value.charCodeAt(at + 1))
      end += 1
    }
  },
}

/** A value of the last row with its bytes, because many rows of one moment have the same. */
type Last<Value> = { value: Value | null; bytes: Uint8Array }

const lastDate: Last<string> = { value: null, bytes: Buffer.alloc(0) }
const lastInet: Last<string> = { value: null, bytes: Buffer.alloc(0) }
const lastMoment: Last<string | number> = { value: null, bytes: Buffer.alloc(0) }

/** Writes the bytes of a value, which it encodes anew only if the last value was another. */
function writeSame<Value>(last: Last<Value>, value: Value, encode: (value: Value) => Uint8Array): void {
  if (last.value !== value) {
    last.bytes = encode(value)
    last.value = value
  }
  begin(last.bytes.length)
  space.set(last.bytes, end)
  end += last.bytes.length
}

function inetOf(value: string): Uint8Array {
  const address = isIPv4(value) ? value.split('.').map(Number) : ipaddr.IPv6.parse(value).toByteArray()
  // The address family by PostgreSQL's own numbers, the length of the prefix (all bits), and 0: not a network.
  return Uint8Array.of(address.length === 4 ? 2 : 3, 8 * address.length, 0, address.length, ...address)
}

/** @param value a day, `YYYY-MM-DD` */
function dateOf(value: string): Uint8Array {
  const since1970 = DAY.test(value) ? Date.parse(value) : Number.NaN
  if (Number.isNaN(since1970)) throw new TypeError('A text is no day.')
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE((since1970 - Date.UTC(2000, 0)) / 86_400_000)
  return bytes
}

/** @param value milliseconds since 1970, or a time in ISO 8601 and UTC */
function momentOf(value: string | number): Uint8Array {
  const bytes = Buffer.alloc(8)
  const since1970 = typeof value === 'string' ? microsecondsOf(value) : BigInt(value) * 1_000n
  bytes.writeBigInt64BE(since1970 - YEAR_2000)
  return bytes
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i
/** Where the two digits of each byte of a UUID begin. */
const UUID_BYTES = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34] as const

/** The value of a hexadecimal digit. */
function digitOf(unit: number): number {
  return unit <= 0x39 ? unit - 0x30 : (unit | 0x20) - 0x57
}

/** The epoch of the server's times, in microseconds. */
const YEAR_2000 = BigInt(Date.UTC(2000, 0)) * 1_000n

const DAY = /^\d{4}-\d\d-\d\d$/
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}(\d{3})?Z$/

/** The microseconds of a time in ISO 8601 and UTC, with millisecond or microsecond precision. */
function microsecondsOf(text: string): bigint {
  const parts = MOMENT.exec(text)
  if (parts === null) throw new TypeError('A text is no time in UTC.')
  return BigInt(Date.parse(text)) * 1_000n + BigInt(parts[1] ?? 0)
}

/** A whole number; for a bigint column only one that a JavaScript number holds exactly. */
function whole(value: number): number {
  if (!Number.isSafeInteger(value)) throw new RangeError(`${value} is no whole number that is known to be exact.`)
  return value
}

function begin(length: number): void {
  makeRoom(4 + length)
  end = space.writeInt32BE(length, end)
}

function writeText(text: string): void {
  // At most three bytes for each UTF-16 unit.
  makeRoom(4 + 3 * text.length)
  const written = space.write(text, end + 4)
  space.writeInt32BE(written, end)
  end += 4 + written
}
