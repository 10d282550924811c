import { randomBytes } from 'node:crypto'
import { crc32, deflateSync } from 'node:zlib'

/** Makes a PNG of a disc on a transparent ground, like a shop's logo. `bytes`: padded to this size with random bytes that are not drawn. */
export function discPng(width: number, height: number, bytes = 0): Buffer {
  const rows = Buffer.alloc((width * 4 + 1) * height)
  const radius = Math.min(width, height) / 2
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const inside = Math.hypot(x + 0.5 - width / 2, y + 0.5 - height / 2) < radius
      rows.set(inside ? [0xd9, 0x48, 0x1c, 0xff] : [0, 0, 0, 0], y * (width * 4 + 1) + 1 + x * 4)
    }
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 6], 8)
  const parts = [chunk('IHDR', header), chunk('IDAT', deflateSync(rows))]
  const left = bytes - (8 + parts.reduce((sum, part) => sum + part.length, 0) + 12 + 12)
  if (left > 0) parts.push(chunk('tEXt', randomBytes(left)))
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), ...parts, chunk('IEND', Buffer.alloc(0))])
}

/** Adds a chunk before a PNG's pixels. */
export function withChunk(png: Buffer, name: string): Buffer {
  return Buffer.concat([png.subarray(0, 33), chunk(name, Buffer.alloc(8)), png.subarray(33)])
}

function chunk(name: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), content])
  const whole = Buffer.alloc(body.length + 8)
  whole.writeUInt32BE(content.length, 0)
  body.copy(whole, 4)
  whole.writeUInt32BE(crc32(body), body.length + 4)
  return whole
}
