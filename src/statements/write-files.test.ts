import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from '../../tests/harness/property.ts'
import { readCsv, readPdf } from '../../tests/harness/read-files.ts'
import type { StatementExport } from './export-statement.ts'
import { type Movement, movementTypes } from './movement.ts'
import { writeCsv } from './write-csv.ts'
import { writeJson } from './write-json.ts'
import { PDF_MOVEMENTS_MAX, sheetsOf, writePdf } from './write-pdf.ts'

/** Makes a statement of this many movements, of every type in turn, each with a given reference. */
function statementOf(count: number, referenceOf: (at: number) => string | null = () => null): StatementExport {
  const data: Movement[] = []
  const totals = { in: 0, out: 0 }
  let balance = 1_000_000
  for (let at = 0; at < count; at += 1) {
    const type = movementTypes[at % movementTypes.length]!
    const direction = ['collection', 'refund_returned', 'settlement_returned'].includes(type) ? 'in' : 'out'
    const amount = 1_000 + at
    balance += direction === 'in' ? amount : -amount
    totals[direction] += amount
    const created_at = new Date(Date.UTC(2026, 0, 1, 0, at)).toISOString()
    const [reference, payment_id] = [referenceOf(at), at % 2 === 0 ? `txn_${at}` : null]
    data.push({
      id: `txn_${at}`,
      object: 'movement',
      type,
      direction,
      amount,
      balance,
      reference,
      payment_id,
      created_at,
    })
  }
  return {
    tenant: { merchant_id: 7, livemode: false },
    merchant_name: 'Épicerie du marché – Łódź 東',
    figures: {
      from: '2026-01-01',
      to: '2026-02-28',
      opening_balance: 1_000_000,
      total_in: totals.in,
      total_out: totals.out,
      closing_balance: balance,
      first_sequence: 11,
      last_sequence: 10 + count,
    },
    async *movements() {
      for (let at = 0; at < count; at += 500) yield data.slice(at, at + 500)
    },
  }
}

async function textOf(parts: AsyncIterable<string>): Promise<string> {
  return (await Array.fromAsync(parts)).join('')
}

async function pdfOf(statement: StatementExport): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(writePdf(statement, 'Bandama') as AsyncIterable<Buffer>))
}

const allOf = async ({ movements }: StatementExport) => (await Array.fromAsync(movements())).flat()

test('the CSV has a row for every movement, and the figures before and after them', async () => {
  for (const count of [0, 1, 1_201]) {
    const statement = statementOf(count, (at) => (at % 3 === 0 ? null : `commande ${at}`))
    const [head, opening, ...rest] = readCsv(await textOf(writeCsv(statement)))
    const { figures } = statement
    assert.deepEqual(head, ['created_at', 'type', 'direction', 'amount', 'balance', 'id', 'payment_id', 'reference'])
    const figure = (type: string, day: string, amount: number | '', balance: number | '') => [
      day,
      type,
      '',
      String(amount),
      String(balance),
      '',
      '',
      '',
    ]
    assert.deepEqual(opening, figure('opening_balance', '2026-01-01', '', 1_000_000))
    assert.deepEqual(rest.slice(-3), [
      figure('total_in', '2026-02-28', figures.total_in, ''),
      figure('total_out', '2026-02-28', figures.total_out, ''),
      figure('closing_balance', '2026-02-28', '', figures.closing_balance),
    ])
    const rows = (await allOf(statement)).map((movement) =>
      head!.map((column) => String(movement[column as keyof Movement] ?? '')),
    )
    assert.deepEqual(rest.slice(0, -3), rows)
  }
})

const formulas = [
  '=1+1',
  '+1',
  '-1',
  '@SUM(A1)',
  '\t=1',
  '\r=1',
  ' =1',
  '  @x',
  "'=1",
  '"=1"',
  '＝1',
  'a;=1',
  'a\t-1',
  'a,=1',
]
const hostile = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 30 }), fc.constantFrom(...formulas), fc.string())

test('no reference becomes a formula in a spreadsheet, or leaves its field', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(hostile, { minLength: 1, maxLength: 20 }), async (references) => {
      const text = await textOf(writeCsv(statementOf(references.length, (at) => references[at]!)))
      const rows = readCsv(text).slice(2, -3)
      assert.deepEqual(
        rows.map((row) => row.length),
        references.map(() => 8),
      )
      for (const [at, row] of rows.entries()) {
        assert.equal(row[5], `txn_${at}`)
        for (const cell of row[7]!.split(/[,;|\t\r\n]/)) assert.doesNotMatch(cell, /^[\s"]*[=+\-@＝＋－＠]/)
        // Except for added apostrophes, the reference is unchanged.
        assert.equal(row[7]!.replaceAll("'", ''), references[at]!.replaceAll("'", ''))
      }
    }),
    { numRuns: 500 },
  )
})

