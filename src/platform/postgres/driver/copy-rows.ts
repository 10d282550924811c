import { isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'

/** A column that is written, its type as PostgreSQL writes it, and how a value of it is. */
export type Field = { readonly name: string; readonly type: string; readonly write: (value: never) => void }

/** @throws TypeError for a type that COPY is not taught to write */
export function fieldOf(name: string, type: string): Field {
  if (!isWritten(type)) throw new TypeError(`COPY does not know how to write ${name}, which is of type ${type}.`)
  return { name, type, write: writers[type] }
}

function isWritten(type: string): type is keyof FieldTypes {
  return Object.hasOwn(writers, type)
}

/** The type of a value for a column of each type. JSON is its text, or a value to be written as one; a time as a text is in UTC. */
type FieldTypes = {
  bigint: number
  boolean: boolean
  bytea: Uint8Array
  inet: string
  integer: number
  json: string | object
  jsonb: string | object
  smallint: number
  text: string
  'timestamp with time zone': Date | string
  uuid: string
}

/** Where rows are written before they leave; it grows with what is asked of it. */
let space = Buffer.allocUnsafeSlow(65_536)
let end = 0

/**
 * Rows as COPY takes them in its binary format: each field as the server keeps it, so that it has nothing to read.
 * A field that is absent is null.
 *
 * @throws TypeError or RangeError for a value that its type does not hold
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

/** The signature, no flags, nothing more. */
const HEADER = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1')

function makeRoom(bytes: number): void {
  if (end + bytes <= space.length) return
  const larger = Buffer.allocUnsafeSlow(Math.max(2 * space.length, end + bytes))
  space.copy(larger, 0, 0, end)
  space = larger
}

/** Each writes the length of a field and the field. */
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
  inet(value) {
    const address = isIPv4(value) ? value.split('.').map(Number) : ipaddr.IPv6.parse(value).toByteArray()
    begin(4 + address.length)
    // Its family by the server's own numbers, all of its bits, and that it is no network.
    space.set([address.length === 4 ? 2 : 3, 8 * address.length, 0, address.length, ...address], end)
    end += 4 + address.length
  },
  integer(value) {
    begin(4)
    end = space.writeInt32BE(whole(value), end)
  },
  json(value) {
    writeText(typeof value === 'string' ? value : JSON.stringify(value))
  },
  jsonb(value) {
    // The first byte is the version of what follows.
    writeText(`\u0001${typeof value === 'string' ? value : JSON.stringify(value)}`)
  },
  smallint(value) {
    begin(2)
    end = space.writeInt16BE(whole(value), end)
  },
  text: writeText,
  'timestamp with time zone'(value) {
    const since1970 = typeof value === 'string' ? microsecondsOf(value) : BigInt(value.getTime()) * 1_000n
    begin(8)
    end = space.writeBigInt64BE(since1970 - YEAR_2000, end)
  },
  uuid(value) {
    begin(16)
    const written = space.write(value.replaceAll('-', ''), end, 16, 'hex')
    if (written !== 16 || value.length !== 36) throw new TypeError('A text is no UUID.')
    end += 16
  },
}

/** From when the server counts, in microseconds. */
const YEAR_2000 = BigInt(Date.UTC(2000, 0)) * 1_000n

const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}(\d{3})?Z$/

/** Of a time as ISO 8601 in UTC, to the millisecond or the microsecond. */
function microsecondsOf(text: string): bigint {
  const parts = MOMENT.exec(text)
  if (parts === null) throw new TypeError('A text is no time in UTC.')
  return BigInt(Date.parse(text)) * 1_000n + BigInt(parts[1] ?? 0)
}

/** Also of a bigint no more than a number holds exactly. */
function whole(value: number): number {
  if (!Number.isSafeInteger(value)) throw new RangeError(`${value} is no whole number that is known to be exact.`)
  return value
}

function begin(length: number): void {
  makeRoom(4 + length)
  end = space.writeInt32BE(length, end)
}

function writeText(text: string): void {
  // Three bytes at most for each unit of ours.
  makeRoom(4 + 3 * text.length)
  const written = space.write(text, end + 4)
  space.writeInt32BE(written, end)
  end += 4 + written
}
