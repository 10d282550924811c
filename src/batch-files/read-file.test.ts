import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Part, zipOf } from '../../tests/harness/build-workbook.ts'
import type { DraftLine } from './batch-draft.ts'
import { judgeLine } from './judge-line.ts'
import { askKey, mendLines } from './mend-draft.ts'
import { type FileRead, readFile, readTable } from './read-file.ts'

/** Reads the lines of a readable file. */
async function linesOf(bytes: Buffer | string): Promise<readonly DraftLine[]> {
  const read = await readFile(Buffer.from(bytes as string))
  assert.ok(read.kind === 'read', JSON.stringify(read))
  return read.lines
}

async function refusalOf(bytes: Buffer | string) {
  const read: FileRead = await readFile(Buffer.from(bytes as string))
  assert.ok(read.kind === 'refused', JSON.stringify(read))
  return read.refusal
}

const cellsOf = async (bytes: Buffer | string) => (await linesOf(bytes)).map(({ cells }) => cells)
const faultsOf = (line: DraftLine) => judgeLine(line).faults.map(({ column, code }) => `${column} ${code}`)

const awa = { name: 'Awa Koné', msisdn: '07 07 00 00 01', amount: '16000' }

test('the line of titles decides between commas, semicolons and tabs, and texts in quotation marks do not count', async () => {
  for (const sign of [',', ';', '\t']) {
    const titles = ['numero', '"autre,;,;\t,"', 'nom', 'montant'].join(sign)
    const file = [titles, ['0707000001', '', `"Awa${sign} ""K"""`, '5'].join(sign)].join('\n')
    assert.deepEqual(
      await cellsOf(file),
      [{ name: `Awa${sign === '\t' ? ' ' : sign} "K"`, msisdn: '0707000001', amount: '5' }],
      sign,
    )
  }
})

test('a line keeps its line number in the file: empty lines and line breaks inside a cell count', async () => {
  const lines = await linesOf('sep=;\n\nNom;Numéro;Montant\n\n"Awa\nKoné";0707000001;5\r\n;;\r\nYves;0707000002;6')
  assert.deepEqual(
    lines.map(({ line }) => line),
    [5, 8],
  )
  assert.equal(lines[0]!.cells.name, 'Awa Koné')
})

test('titles are recognised in French and English, in any order, with or without accents', async () => {
  const french =
    'Montant (F CFA);Réseau;NOM ET PRÉNOM;Téléphone;Réf;Service\n16000;wave;Awa Koné;07 07 00 00 01;S-1;Caisse'
  const english = 'Phone number,Name,Amount,Operator,Reference\n07 07 00 00 01,Awa Koné,16000,wave,S-1'
  const whole = { ...awa, operator: 'wave', reference: 'S-1' }
  assert.deepEqual(await cellsOf(french), [whole])
  assert.deepEqual(await cellsOf(english), [whole])
  const read = await readFile(Buffer.from(french))
  assert.deepEqual(read.kind === 'read' && read.reading.ignored, ['Service'])
})

test('UTF-8 with a byte order mark, UTF-16 and Windows-1252 are read, and the result names the encoding', async () => {
  const text = 'nom;numero;montant\nAïcha Koné;0707000001;5'
  const written = {
    'utf-8': Buffer.from(`\ufeff${text}`),
    'utf-16': Buffer.from(`\ufeff${text}`, 'utf16le'),
    'windows-1252': Buffer.from(text, 'latin1'),
  }
  for (const [encoding, bytes] of Object.entries(written)) {
    const read = await readFile(bytes)
    assert.ok(read.kind === 'read')
    assert.equal(read.reading.encoding, encoding)
    assert.equal(read.lines[0]!.cells.name, 'Aïcha Koné')
  }
})

test('a line that a comma has shifted has a fault until its amount is corrected', async () => {
  const [line] = await linesOf('nom,numero,montant\nAwa,0707000001,16,500')
  assert.deepEqual(faultsOf(line!), ['amount shifted'])
  const mend = (cells: object) => mendLines([line!], { cells: new Map([[2, cells]]), dropped: new Set() })[0]!
  assert.deepEqual(faultsOf(mend({ name: 'Awa Koné' })), ['amount shifted'])
  assert.deepEqual(faultsOf(mend({ amount: '16 500' })), [])
})

