import type { Readable } from 'node:stream'
import PDFDocument from 'pdfkit'
import { groupDigits } from '../values/group-digits.ts'
import { printable } from '../values/printable.ts'
import type { StatementExport } from './export-statement.ts'
import type { Movement } from './movement.ts'
import { movementWords } from './movement-words.ts'
import { countOf } from './statement.ts'

/** The most movements in a PDF: some eight hundred pages, which take ten seconds. A longer period needs CSV. */
export const PDF_MOVEMENTS_MAX = 20_000

type Document = InstanceType<typeof PDFDocument>

const LEFT = 42
const RIGHT = 553
const TOP = 42
/** The vertical position at which rows end, in points. The carried balance and the footer are below. */
const ROWS_END = 758
const ROW = 25
/** The vertical position of the first row, on the first page and on the others. */
const FIRST_SHEET_ROWS = 283
const OTHER_SHEET_ROWS = 108

/** The number of rows on the first page and on each other one. */
const onFirst = Math.floor((ROWS_END - FIRST_SHEET_ROWS) / ROW)
const onOthers = Math.floor((ROWS_END - OTHER_SHEET_ROWS) / ROW)

const columns = {
  date: { x: LEFT, width: 82 },
  text: { x: LEFT + 86, width: 206 },
  out: { x: LEFT + 296, width: 66, right: true },
  in: { x: LEFT + 366, width: 66, right: true },
  balance: { x: LEFT + 436, width: RIGHT - LEFT - 436, right: true },
} as const
type Column = { readonly x: number; readonly width: number; readonly right?: boolean }

const INK = '#1b2733'
const SOFT = '#5b6773'
const LINE = '#c9d1d8'
const SHADE = '#f2f5f7'

/**
 * Writes a statement as a PDF, in French on A4: the figures of the period, and a table whose balance is carried from page to page. The same
 * period gives the same bytes, because the PDF has no date or author of printing. The caller reads the stream while this writes it.
 * @param issuer the service's name, at the top of the first page
 * @throws RangeError for more than PDF_MOVEMENTS_MAX movements
 */
export function writePdf(statement: StatementExport, issuer: string): Readable {
  const { figures, tenant } = statement
  const count = countOf(figures)
  if (count > PDF_MOVEMENTS_MAX) throw new RangeError(`${count} movements do not go onto paper.`)
  const title = `Relevé de compte du ${dayOf(figures.from)} au ${dayOf(figures.to)}`
  const document = new PDFDocument({
    size: 'A4',
    margin: 0,
    autoFirstPage: false,
    lang: 'fr',
    displayTitle: true,
    info: {
      Title: title,
      Author: printable(issuer),
      Subject: `Marchand ${tenant.merchant_id}${tenant.livemode ? '' : ', mode test'}`,
      // The last day of the period, so that the bytes do not depend on the time of printing.
      CreationDate: new Date(`${figures.to}T00:00:00Z`),
    },
  })
  draw(document, statement, printable(issuer)).then(
    () => document.end(),
    (error: Error) => document.destroy(error),
  )
  return document as unknown as Readable
}

/** Returns the number of pages of a statement. */
export function sheetsOf(movements: number): number {
  return 1 + Math.max(0, Math.ceil((movements - onFirst) / onOthers))
}

async function draw(document: Document, statement: StatementExport, issuer: string): Promise<void> {
  const { figures } = statement
  const sheets = sheetsOf(countOf(figures))
  let sheet = 0
  let y = 0
  let drawn = 0
  let balance = figures.opening_balance
  const turn = () => {
    if (sheet > 0) carry(document, ROWS_END + 6, 'À reporter', balance)
    sheet += 1
    document.addPage()
    y = sheet === 1 ? FIRST_SHEET_ROWS : OTHER_SHEET_ROWS
    if (sheet === 1) drawHead(document, statement, issuer)
    else drawRunningHead(document, statement)
    drawTableHead(document, y - 46)
    carry(document, y - 24, sheet === 1 ? `Solde au début du ${dayOf(figures.from)}` : 'Report', balance)
    drawFoot(document, statement, `Page ${sheet} / ${sheets}`)
  }
  turn()
  for await (const page of statement.movements()) {
    for (const movement of page) {
      if (drawn === onFirst || (drawn > onFirst && (drawn - onFirst) % onOthers === 0)) turn()
      drawMovement(document, y, movement)
      y += ROW
      drawn += 1
      balance = movement.balance
    }
  }
  if (drawn === 0) {
    write(document, 'Aucun mouvement sur la période.', { x: LEFT + 4, width: 400 }, y + 5, 9, SOFT)
    y += ROW
  }
  carry(document, y + 6, `Solde à la fin du ${dayOf(figures.to)}`, figures.closing_balance)
}

