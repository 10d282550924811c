import assert from 'node:assert/strict'
import { inflateRawSync } from 'node:zlib'

export type Cell = { type: string; text: string }

/**
 * Reads the sheets of a workbook as rows of cells. It supports only the forms that our own writer uses.
 * @throws unless each row has its number, and each cell its place
 */
export async function readXlsx(file: Buffer): Promise<Cell[][][]> {
  const entries = readZip(file)
  const workbook = entries.get('xl/workbook.xml')!.toString()
  const sheets = [...workbook.matchAll(/<sheet name="(\d+)"/g)].map(([, nth]) =>
    entries.get(`xl/worksheets/sheet${nth}.xml`)!.toString(),
  )
  return sheets.map((xml) =>
    [...xml.matchAll(/<row( r="\d+")?>(.*?)<\/row>/gs)].map(([, number, row], nth) => {
      assert.equal(number, ` r="${nth + 1}"`)
      return [...row!.matchAll(/<c( r="\w+")?(?: t="(\w+)")?(?:\/>|>(.*?)<\/c>)/gs)].map(
        ([, place, type = 'n', inner = ''], at) => {
          assert.equal(place, ` r="${columnLetters(at)}${nth + 1}"`)
          return { type, text: textOf(inner) }
        },
      )
    }),
  )
}

/** The letters of a column, counted as people count: after Z comes AA. */
function columnLetters(at: number): string {
  let letters = 'A'
  for (let column = 0; column < at; column += 1) letters = nextLetters(letters)
  return letters
}

function nextLetters(letters: string): string {
  if (letters === '') return 'A'
  const before = letters.slice(0, -1)
  return letters.endsWith('Z')
    ? `${nextLetters(before)}A`
    : before + String.fromCharCode(letters.charCodeAt(before.length) + 1)
}

function textOf(inner: string): string {
  return inner
    .replace(/<[^>]+>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .replaceAll(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
}

/** Reads the files of an archive by the directory at its end. */
function readZip(file: Buffer): Map<string, Buffer> {
  const end = file.length - 22
  const entries = new Map<string, Buffer>()
  let at = file.readUInt32LE(end + 16)
  for (let nth = 0; nth < file.readUInt16LE(end + 10); nth += 1) {
    const [packed, nameLength, start] = [
      file.readUInt32LE(at + 20),
      file.readUInt16LE(at + 28),
      file.readUInt32LE(at + 42),
    ]
    const content = start + 30 + nameLength
    const name = file.toString('utf8', at + 46, at + 46 + nameLength)
    entries.set(name, inflateRawSync(file.subarray(content, content + packed)))
    at += 46 + nameLength
  }
  return entries
}
