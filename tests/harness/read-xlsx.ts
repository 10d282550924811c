import { inflateRawSync } from 'node:zlib'

export type Cell = { type: string; text: string }

/** Reads the sheets of a workbook as rows of cells. It supports only the forms that our own writer uses. */
export async function readXlsx(file: Buffer): Promise<Cell[][][]> {
  const entries = readZip(file)
  const workbook = entries.get('xl/workbook.xml')!.toString()
  const sheets = [...workbook.matchAll(/<sheet name="(\d+)"/g)].map(([, nth]) =>
    entries.get(`xl/worksheets/sheet${nth}.xml`)!.toString(),
  )
  return sheets.map((xml) =>
    [...xml.matchAll(/<row>(.*?)<\/row>/gs)].map(([, row]) =>
      [...row!.matchAll(/<c(?: t="(\w+)")?(?:\/>|>(.*?)<\/c>)/gs)].map(([, type = 'n', inner = '']) => ({
        type,
        text: inner
          .replace(/<[^>]+>/g, '')
          .replaceAll('&lt;', '<')
          .replaceAll('&gt;', '>')
          .replaceAll('&amp;', '&'),
      })),
    ),
  )
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