test('a leading zero is restored for nine digits and nothing else, and a person confirms it; every other wrong number is a fault', async () => {
  const number = async (msisdn: string) => {
    const [line] = await linesOf(`nom;numero;montant\nAwa Koné;"${msisdn}";5`)
    return judgeLine(line!)
  }
  for (const bare of ['707000001', '507000001', '101000001']) {
    const { faults, questions, order } = await number(bare)
    assert.deepEqual([faults, questions, order], [[], [{ code: 'zero_restored', column: 'msisdn' }], null])
  }
  const [asked] = await linesOf('nom;numero;montant\nAwa Koné;707000001;5')
  const right = mendLines([asked!], {
    cells: new Map(),
    dropped: new Set(),
    right: new Set([askKey(asked!.asks![0]!)]),
  })
  const restored = judgeLine(right[0]!)
  assert.deepEqual(restored.mendings, ['zero_restored'])
  assert.ok(restored.order?.destination.kind === 'inline')
  assert.equal(restored.order.destination.msisdn.e164, '+2250707000001')
  const typed = mendLines(right, { cells: new Map([[2, { msisdn: '707000002' }]]), dropped: new Set() })
  assert.deepEqual(faultsOf(typed[0]!), ['msisdn number_short'], 'a person types ten digits')
  for (const good of [
    ...['0707000001', '+225 07 07 00 00 01', '2250707000001', '07.07.00.00.01', '2250707000001.0', '0707000001,00'],
    ...['=""0707000001""', "'0707000001", '0 707 000 001', '\u202a0707000001\u202c'],
  ]) {
    const { mendings, faults, questions } = await number(good)
    assert.deepEqual([mendings, faults, questions], [[], [], []], good)
  }
  for (const [written, ...told] of [
    ['07 84 33 20', 'number_short 2'],
    ['078433205', 'number_short 1'],
    ['77 123 45 67', 'number_short 1'],
    ['70 700 00 01', 'number_short 1'],
    ['707000001.0', 'number_short 1'],
    ['225707000001', 'number_short 1'],
    ['+225 77843320', 'number_short 2'],
    ['2720304050', 'number_not_mobile'],
    ['+33 6 12 34 56 78', 'number_foreign 33'],
    ['+221 77 123 45 69', 'number_foreign 221'],
    ['00223 70 12 34 56', 'number_foreign 223'],
    ['22670123456', 'number_foreign 226'],
    ['233 55 123 4567', 'number_foreign 233'],
    ['07 07 00 00 01 (Orange)', 'number_words'],
    ['O7O7OOOOO1', 'number_words'],
    ['7,07E+08', 'abbreviated'],
    ['0707000001 / 0507000001', 'number_long'],
  ] as const) {
    const { faults } = await number(written)
    assert.deepEqual(
      faults.map(({ code, missing, country }) => `${code} ${missing ?? country ?? ''}`.trim()),
      told,
      written,
    )
  }
})

test('an amount is a whole number of francs: a clear spelling is accepted, and an ambiguous one is not', () => {
  const amount = (text: string) => judgeLine({ line: 2, cells: { ...awa, amount: text } })
  for (const text of ['16000', '16 000', '16\u202f000', '16000 F CFA', '16000FCFA', '16000.00', '16000,0']) {
    assert.equal(amount(text).order?.amount, 16_000, text)
  }
  const told = (text: string) => amount(text).faults.map(({ code }) => code)
  assert.deepEqual(told('17 500,50'), ['amount_not_whole'])
  assert.deepEqual(told('16,000'), ['amount_not_whole'])
  assert.deepEqual(told('16.000'), ['amount_not_whole'])
  assert.deepEqual(told('0'), ['amount_zero'])
  assert.deepEqual(told('-5'), ['amount_unreadable'])
  assert.deepEqual(told('1,6E+04'), ['abbreviated'])
  assert.deepEqual(told('1000000000001'), ['amount_large'])
  assert.deepEqual(told('seize mille'), ['amount_unreadable'])
})

test('a line names an entry of the book, or a person with a number, but not both', () => {
  const beneficiary_id = '7f0c4a52-4a57-4c1b-8f0e-6f2a54f5a001'
  assert.deepEqual(judgeLine({ line: 2, cells: { amount: '5', beneficiary_id } }).order?.destination, {
    kind: 'book',
    beneficiary_id,
  })
  assert.deepEqual(faultsOf({ line: 2, cells: { ...awa, beneficiary_id } }), ['beneficiary_id book_and_number'])
  assert.deepEqual(faultsOf({ line: 2, cells: { amount: '5' } }), ['name name_missing', 'msisdn number_missing'])
})

// Workbooks in the form in which spreadsheets write them.

