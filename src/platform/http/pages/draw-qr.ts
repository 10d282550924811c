import { encode } from 'uqr'
import { Html, html } from '../html.ts'

/**
 * Draws a QR code as SVG, black on white in every colour scheme, so that every camera reads it. One path contains the dark runs of all
 * rows; the style sheet sets the size.
 * @param label a description for screen readers
 * @param ecc the level of error correction: `M` for paper, `L` for a screen, where the code is smaller
 */
export function drawQr(content: string, label: string, ecc: 'L' | 'M' = 'M'): Html {
  const { data, size } = encode(content, { ecc, border: 4 })
  let path = ''
  for (const [y, row] of data.entries()) {
    for (let x = 0; x < size; x += 1) {
      if (row[x] !== true) continue
      const from = x
      while (row[x + 1] === true) x += 1
      path += `M${from} ${y}h${x - from + 1}v1H${from}z`
    }
  }
  const paths = html`<path fill="#fff" d="M0 0h${size}v${size}H0z"/><path d="${new Html(path)}"/>`
  const looks = html`viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"`
  return html`<svg class="qr" role="img" aria-label="${label}" ${looks}>${paths}</svg>`
}
