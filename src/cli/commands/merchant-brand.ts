import { open } from 'node:fs/promises'
import { CONTRAST_MIN, measure, readColor } from '../../merchants/brand-color.ts'
import { describeLogo, LOGO_BYTES_MAX, LOGO_SIDE_MAX, LOGO_SIDE_MIN, readLogo } from '../../merchants/brand-logo.ts'
import { type BrandChange, setBrand } from '../../merchants/set-brand.ts'
import { CommandError, defineCommand, readMerchant } from '../command.ts'

export const merchantBrand = defineCommand({
  name: 'merchant brand',
  summary: "Set the colour and the logo of a merchant's pages, or show them",
  details:
    `The colour stands behind the text of the button, so one of the two texts must read well on it (${CONTRAST_MIN}:1). The logo ` +
    `is a PNG, JPEG or WebP of at most ${LOGO_BYTES_MAX} bytes, ${LOGO_SIDE_MIN} to ${LOGO_SIDE_MAX} pixels in each direction.`,
  right: 'merchants.manage',
  options: {
    merchant: 'needed',
    color: { kind: 'optional', value: 'COLOR', says: 'six digits such as #0A7D4B', sample: "'#0A7D4B'" },
    'no-color': { kind: 'flag', says: 'remove the colour' },
    logo: { kind: 'optional', value: 'FILE', says: 'the picture that stands beside its name', sample: 'logo.png' },
    'no-logo': { kind: 'flag', says: 'remove the logo' },
    as: 'optional',
  },
  example: "--merchant 1 --color '#0A7D4B' --logo logo.png",
  async run(context, { merchant, color, logo, as, ...away }) {
    for (const [name, given] of Object.entries({ color, logo })) {
      if (given !== undefined && away[`no-${name}` as keyof typeof away]) {
        throw new CommandError(`Give --${name} or --no-${name}, not both.`, 2)
      }
    }
    const merchant_id = readMerchant(merchant)
    const by = context.actor(as)
    const change: BrandChange = {
      ...(color === undefined ? {} : { color: colorIn(color) }),
      ...(logo === undefined ? {} : { logo: await logoIn(logo) }),
      ...(away['no-color'] ? { color: null } : {}),
      ...(away['no-logo'] ? { logo: null } : {}),
    }
    const result = await setBrand(await context.sql(), merchant_id, change, by)
    if (result.kind === 'refused') throw new CommandError(`There is no merchant ${merchant_id}.`)
    const { brand } = result
    return {
      merchant_id,
      color: brand.color === null ? null : measure(brand.color),
      logo: brand.logo === null ? null : describeLogo(brand.logo),
    }
  },
})

function colorIn(written: string): string {
  const read = readColor(written)
  if (read.kind === 'color') return read.color.color
  if (read.why === 'not_a_color') throw new CommandError("--color is six digits such as '#0A7D4B'.", 2)
  const { found, nearest } = read
  throw new CommandError(
    `Text does not read well on ${found.color}: the best contrast is ${found.contrast}:1 (with ${found.text_color}), and ` +
      `${CONTRAST_MIN}:1 is needed. Try a darker one such as '${nearest}'.`,
  )
}

async function logoIn(path: string): Promise<string> {
  const read = readLogo(await firstBytes(path, LOGO_BYTES_MAX + 1))
  if (read.kind === 'logo') return read.data_uri
  if (read.why === 'dimensions') {
    const { width, height } = read.logo
    const bounds = `${LOGO_SIDE_MIN} to ${LOGO_SIDE_MAX}`
    throw new CommandError(`The picture has ${width} × ${height} pixels. Each side takes ${bounds}.`)
  }
  throw new CommandError(logoRefusals[read.why])
}

const logoRefusals = {
  too_large: `The file has more than ${LOGO_BYTES_MAX} bytes. Save it smaller: 160 pixels are enough for the page.`,
  not_a_picture: 'The file is no whole PNG, JPEG or WebP. Export it as one of these; SVG is not taken.',
  animated: 'The picture is animated. Save one frame of it.',
}

/** As much of a file as can be needed, however large it is. */
async function firstBytes(path: string, count: number): Promise<Buffer> {
  const file = await open(path, 'r')
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(count), 0, count, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}