const workbook: readonly Part[] = [
  {
    name: 'xl/workbook.xml',
    text: '<?xml version="1.0"?><workbook><sheets><sheet name="Salaires &amp; primes" sheetId="3" r:id="rId7"/></sheets></workbook>',
  },
  {
    name: 'xl/_rels/workbook.xml.rels',
    text: '<Relationships><Relationship Id="rId1" Target="styles.xml"/><Relationship Target="worksheets/sheet3.xml" Id="rId7"/></Relationships>',
  },
]

const strings = (...texts: string[]): Part => ({
  name: 'xl/sharedStrings.xml',
  text: `<sst>${texts.map((text) => `<si><t xml:space="preserve">${text}</t></si>`).join('')}</sst>`,
})

const sheet = (rows: string): Part => ({
  name: 'xl/worksheets/sheet3.xml',
  text: `<worksheet><dimension ref="A1:E5"/><sheetData>${rows}</sheetData></worksheet>`,
})

const titles =
  '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="D1" t="inlineStr"><is><r><t>Mon</t></r><r><t>tant</t></r></is></c></row>'

test('the first sheet of a workbook is read: shared and inline texts, numbers, gaps and line numbers', async () => {
  const rows = `${titles}<row r="4" spans="1:4"><c r="A4" t="s" s="1"><v>2</v></c><c r="B4"><v>707000001</v></c><c r="D4"><v>16000.000000000002</v></c></row><row r="5"><c r="A5"/></row>`
  const file = zipOf([...workbook, strings('Nom', 'Numéro', 'Awa &quot;K&quot; &#233;'), sheet(rows)])
  const read = await readFile(file)
  assert.ok(read.kind === 'read')
  assert.deepEqual(read.reading, { form: 'xlsx', sheet: 'Salaires & primes', ignored: [] })
  assert.deepEqual(read.lines, [
    {
      line: 4,
      cells: { name: 'Awa "K" é', msisdn: '707000001', amount: '16000' },
      asks: [{ code: 'zero_restored', column: 'msisdn' }],
    },
  ])
})

test('a formula and an error are faults of their line, also with a stored result', async () => {
  const rows = `${titles}<row r="2"><c r="A2" t="s"><v>2</v></c><c r="B2" t="e"><v>#REF!</v></c><c r="D2"><f>SUM(E2:F2)</f><v>16000</v></c></row>`
  const [line] = await linesOf(zipOf([...workbook, strings('Nom', 'Numéro', 'Awa'), sheet(rows)]))
  assert.deepEqual(faultsOf(line!), ['msisdn cell_error', 'amount formula'])
  const cells = new Map([[2, { amount: '16000', msisdn: '0707000001' }]])
  const [mended] = mendLines([line!], { cells, dropped: new Set() })
  assert.deepEqual(faultsOf(mended!), [])
})

test('an archive that unpacks to gigabytes is refused at the limit, and a damaged one or one without a workbook is refused', async () => {
  const bomb = zipOf([...workbook, sheet(' '.repeat(200 * 1024 * 1024))])
  assert.ok(bomb.length < 1024 * 1024, 'it is small as it comes')
  assert.deepEqual(await refusalOf(bomb), { code: 'workbook_too_large' })
  const whole = zipOf([...workbook, strings('Nom'), sheet(titles)])
  for (const length of [whole.length - 1, whole.length - 40, 200, 30, 4]) {
    assert.equal((await refusalOf(whole.subarray(0, length))).code, 'workbook_unreadable', String(length))
  }
  assert.deepEqual(await refusalOf(zipOf([{ name: 'word/document.xml', text: '<w/>' }])), {
    code: 'other_form',
    form: 'document',
  })
  assert.deepEqual(await refusalOf(zipOf([...workbook, sheet('')])), { code: 'empty' })
})

test('reading a workbook costs no more than its size: neither sheets without a file nor a long text in many cells multiply it', async () => {
  const sheets = (count: number): Part[] => [
    { name: 'xl/workbook.xml', text: '<sheet/>'.repeat(300) },
    { name: 'xl/_rels/workbook.xml.rels', text: '<Relationship Id="r"/>'.repeat(count) },
  ]
  const cell = (nth: number) => `<c t="s"><v>${nth}</v></c>`
  const rows = `<row>${[0, 1, 2].map(cell).join('')}</row>${`<row>${cell(3).repeat(63)}</row>`.repeat(40)}`
  const long = [...workbook, strings('Nom', 'Numéro', 'Montant', `x${' '.repeat(7_000_000)}x`), sheet(rows)]
  const begun = process.cpuUsage()
  assert.deepEqual(await refusalOf(zipOf(sheets(20_000))), { code: 'workbook_unreadable' })
  assert.deepEqual(await refusalOf(zipOf(sheets(30_000))), { code: 'workbook_too_large' })
  const found = process.cpuUsage(begun).user / 1_000
  const lines = await linesOf(zipOf(long))
  const read = process.cpuUsage(begun).user / 1_000 - found
  assert.equal(lines.length, 40)
  assert.ok(found < 20_000 && read < 20_000, `sheets took ${found} ms, texts ${read} ms`)
})

