import PDFDocument from 'pdfkit'
import { encode } from 'uqr'
import { writeAmount } from '../../platform/http/pages/write-values.ts'
import type { Language } from '../../values/language.ts'
import { printable } from '../../values/printable.ts'
import type { Receipt } from './facts.ts'
import { linesOf, titleOf } from './receipt-lines.ts'
import { sayIn } from './say.ts'

type Document = InstanceType<typeof PDFDocument>

/** A6, in points. */
const WIDTH = 298
const HEIGHT = 420
const SIDE = 24
const INK = '#16211c'
const SOFT = '#5b6762'
const QR_SIDE = 104
/** Where the code to scan begins: the rows end above it. */
const QR_TOP = HEIGHT - SIDE - QR_SIDE - 8

/**
 * Writes a receipt as a PDF of one A6 page, for a payer who files it. The same receipt gives the same bytes.
 * @param brand the service's name, at the top
 */
export async function writeReceiptPdf(receipt: Receipt, brand: string, language: Language): Promise<Buffer> {
  const title = `${titleOf(receipt, language)} ${receipt.code}`
  const document = new PDFDocument({
    ...{ size: [WIDTH, HEIGHT], margin: 0, lang: language, displayTitle: true },
    info: { Title: printable(title), Author: printable(brand), CreationDate: new Date(receipt.paid_at) },
  })
  const parts: Buffer[] = []
  document.on('data', (part: Buffer) => parts.push(part))
  const ended = new Promise<void>((resolve, reject) => {
    document.once('end', resolve)
    document.once('error', reject)
  })
  draw(document, receipt, brand, language)
  document.end()
  await ended
  return Buffer.concat(parts)
}

function draw(document: Document, receipt: Receipt, brand: string, language: Language): void {
  const say = sayIn(language)
  const width = WIDTH - 2 * SIDE
  write(document, brand, { y: SIDE, size: 9, colour: SOFT, width })
  if (!receipt.livemode) {
    write(document, say('test_band'), { y: SIDE + 12, size: 7, colour: '#a33a00', width, bold: true })
  }
  write(document, titleOf(receipt, language), { y: SIDE + 24, size: 12, colour: INK, width, bold: true })
  write(document, writeAmount(receipt.amount_collected), { y: SIDE + 41, size: 22, colour: INK, width, bold: true })
  write(document, say('receipt_code', { code: receipt.code }), {
    y: SIDE + 70,
    size: 13,
    colour: INK,
    width,
    bold: true,
  })
  let y = SIDE + 96
  for (const { name, value } of linesOf(receipt, receipt, language)) {
    if (y > QR_TOP - 14) break
    document.font('Helvetica').fontSize(7.5).fillColor(SOFT)
    document.text(plain(name), SIDE, y, { width: 92, height: 9, ellipsis: true, lineBreak: false })
    document.fillColor(INK)
    document.text(plain(value), SIDE + 96, y, { width: width - 96, height: 9, ellipsis: true, lineBreak: false })
    y += 13
  }
  drawCode(document, receipt.verify_url)
  const said = say(receipt.livemode ? 'qr_text' : 'qr_test_text')
  document.font('Helvetica').fontSize(7.5).fillColor(SOFT)
  document.text(plain(said), SIDE + QR_SIDE + 10, QR_TOP + 8, { width: width - QR_SIDE - 10, height: 60 })
}

/** The code that leads to the check of the receipt, as one path. */
function drawCode(document: Document, address: string): void {
  const { data, size } = encode(address, { ecc: 'L', border: 0 })
  const unit = QR_SIDE / size
  for (const [row, cells] of data.entries()) {
    for (let from = 0; from < size; from += 1) {
      if (cells[from] !== true) continue
      let to = from
      while (cells[to + 1] === true) to += 1
      document.rect(SIDE + from * unit, QR_TOP + row * unit, (to - from + 1) * unit, unit)
      from = to
    }
  }
  document.fill(INK)
}

/** A text in the characters of the font, which has no narrow space. */
const plain = (text: string) => printable(text.replaceAll('\u202f', '\u00a0'))

type Style = { y: number; size: number; colour: string; width: number; bold?: boolean }

/** Writes one line, cut at the edge of the page. */
function write(document: Document, text: string, { y, size, colour, width, bold = false }: Style): void {
  document
    .font(bold ? 'Helvetica-Bold' : 'Helvetica')
    .fontSize(size)
    .fillColor(colour)
  document.text(plain(text), SIDE, y, { width, height: size, ellipsis: true, lineBreak: false })
}
