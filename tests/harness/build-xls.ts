/** A cell of an old workbook: a text, a number, a short number, or a formula with a stored result. */
export type XlsCell =
  | string
  | number
  | null
  | { readonly short: number }
  | { readonly formula: number }
  | { readonly date: number }

/** Makes a workbook of Excel 97 (BIFF8) with one sheet. The shared texts run over records of at most `part` bytes. */
export function xlsOf(rows: readonly (readonly XlsCell[])[], { part = 8_000 }: { part?: number } = {}): Buffer {
  const texts = [...new Set(rows.flat().filter((cell) => typeof cell === 'string'))]
  const globals = [begin(5), record(0x41e, Buffer.concat([u16(170), wideText('dd/mm/yyyy')])), style(0), style(170)]
  const cells = rows.flatMap((row, line) => row.map((cell, place) => cellOf(cell, line, place, texts)))
  const shared = sharedOf(texts, part)
  const sheetName = Buffer.from([0, 0, 0, 0, 0, 0, 2, 0, ...Buffer.from('S1')])
  const before = [...globals, record(0x85, sheetName), ...shared, record(0x0a)]
  sheetName.writeUInt32LE(
    before.reduce((sum, one) => sum + one.length, 0),
    0,
  )
  const placed = [...globals, record(0x85, sheetName), ...shared, record(0x0a)]
  return compoundOf(Buffer.concat([...placed, begin(0x10), ...cells, record(0x0a)]))
}

function cellOf(cell: XlsCell, line: number, place: number, texts: readonly string[]): Buffer {
  const at = (styled = 0) => Buffer.concat([u16(line), u16(place), u16(styled)])
  if (cell === null) return record(0x201, at())
  if (typeof cell === 'string') return record(0xfd, Buffer.concat([at(), u32(texts.indexOf(cell))]))
  if (typeof cell === 'number') return record(0x203, Buffer.concat([at(), double(cell)]))
  if ('short' in cell) return record(0x27e, Buffer.concat([at(), u32((cell.short << 2) | 2)]))
  if ('date' in cell) return record(0x203, Buffer.concat([at(1), double(cell.date)]))
  return record(0x06, Buffer.concat([at(), double(cell.formula), Buffer.alloc(8)]))
}

/** Cuts the texts inside of characters, as Excel does: each further record begins with the flag of the width. */
function sharedOf(texts: readonly string[], part: number): Buffer[] {
  const parts: Buffer[][] = [[u32(texts.length), u32(texts.length)]]
  let size = 8
  const begun = () => {
    parts.push([])
    size = 0
  }
  for (const text of texts) {
    const wide = [...text].some((sign) => sign.charCodeAt(0) > 255)
    const letters = Buffer.from(text, wide ? 'utf16le' : 'latin1')
    if (size + 3 > part) begun()
    parts.at(-1)!.push(u16(text.length), Buffer.of(wide ? 1 : 0))
    size += 3
    const unit = wide ? 2 : 1
    for (let at = 0; at < letters.length; ) {
      if (size + unit > part) {
        begun()
        parts.at(-1)!.push(Buffer.of(wide ? 1 : 0))
        size = 1
      }
      const some = Math.min(letters.length - at, Math.floor((part - size) / unit) * unit)
      parts.at(-1)!.push(letters.subarray(at, at + some))
      size += some
      at += some
    }
  }
  return parts.map((pieces, nth) => record(nth === 0 ? 0xfc : 0x3c, Buffer.concat(pieces)))
}

/** Puts one stream into Microsoft's compound file, in sectors of 512 bytes. */
function compoundOf(stream: Buffer): Buffer {
  const size = Math.max(4_096, stream.length)
  const sectors = Math.ceil(size / 512)
  const fats = Math.ceil((sectors + 2 + Math.ceil((sectors + 8) / 128)) / 128)
  const head = Buffer.alloc(512, 0)
  Buffer.from('d0cf11e0a1b11ae1', 'hex').copy(head)
  for (const [at, value] of [
    [24, 0x3e],
    [26, 3],
    [28, 0xfffe],
    [30, 9],
    [32, 6],
  ] as const)
    head.writeUInt16LE(value, at)
  for (const [at, value] of [
    [44, fats],
    [48, fats],
    [56, 4_096],
    [60, 0xfffffffe],
    [68, 0xfffffffe],
  ] as const)
    head.writeUInt32LE(value, at)
  for (let nth = 0; nth < 109; nth += 1) head.writeUInt32LE(nth < fats ? nth : 0xffffffff, 76 + nth * 4)
  const fat = Buffer.alloc(fats * 512, 0xff)
  for (let nth = 0; nth < fats; nth += 1) fat.writeUInt32LE(0xfffffffd, nth * 4)
  fat.writeUInt32LE(0xfffffffe, fats * 4)
  for (let nth = 0; nth < sectors; nth += 1)
    fat.writeUInt32LE(nth === sectors - 1 ? 0xfffffffe : fats + 2 + nth, (fats + 1 + nth) * 4)
  const directory = Buffer.alloc(512)
  entry(directory, 0, 'Root Entry', 5, 0xfffffffe, 0)
  entry(directory, 1, 'Workbook', 2, fats + 1, size)
  return Buffer.concat([head, fat, directory, stream, Buffer.alloc(sectors * 512 - stream.length)])
}

function entry(into: Buffer, nth: number, name: string, kind: number, from: number, size: number): void {
  const at = nth * 128
  into.write(name, at, 'utf16le')
  into.writeUInt16LE(name.length * 2 + 2, at + 64)
  into.writeUInt8(kind, at + 66)
  into.writeUInt32LE(from, at + 116)
  into.writeUInt32LE(size, at + 120)
}

const record = (type: number, data: Buffer = Buffer.alloc(0)) => Buffer.concat([u16(type), u16(data.length), data])
const begin = (kind: number) => record(0x809, Buffer.concat([u16(0x600), u16(kind), Buffer.alloc(12)]))
const style = (format: number) => record(0xe0, Buffer.concat([u16(0), u16(format), Buffer.alloc(16)]))
const wideText = (text: string) => Buffer.concat([u16(text.length), Buffer.of(0), Buffer.from(text, 'latin1')])

function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16LE(value)
  return bytes
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

function double(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleLE(value)
  return bytes
}
