import { deflateRawSync } from 'node:zlib'

/** A file of an archive. `method`: 0 stored, 8 packed. */
export type Part = { readonly name: string; readonly text: string | Buffer; readonly method?: 0 | 8 }

/** Makes an archive with these files. @param wide in the form for large archives (ZIP64) */
export function zipOf(parts: readonly Part[], { wide = false }: { wide?: boolean } = {}): Buffer {
  const heads: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { name, text, method = 8 } of parts) {
    const bare = Buffer.from(text as string)
    const content = method === 8 ? deflateRawSync(bare) : bare
    const named = Buffer.from(name)
    const head = Buffer.alloc(30)
    head.writeUInt32LE(0x04034b50, 0)
    head.writeUInt16LE(method, 8)
    head.writeUInt16LE(named.length, 26)
    const entry = Buffer.alloc(46)
    entry.writeUInt32LE(0x02014b50, 0)
    entry.writeUInt16LE(method, 10)
    entry.writeUInt32LE(wide ? 0xffffffff : content.length, 20)
    entry.writeUInt32LE(wide ? 0xffffffff : bare.length, 24)
    entry.writeUInt16LE(named.length, 28)
    entry.writeUInt32LE(wide ? 0xffffffff : offset, 42)
    const extra = wide ? Buffer.alloc(28) : Buffer.alloc(0)
    if (wide) {
      entry.writeUInt16LE(28, 30)
      extra.writeUInt16LE(1, 0)
      extra.writeUInt16LE(24, 2)
      extra.writeBigUInt64LE(BigInt(bare.length), 4)
      extra.writeBigUInt64LE(BigInt(content.length), 12)
      extra.writeBigUInt64LE(BigInt(offset), 20)
    }
    heads.push(head, named, content)
    directory.push(entry, named, extra)
    offset += 30 + named.length + content.length
  }
  const central = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(wide ? 0xffff : parts.length, 10)
  end.writeUInt32LE(central.length, 12)
  end.writeUInt32LE(wide ? 0xffffffff : offset, 16)
  return Buffer.concat([...heads, central, ...(wide ? [wideEnd(parts.length, central.length, offset)] : []), end])
}

function wideEnd(count: number, size: number, offset: number): Buffer {
  const bytes = Buffer.alloc(76)
  bytes.writeUInt32LE(0x06064b50, 0)
  bytes.writeBigUInt64LE(44n, 4)
  bytes.writeBigUInt64LE(BigInt(count), 24)
  bytes.writeBigUInt64LE(BigInt(count), 32)
  bytes.writeBigUInt64LE(BigInt(size), 40)
  bytes.writeBigUInt64LE(BigInt(offset), 48)
  bytes.writeUInt32LE(0x07064b50, 56)
  bytes.writeBigUInt64LE(BigInt(offset + size), 64)
  return bytes
}

/** A cell of a sheet: a text or a number, with what a person sees of it. */
export type BuiltCell = {
  readonly value: string | number | boolean
  /** The code of its number format. */
  readonly format?: string
  readonly struck?: boolean
  readonly white?: boolean
  /** A formula of which `value` is the stored result. `fills`: the block that it fills. */
  readonly formula?: { readonly text: string; readonly kind?: 'array' | 'dataTable'; readonly fills?: string }
}

export type BuiltSheet = {
  readonly name?: string
  readonly state?: 'hidden' | 'veryHidden'
  readonly rows: readonly (readonly (BuiltCell | string | number | null)[])[]
  /** Attributes of lines, by their number, such as `hidden="1"`. */
  readonly lines?: Readonly<Record<number, string>>
  /** Attributes of columns, by their number from 1, such as `hidden="1"`. */
  readonly columns?: Readonly<Record<number, string>>
  readonly format?: string
  readonly merged?: readonly string[]
  readonly notes?: Readonly<Record<string, string>>
}