test('the JSON is the statement of the interface without its page', async () => {
  for (const count of [0, 1, 1_201]) {
    const statement = statementOf(count, (at) => `"commande" ${at}`)
    const text = await textOf(writeJson(statement))
    const { first_sequence, last_sequence, ...figures } = statement.figures
    const data = await allOf(statement)
    const about = { object: 'statement', currency: 'XOF', livemode: false, total_count: count }
    assert.deepEqual(JSON.parse(text), { ...about, ...figures, data })
    assert.equal(text.trimEnd().split('\n').length, 1)
  }
})

const spaced = (amount: number) => `${String(amount).replace(/\B(?=(?:\d{3})+$)/g, '\u00a0')} F`

test('the PDF has the figures first, then every movement, and carries the balance from page to page', async () => {
  for (const count of [0, 1, 18, 19, 20, 45, 46, 200]) {
    const statement = statementOf(count, (at) => (at === 0 ? 'Œuvre n° 1 – 50 € 東' : null))
    const { figures } = statement
    const sheets = readPdf(await pdfOf(statement))
    assert.equal(sheets.length, sheetsOf(count), `${count} movements`)
    const all = sheets.flat()
    for (const expected of [
      'Relevé de compte',
      'Du 1er janvier 2026 au 28 février 2026',
      'Épicerie du marché – ?ód? ?',
      'MODE TEST – SANS VALEUR',
      spaced(figures.opening_balance),
      `+ ${spaced(figures.total_in)}`,
      `– ${spaced(figures.total_out)}`,
      spaced(figures.closing_balance),
    ]) {
      assert.ok(sheets[0]!.includes(expected), `${expected} in ${JSON.stringify(sheets[0]!.slice(0, 16))}`)
    }
    const data = await allOf(statement)
    for (const [at, { balance }] of data.entries()) {
      const told = all.filter((line) => line === `txn_${at}` || line === `txn_${at} de txn_${at}`)
      assert.equal(told.length, 1, `movement ${at} of ${count}`)
      assert.ok(all.includes(spaced(balance)))
    }
    for (const [at, lines] of sheets.entries()) {
      assert.ok(lines.includes(`Page ${at + 1} / ${sheets.length}`))
      assert.equal(lines.includes('Report'), at > 0)
      assert.equal(lines.includes('À reporter'), at < sheets.length - 1)
      if (at === 0) continue
      const carried = sheets[at - 1]![sheets[at - 1]!.indexOf('À reporter') + 1]
      assert.equal(lines[lines.indexOf('Report') + 1], carried)
      const [first] = lines.filter((line) => /^txn_\d+$/.test(line)).map((line) => Number(line.slice(4)))
      assert.equal(carried, spaced(data[first! - 1]!.balance))
    }
    if (count > 0) assert.ok(all.includes('Paiement reçu – Œuvre n° 1 – 50 € ?'))
    else assert.ok(all.includes('Aucun mouvement sur la période.'))
  }
})

test('the same statement gives the same bytes at any time', async (t) => {
  const statement = statementOf(120, (at) => `commande ${at}`)
  const [csv, json, pdf] = [
    await textOf(writeCsv(statement)),
    await textOf(writeJson(statement)),
    await pdfOf(statement),
  ]
  t.mock.timers.enable({ apis: ['Date'], now: Date.UTC(2031, 5, 1) })
  assert.equal(await textOf(writeCsv(statement)), csv)
  assert.equal(await textOf(writeJson(statement)), json)
  assert.ok((await pdfOf(statement)).equals(pdf))
})

test('a statement that is too long for a PDF is refused before anything is written', () => {
  assert.throws(() => writePdf(statementOf(PDF_MOVEMENTS_MAX + 1), 'Bandama'), RangeError)
})

test('if a statement cannot be read to its end, the file fails', async () => {
  const statement = statementOf(30)
  const broken: StatementExport = {
    ...statement,
    async *movements() {
      yield (await allOf(statement)).slice(0, 10)
      throw new Error('the database went away')
    },
  }
  await assert.rejects(pdfOf(broken), /the database went away/)
  await assert.rejects(textOf(writeCsv(broken)), /the database went away/)
  await assert.rejects(textOf(writeJson(broken)), /the database went away/)
})
