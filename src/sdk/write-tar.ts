import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

const zip = promisify(gzip)

const BLOCK_BYTES = 512
/** The place of the operating system in the header of gzip, and the value for an unknown one. */
const GZIP_SYSTEM_AT = 9
const GZIP_SYSTEM_UNKNOWN = 255

/** Packs files as a compressed archive. The same files give the same bytes on every machine: all times are zero, and no owner is named. */
export async function writeTar(files: ReadonlyMap<string, Buffer>): Promise<Buffer> {
  const parts: Buffer[] = []
  for (const [name, body] of files) {
    parts.push(headerOf(name, body.length), body, Buffer.alloc(-body.length & (BLOCK_BYTES - 1)))
  }
  const packed = await zip(Buffer.concat([...parts, Buffer.alloc(2 * BLOCK_BYTES)]), { level: 9 })
  packed[GZIP_SYSTEM_AT] = GZIP_SYSTEM_UNKNOWN
  return packed
}

/** The header of a file in the form ustar, whose names have at most 100 bytes. */
function headerOf(name: string, bytes: number): Buffer {
  if (Buffer.byteLength(name) > 100) throw new Error(`The name ${name} is too long for an archive.`)
  const header = Buffer.alloc(BLOCK_BYTES)
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`
  header.write(name, 0)
  header.write(octal(0o644, 7), 100)
  header.write(octal(0, 7), 108)
  header.write(octal(0, 7), 116)
  header.write(octal(bytes, 11), 124)
  header.write(octal(0, 11), 136)
  // While the sum is taken, its own field counts as spaces.
  header.write(' '.repeat(8), 148)
  header.write('0', 156)
  header.write('ustar\x0000', 257)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${octal(sum, 6)} `, 148)
  return header
}
