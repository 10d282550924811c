import { inflateSync } from 'node:zlib'

/** Reads the fields of a CSV text (RFC 4180), line by line. @throws when a quote is not closed or a line does not end */
export function readCsv(text: string): string[][] {
  const lines: string[][] = []
  let fields: string[] = []
  let at = 0
  while (at < text.length) {
    const [written, separator] = nextField(text, at)
    fields.push(written.startsWith('"') ? written.slice(1, -1).replaceAll('""', '"') : written)
    at += written.length + separator.length
    if (separator !== '\r\n') continue
    lines.push(fields)
    fields = []
  }
  if (fields.length > 0) throw new Error('The last line does not end.')
  return lines
}

/** A field as written, and the separator after it: a comma or the end of the line. */
function nextField(text: string, at: number): [written: string, separator: string] {
  const match = /(?:"(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n)/y
  match.lastIndex = at
  const found = match.exec(text)
  if (found === null) throw new Error(`There is no field at ${at}: ${text.slice(at, at + 40)}`)
  return [found[0].slice(0, -found[1]!.length), found[1]!]
}

/** Reads the lines of text on each page of a PDF that pdfkit wrote with a standard font, in drawing order. */
export function readPdf(bytes: Buffer): string[][] {
  const pages: string[][] = []
  const latin = bytes.toString('latin1')
  for (const found of latin.matchAll(/\/Length (\d+)[^>]*>>\s*stream\r?\n/g)) {
    const start = found.index + found[0].length
    const stream = inflateSync(bytes.subarray(start, start + Number(found[1]))).toString('latin1')
    const drawn = [...stream.matchAll(/\[([^\]]*)\] TJ/g)].map(([, parts]) => {
      const letters = [...parts!.matchAll(/<([0-9a-f]*)>/g)].map(([, hex]) => Buffer.from(hex!, 'hex'))
      return new TextDecoder('windows-1252').decode(Buffer.concat(letters))
    })
    pages.push(drawn)
  }
  return pages
}
