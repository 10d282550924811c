/** Bytes of a picture at most: it travels inside every page. */
export const LOGO_BYTES_MAX = 8_192
/** Pixels in each direction. A small file can claim to be a huge picture, which a phone would have to draw. */
export const LOGO_SIDE_MIN = 16
export const LOGO_SIDE_MAX = 1_024

export type Logo = { type: 'image/png' | 'image/jpeg' | 'image/webp'; width: number; height: number; bytes: number }

export type ReadLogo =
  | { kind: 'logo'; logo: Logo; data_uri: string }
  /** `not_a_picture`: none of the three, or cut off. `animated`: it moves. */
  | { kind: 'refused'; why: 'too_large' | 'not_a_picture' | 'animated' }
  | { kind: 'refused'; why: 'dimensions'; logo: Logo }

type Found = Pick<Logo, 'type' | 'width' | 'height'> & { animated: boolean }

/**
 * Reads a picture for a merchant's pages: PNG, JPEG or WebP, told by its first bytes and not by its name. SVG is left out,
 * because it is a document that can hold script, style and addresses.
 */
export function readLogo(file: Buffer): ReadLogo {
  if (file.length > LOGO_BYTES_MAX) return { kind: 'refused', why: 'too_large' }
  const found = png(file) ?? jpeg(file) ?? webp(file)
  if (found === null) return { kind: 'refused', why: 'not_a_picture' }
  if (found.animated) return { kind: 'refused', why: 'animated' }
  const { type, width, height } = found
  const logo: Logo = { type, width, height, bytes: file.length }
  const fits = [width, height].every((side) => side >= LOGO_SIDE_MIN && side <= LOGO_SIDE_MAX)
  if (!fits) return { kind: 'refused', why: 'dimensions', logo }
  return { kind: 'logo', logo, data_uri: `data:${type};base64,${file.toString('base64')}` }
}

/** Describes a stored picture. @throws when `readLogo` would refuse it */
export function describeLogo(data_uri: string): Logo {
  const read = readLogo(Buffer.from(data_uri.slice(data_uri.indexOf(',') + 1), 'base64'))
  if (read.kind === 'refused') throw new Error(`A stored logo is refused: ${read.why}.`)
  return read.logo
}

/** Signature, the header first, the end last (PNG, sections 5 and 11). */
function png(file: Buffer): Found | null {
  const whole =
    file.length >= 45 &&
    file.subarray(0, 8).equals(Buffer.from('89504e470d0a1a0a', 'hex')) &&
    file.toString('latin1', 12, 16) === 'IHDR' &&
    file.toString('latin1', file.length - 8, file.length - 4) === 'IEND'
  if (!whole) return null
  const animated = file.includes('acTL', 33, 'latin1')
  return { type: 'image/png', width: file.readUInt32BE(16), height: file.readUInt32BE(20), animated }
}

/** Segments up to the one that holds the frame's size (ITU T.81, annex B). */
function jpeg(file: Buffer): Found | null {
  const whole = file.length >= 4 && file.readUInt16BE(0) === 0xffd8 && file.readUInt16BE(file.length - 2) === 0xffd9
  if (!whole) return null
  for (let at = 2; at + 9 < file.length; ) {
    const marker = file.readUInt8(at + 1)
    if (file.readUInt8(at) !== 0xff) return null
    // Every start of a frame but the tables that share its numbers.
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      return {
        type: 'image/jpeg',
        width: file.readUInt16BE(at + 7),
        height: file.readUInt16BE(at + 5),
        animated: false,
      }
    }
    at += 2 + file.readUInt16BE(at + 2)
  }
  return null
}

/** A RIFF of exactly its length, and one of three first chunks (RFC 9649). */
function webp(file: Buffer): Found | null {
  const whole =
    file.length >= 30 &&
    file.toString('latin1', 0, 4) === 'RIFF' &&
    file.toString('latin1', 8, 12) === 'WEBP' &&
    file.readUInt32LE(4) === file.length - 8
  if (!whole) return null
  const chunk = file.toString('latin1', 12, 16)
  const found = (width: number, height: number, animated = false): Found => {
    return { type: 'image/webp', width, height, animated }
  }
  if (chunk === 'VP8X') {
    return found(file.readUIntLE(24, 3) + 1, file.readUIntLE(27, 3) + 1, (file.readUInt8(20) & 2) !== 0)
  }
  if (chunk === 'VP8L') {
    const bits = file.readUInt32LE(21)
    return found((bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1)
  }
  return chunk === 'VP8 ' ? found(file.readUInt16LE(26) & 0x3fff, file.readUInt16LE(28) & 0x3fff) : null
}
