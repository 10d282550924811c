import { promisify } from 'node:util'
import { crc32, deflateRaw } from 'node:zlib'

const deflate = promisify(deflateRaw)

/** The first day that the form knows, 1 January 1980, for every file. */
const DATE = 0x0021
const DEFLATED = 8
/** Version 2.0 of the form, made on Unix: the access rights follow from that. */
const VERSION = 20
const MADE_BY = (3 << 8) | VERSION
const RIGHTS = (0o100644 << 16) >>> 0

/** Packs files as a zip. The same files give the same bytes: no time is named. */
export async function writeZip(files: ReadonlyMap<string, Buffer>): Promise<Buffer> {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [path, bytes] of files) {
    const name = Buffer.from(path)
    const packed = await deflate(bytes, { level: 9 })
    const common = Buffer.alloc(26)
    common.writeUInt16LE(VERSION, 0)
    common.writeUInt16LE(DEFLATED, 4)
    common.writeUInt16LE(DATE, 8)
    common.writeUInt32LE(crc32(bytes), 10)
    common.writeUInt32LE(packed.length, 14)
    common.writeUInt32LE(bytes.length, 18)
    common.writeUInt16LE(name.length, 22)
    parts.push(Buffer.from('PK\x03\x04'), common, name, packed)
    const place = Buffer.alloc(14)
    place.writeUInt32LE(RIGHTS, 6)
    place.writeUInt32LE(offset, 10)
    const made_by = Buffer.from([MADE_BY & 0xff, MADE_BY >> 8])
    directory.push(Buffer.from('PK\x01\x02'), made_by, common, place, name)
    offset += 30 + name.length + packed.length
  }
  const entries = Buffer.concat(directory)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(files.size, 4)
  end.writeUInt16LE(files.size, 6)
  end.writeUInt32LE(entries.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...parts, entries, Buffer.from('PK\x05\x06'), end])
}