const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** Makes the parts of a workbook, as spreadsheets write them. @param active the sheet that was open when it was saved */
export function workbookParts(sheets: readonly BuiltSheet[], { active = 0 }: { active?: number } = {}): Part[] {
  const styles: string[] = ['']
  const styleOf = (cell: BuiltCell): number => {
    const key = JSON.stringify([cell.format ?? '', cell.struck ?? false, cell.white ?? false])
    if (!styles.includes(key)) styles.push(key)
    return styles.indexOf(key)
  }
  const strings: string[] = []
  const parts: Part[] = []
  for (const [nth, sheet] of sheets.entries()) {
    const path = `xl/worksheets/sheet${nth + 1}.xml`
    parts.push({ name: path, text: sheetXml(sheet, { styleOf, strings }) })
    if (sheet.notes === undefined) continue
    const notes = Object.entries(sheet.notes).map(
      ([cell, text]) => `<comment ref="${cell}" authorId="0"><text><r><t>${escaped(text)}</t></r></text></comment>`,
    )
    parts.push(
      {
        name: `xl/worksheets/_rels/sheet${nth + 1}.xml.rels`,
        text: `<Relationships><Relationship Id="rId1" Type="${RELATIONS}/comments" Target="../comments${nth + 1}.xml"/></Relationships>`,
      },
      { name: `xl/comments${nth + 1}.xml`, text: `<comments><commentList>${notes.join('')}</commentList></comments>` },
    )
  }
  const tabs = sheets.map(
    ({ name, state }, at) =>
      `<sheet name="${escaped(name ?? `S${at}`)}" sheetId="${at + 1}"${state === undefined ? '' : ` state="${state}"`} r:id="rId${at + 1}"/>`,
  )
  const targets = sheets.map(
    (_, at) => `<Relationship Id="rId${at + 1}" Type="${RELATIONS}/worksheet" Target="worksheets/sheet${at + 1}.xml"/>`,
  )
  return [
    { name: '[Content_Types].xml', text: '<Types/>' },
    {
      name: '_rels/.rels',
      text: `<Relationships><Relationship Id="rId1" Type="${RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    },
    {
      name: 'xl/workbook.xml',
      text: `<workbook><bookViews><workbookView activeTab="${active}"/></bookViews><sheets>${tabs.join('')}</sheets></workbook>`,
    },
    {
      name: 'xl/_rels/workbook.xml.rels',
      text: `<Relationships>${targets.join('')}<Relationship Id="rIdS" Type="${RELATIONS}/styles" Target="styles.xml"/><Relationship Id="rIdT" Type="${RELATIONS}/sharedStrings" Target="sharedStrings.xml"/></Relationships>`,
    },
    { name: 'xl/styles.xml', text: stylesXml(styles) },
    { name: 'xl/sharedStrings.xml', text: `<sst>${strings.map((text) => `<si><t>${text}</t></si>`).join('')}</sst>` },
    ...parts,
  ]
}

/** Makes a workbook of one sheet. */
export function workbookOf(sheet: BuiltSheet): Buffer {
  return zipOf(workbookParts([sheet]))
}

function sheetXml(
  sheet: BuiltSheet,
  { styleOf, strings }: { styleOf: (cell: BuiltCell) => number; strings: string[] },
): string {
  const { rows, lines = {}, columns = {}, format = 'defaultRowHeight="15"', merged = [] } = sheet
  const cols = Object.entries(columns).map(([place, more]) => `<col min="${place}" max="${place}" ${more}/>`)
  const cellXml = (written: BuiltCell | string | number | null, name: string): string => {
    if (written === null) return ''
    const cell: BuiltCell = typeof written === 'object' ? written : { value: written }
    const { value, formula } = cell
    const style = styleOf(cell)
    const head = `<c r="${name}"${style === 0 ? '' : ` s="${style}"`}`
    const kind = formula?.kind === undefined ? '' : ` t="${formula.kind}"`
    const fills = formula?.fills === undefined ? '' : ` ref="${formula.fills}"`
    const f = formula === undefined ? '' : `<f${kind}${fills}>${escaped(formula.text)}</f>`
    if (typeof value === 'boolean') return `${head} t="b">${f}<v>${value ? 1 : 0}</v></c>`
    if (typeof value === 'number') return `${head}>${f}<v>${value}</v></c>`
    if (formula !== undefined) return `${head} t="str">${f}<v>${escaped(value)}</v></c>`
    strings.push(escaped(value))
    return `${head} t="s"><v>${strings.length - 1}</v></c>`
  }
  const rowsXml = rows.map((cells, at) => {
    const line = at + 1
    const inside = cells.map((cell, place) => cellXml(cell, `${String.fromCharCode(65 + place)}${line}`))
    return `<row r="${line}"${lines[line] === undefined ? '' : ` ${lines[line]}`}>${inside.join('')}</row>`
  })
  const merges =
    merged.length === 0 ? '' : `<mergeCells>${merged.map((ref) => `<mergeCell ref="${ref}"/>`).join('')}</mergeCells>`
  return `<worksheet><sheetFormatPr ${format}/>${cols.length === 0 ? '' : `<cols>${cols.join('')}</cols>`}<sheetData>${rowsXml.join('')}</sheetData>${merges}</worksheet>`
}

function stylesXml(keys: readonly string[]): string {
  const formats: string[] = []
  const xfs = keys.map((key) => {
    const [code, struck, white] = (key === '' ? ['', false, false] : JSON.parse(key)) as [string, boolean, boolean]
    if (code !== '') formats.push(`<numFmt numFmtId="${164 + formats.length}" formatCode="${escaped(code)}"/>`)
    return `<xf numFmtId="${code === '' ? 0 : 163 + formats.length}" fontId="${white ? 2 : struck ? 1 : 0}" fillId="0"/>`
  })
  const fonts = '<font><sz val="11"/></font><font><strike/></font><font><color rgb="FFFFFFFF"/></font>'
  return `<styleSheet><numFmts>${formats.join('')}</numFmts><fonts>${fonts}</fonts><fills><fill><patternFill patternType="none"/></fill></fills><cellStyleXfs><xf numFmtId="9" fontId="1"/></cellStyleXfs><cellXfs>${xfs.join('')}</cellXfs><dxfs><dxf><font><strike/></font></dxf></dxfs></styleSheet>`
}