test('the refusal of a workbook with too many lines says how many it has', async () => {
  const row = (nth: number) => `<row r="${nth}"><c r="A${nth}" t="inlineStr"><is><t>A</t></is></c></row>`
  const many = Array.from({ length: 700 }, (_, nth) => row(nth + 2)).join('')
  const file = zipOf([...workbook, strings('Nom', 'Numéro'), sheet(titles + many)])
  assert.deepEqual(await refusalOf(file), { code: 'too_many_lines', count: 700 })
})

test('an Excel file from before 2007 and one with a password each have their own refusal', async () => {
  const old = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(600)])
  assert.deepEqual(await refusalOf(old), { code: 'other_form', form: 'old_excel' })
  const encrypted = Buffer.concat([old, Buffer.from('EncryptedPackage', 'utf16le'), Buffer.alloc(600)])
  assert.deepEqual(await refusalOf(encrypted), { code: 'other_form', form: 'with_password' })
})

test('of several sheets the first visible one is read, and the others are named', async () => {
  const sheets = (...states: string[]): Part[] => [
    {
      name: 'xl/workbook.xml',
      text: `<workbook><sheets>${states.map((state, nth) => `<sheet name="S${nth}" sheetId="${nth}"${state} r:id="rId${nth}"/>`).join('')}</sheets></workbook>`,
    },
    {
      name: 'xl/_rels/workbook.xml.rels',
      text: `<Relationships>${states.map((_, nth) => `<Relationship Id="rId${nth}" Target="worksheets/sheet${nth}.xml"/>`).join('')}</Relationships>`,
    },
    ...states.map((_, nth) => ({ name: `xl/worksheets/sheet${nth}.xml`, text: lines(nth) })),
  ]
  const cell = (text: string) => `<c t="inlineStr"><is><t>${text}</t></is></c>`
  const lines = (nth: number) =>
    `<worksheet><sheetData><row>${['Nom', 'Numéro', 'Montant'].map(cell).join('')}</row><row>${cell(`Awa ${nth}`)}</row></sheetData></worksheet>`
  const read = await readFile(zipOf(sheets(' state="hidden"', '', ' state="veryHidden"', '')))
  assert.ok(read.kind === 'read')
  assert.deepEqual(read.reading, {
    form: 'xlsx',
    sheet: 'S1',
    other_sheets: ['S3'],
    hidden_sheets: ['S0', 'S2'],
    ignored: [],
  })
  assert.deepEqual(read.lines, [{ line: 2, cells: { name: 'Awa 1' } }])
  const blank = sheets('', '').map((part) =>
    part.name.endsWith('sheet0.xml') ? { ...part, text: '<worksheet/>' } : part,
  )
  assert.deepEqual(await refusalOf(zipOf(blank)), { code: 'sheet_empty', sheet: 'S0' })
})

test('while a file that takes long is read, other work has its turns', async () => {
  const tags = '<c/>'.repeat(100_000)
  const long = (name: string, text = tags): Part => ({ name, text })
  // Stored and not packed: unpacking would have its own turns.
  const stored = (...parts: Part[]) => zipOf(parts.map((part) => ({ ...part, method: 0 })))
  const slow = {
    'the sheet': stored(...workbook, sheet(tags)),
    'the texts': stored(...workbook, long('xl/sharedStrings.xml'), sheet('')),
    'the list of sheets': stored(long('xl/workbook.xml'), workbook[1]!),
    'the list of their files': stored(workbook[0]!, long('xl/_rels/workbook.xml.rels')),
    text: Buffer.from('a;'.repeat(100_000)),
  }
  for (const [what, bytes] of Object.entries(slow)) {
    let turns = 0
    let next = setImmediate(function count() {
      turns += 1
      next = setImmediate(count)
    })
    await readTable(bytes)
    clearImmediate(next)
    assert.ok(turns >= 10, `${what}: ${turns} turns`)
  }
  const entities = sheet(`<row r="1"><c r="A1" t="inlineStr"><is><t>${'&#65;'.repeat(200_000)}</t></is></c></row>`)
  assert.equal((await readTable(zipOf([...workbook, entities]))).kind, 'table', 'a long text is read to its limit')
})
