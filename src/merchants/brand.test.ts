import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { discPng, withChunk } from '../../tests/harness/pictures.ts'
import { contrastOf, readColor } from './brand-color.ts'
import { describeLogo, readLogo } from './brand-logo.ts'

test('contrast is that of WCAG', () => {
  for (const [one, other, ratio] of [
    ['#ffffff', '#000000', 21],
    ['#ffffff', '#ffffff', 1],
    ['#777777', '#ffffff', 4.47],
    ['#767676', '#ffffff', 4.54],
  ] as const) {
    assert.equal(contrastOf(one, other), ratio)
    assert.equal(contrastOf(other, one), ratio)
  }
})

test('a colour is accepted with a readable text colour, or refused with its contrast and a shade that would do', () => {
  const taken = (written: string) => {
    const read = readColor(written)
    assert.ok(read.kind === 'color', written)
    return [read.color.color, read.color.text_color, read.color.contrast]
  }
  assert.deepEqual(taken('#0A7D4B'), ['#0a7d4b', '#ffffff', 5.18])
  assert.deepEqual(taken(' ffcb05 '), ['#ffcb05', '#16211c', 10.87])
  const refused = readColor('#6f7f7f')
  assert.ok(refused.kind === 'refused' && refused.why === 'contrast')
  assert.ok(refused.found.contrast < 4.5 && refused.found.contrast > 4)
  assert.equal(readColor(refused.nearest).kind, 'color')
  for (const none of ['', 'red', '#fff', '#12345g', '#1234567', 'var(--x)', '#0a7d4b;}']) {
    assert.deepEqual(readColor(none), { kind: 'refused', why: 'not_a_color' }, none)
  }
})

describe('a logo', () => {
  const why = (file: Buffer) => {
    const read = readLogo(file)
    return read.kind === 'refused' ? read.why : `${read.logo.type} ${read.logo.width} × ${read.logo.height}`
  }
  /** A start of image, a segment before the frame, the frame's header and the end. */
  const jpeg = (width: number, height: number, frame = 0xc2) =>
    Buffer.from([
      0xff,
      0xd8,
      0xff,
      0xe0,
      0,
      4,
      1,
      2,
      0xff,
      frame,
      0,
      11,
      8,
      height >> 8,
      height & 255,
      width >> 8,
      width & 255,
      1,
      1,
      0x11,
      0,
      0xff,
      0xd9,
    ])
  const webp = (chunk: string, content: number[]) => {
    const body = Buffer.concat([Buffer.from(`WEBP${chunk}`), Buffer.alloc(4), Buffer.from(content), Buffer.alloc(16)])
    const head = Buffer.from('RIFF0000')
    head.writeUInt32LE(body.length, 4)
    return Buffer.concat([head, body])
  }
  const extended = (flags: number) => webp('VP8X', [flags, 0, 0, 0, 159, 0, 0, 63, 0, 0])

  test('is recognised by its bytes', () => {
    assert.equal(why(discPng(160, 64)), 'image/png 160 × 64')
    assert.equal(why(jpeg(160, 64)), 'image/jpeg 160 × 64')
    assert.equal(why(extended(0)), 'image/webp 160 × 64')
    assert.equal(why(webp('VP8L', [0x2f, 159, 0xc0, 15, 0])), 'image/webp 160 × 64')
    assert.equal(why(webp('VP8 ', [0, 0, 0, 0x9d, 1, 0x2a, 160, 0, 64, 0])), 'image/webp 160 × 64')
    const read = readLogo(discPng(160, 64))
    assert.ok(read.kind === 'logo')
    assert.deepEqual(describeLogo(read.data_uri), read.logo)
  })

  test('is refused if it is no picture, is animated, or is too large in bytes or pixels', () => {
    assert.equal(why(discPng(160, 64, 8_192)), 'image/png 160 × 64')
    assert.equal(why(discPng(160, 64, 8_193)), 'too_large')
    for (const [width, height, told] of [
      [16, 1_024, 'image/png 16 × 1024'],
      [15, 64, 'dimensions'],
      [64, 1_025, 'dimensions'],
      [0, 0, 'dimensions'],
    ] as const) {
      assert.equal(why(discPng(width, height)), told)
    }
    assert.equal(why(jpeg(60_000, 60_000)), 'dimensions')
    assert.equal(why(withChunk(discPng(32, 32), 'acTL')), 'animated')
    assert.equal(why(extended(2)), 'animated')
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')
    const cut = [discPng(32, 32).subarray(0, -1), jpeg(32, 32).subarray(0, -1), extended(0).subarray(0, -1)]
    const none = [Buffer.alloc(0), svg, Buffer.from('GIF89a'), jpeg(32, 32, 0xc4), ...cut]
    for (const file of none) assert.equal(why(file), 'not_a_picture')
  })
})