function drawHead(document: Document, { tenant, merchant_name, figures }: StatementExport, issuer: string): void {
  write(document, issuer, { x: LEFT, width: 300 }, TOP, 11, INK, 'Helvetica-Bold')
  if (!tenant.livemode) {
    write(
      document,
      'MODE TEST – SANS VALEUR',
      { x: RIGHT - 210, width: 210, right: true },
      TOP,
      10,
      '#a33a00',
      'Helvetica-Bold',
    )
  }
  write(document, 'Relevé de compte', { x: LEFT, width: 400 }, TOP + 28, 21, INK, 'Helvetica-Bold')
  write(document, `Du ${dayOf(figures.from)} au ${dayOf(figures.to)}`, { x: LEFT, width: 400 }, TOP + 56, 11, SOFT)
  write(document, printable(merchant_name), { x: LEFT, width: RIGHT - LEFT }, TOP + 84, 12, INK, 'Helvetica-Bold')
  const about = `Marchand n° ${tenant.merchant_id} – montants en francs CFA (XOF), jours et heures d’Abidjan (UTC)`
  write(document, about, { x: LEFT, width: RIGHT - LEFT }, TOP + 101, 9, SOFT)
  const boxes: [label: string, amount: string][] = [
    ['Solde d’ouverture', francs(figures.opening_balance)],
    ['Total des entrées', `+ ${francs(figures.total_in)}`],
    ['Total des sorties', `– ${francs(figures.total_out)}`],
    ['Solde de clôture', francs(figures.closing_balance)],
  ]
  const width = (RIGHT - LEFT - 3 * 8) / 4
  boxes.forEach(([label, amount], at) => {
    const x = LEFT + at * (width + 8)
    document.roundedRect(x, TOP + 126, width, 52, 3).fill(SHADE)
    write(document, label, { x: x + 9, width: width - 18 }, TOP + 136, 8.5, SOFT)
    // Smaller, so that a long balance fits its box.
    const size = amount.length > 15 ? 9.5 : 13
    write(document, amount, { x: x + 9, width: width - 18 }, TOP + 153, size, INK, 'Helvetica-Bold')
  })
}

function drawRunningHead(document: Document, { merchant_name, tenant, figures }: StatementExport): void {
  const period = `Relevé du ${dayOf(figures.from)} au ${dayOf(figures.to)}`
  const test = tenant.livemode ? '' : ' – MODE TEST'
  write(document, printable(merchant_name), { x: LEFT, width: 250 }, TOP, 9, INK, 'Helvetica-Bold')
  write(document, period + test, { x: LEFT + 255, width: RIGHT - LEFT - 255, right: true }, TOP, 9, SOFT)
}

function drawTableHead(document: Document, y: number): void {
  const heads: [keyof typeof columns, string][] = [
    ['date', 'Date'],
    ['text', 'Opération'],
    ['out', 'Sortie'],
    ['in', 'Entrée'],
    ['balance', 'Solde'],
  ]
  for (const [column, text] of heads) write(document, text, columns[column], y, 8.5, SOFT, 'Helvetica-Bold')
  line(document, y + 14, INK, 0.8)
}

function drawMovement(document: Document, y: number, movement: Movement): void {
  const { type, reference, id, payment_id, direction, amount, balance, created_at } = movement
  // A refund shows its payment as well, because the merchant knows that id.
  const ids = payment_id === null || payment_id === id ? id : `${id} de ${payment_id}`
  const [label] = movementWords[type]
  write(document, momentOf(created_at), columns.date, y + 3, 8.5, INK)
  write(document, reference === null ? label : `${label} – ${printable(reference)}`, columns.text, y + 3, 8.5, INK)
  write(document, ids, columns.text, y + 14, 6, SOFT)
  write(document, francs(amount), columns[direction], y + 3, 8.5, INK)
  write(document, francs(balance), columns.balance, y + 3, 8.5, INK)
  line(document, y + ROW - 2, LINE, 0.4)
}

/** Writes a carried balance: at the start of the table, between two pages, or at the end. */
function carry(document: Document, y: number, label: string, balance: number): void {
  document.rect(LEFT, y - 3, RIGHT - LEFT, 18).fill(SHADE)
  write(document, label, { x: LEFT + 4, width: 300 }, y + 2, 8.5, INK, 'Helvetica-Bold')
  write(document, francs(balance), columns.balance, y + 2, 8.5, INK, 'Helvetica-Bold')
}

function drawFoot(document: Document, { figures }: StatementExport, page: string): void {
  const count = countOf(figures)
  const movements = count === 0 ? 'Aucun mouvement' : `${grouped(count)} mouvement${count > 1 ? 's' : ''}`
  write(document, movements, { x: LEFT, width: 200 }, 800, 8, SOFT)
  write(document, page, { x: RIGHT - 200, width: 200, right: true }, 800, 8, SOFT)
}

function line(document: Document, y: number, colour: string, width: number): void {
  document.moveTo(LEFT, y).lineTo(RIGHT, y).lineWidth(width).stroke(colour)
}

/** Writes one line of text, cut at the end of its column. */
function write(
  document: Document,
  text: string,
  { x, width, right = false }: Column,
  y: number,
  size: number,
  colour: string,
  font: 'Helvetica' | 'Helvetica-Bold' = 'Helvetica',
): void {
  document.font(font).fontSize(size).fillColor(colour)
  document.text(text, x, y, { width, height: size, align: right ? 'right' : 'left', ellipsis: true, lineBreak: false })
}

/** Formats francs in French, with no-break spaces. */
function francs(amount: number): string {
  return `${grouped(amount)} F`
}

function grouped(whole: number): string {
  return groupDigits(whole, '\u00a0')
}

const months = ['janvier', 'février', 'mars', 'avril', 'mai', 'juin', 'juillet', 'août', 'septembre', 'octobre']
months.push('novembre', 'décembre')

/** Formats `2026-02-01` as `1er février 2026`. The names of months are here, because those of a library may change with its version. */
function dayOf(day: string): string {
  const [year, month, date] = day.split('-').map(Number)
  return `${date === 1 ? '1er' : date} ${months[month! - 1]} ${year}`
}

/** Formats `2026-02-01T10:20:30.000Z` as `01/02/2026 10:20`. */
function momentOf(moment: string): string {
  const [year, month, date] = moment.slice(0, 10).split('-')
  return `${date}/${month}/${year} ${moment.slice(11, 16)}`
}
