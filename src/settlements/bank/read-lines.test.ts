import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readBankAmount, readBankDay } from './cells.ts'
import { type BankFileTold, nothingTold, readBankLines } from './read-lines.ts'

const read = (text: string | Buffer, told: Partial<BankFileTold> = {}) =>
  readBankLines(Buffer.from(text), { ...nothingTold, ...told })
async function linesIn(text: string | Buffer, told: Partial<BankFileTold> = {}) {
  const result = await read(text, told)
  assert.ok(result.kind === 'read', JSON.stringify(result))
  return result
}

test('an amount is read as banks write it, and never guessed', async () => {
  for (const [written, francs] of [
    ['1250000', 1_250_000],
    ['1 250 000', 1_250_000],
    ['1\u202f250\u00a0000 F CFA', 1_250_000],
    ['1.250.000,00', 1_250_000],
    ['1,250,000.00 XOF', 1_250_000],
    ['-1.250.000,0', -1_250_000],
    ['\u22121 250', -1_250],
    ['1.250', 1_250],
    ['500,00', 500],
    ['0', null],
    ['1.250.000,50', null],
    ['12.50', null],
    ['1.25.000', null],
    ['1,250.000', null],
    ['1.250.000.00', null],
    ['1e6', null],
    ['=1+1', null],
    ['', null],
    ['9999999999999999', null],
  ] as const)
    assert.equal(readBankAmount(written), francs, written)
})

test('a file is read with any of three separators, in UTF-8 or Latin-1, quoted or not, after the bank’s own heading', async () => {
  const table = (separator: string) =>
    ['Référence', 'Libellé', 'Débit', 'Bénéficiaire'].join(separator) +
    '\r\n' +
    ['VIR-1', '"Reversement ""août"""', '"1 250 000"', 'Épicerie Awa'].join(separator)
  for (const separator of [';', ',', '\t']) {
    const text = `SOCIÉTÉ IVOIRIENNE DE BANQUE\r\n\r\n${table(separator)}`
    for (const bytes of [Buffer.from(text, 'utf8'), Buffer.from(text, 'latin1')]) {
      const { lines, left_aside } = await linesIn(bytes)
      assert.deepEqual(lines, [
        {
          line: 4,
          direction: 'out',
          amount: 1_250_000,
          date: null,
          value_date: null,
          unread_date: null,
          reference: 'VIR-1',
          label: 'Reversement "août"',
          account: '',
          holder: 'Épicerie Awa',
          fault: null,
        },
      ])
      assert.equal(left_aside, 0)
    }
  }
})

/** Reads the direction of each line, by its reference. */
async function directionsIn(text: string, told: Partial<BankFileTold> = {}) {
  return (await linesIn(text, told)).lines.map(({ reference, direction, fault }) => [reference, fault ?? direction])
}

test('a debit left, a credit came in, and a debit with a minus was reversed', async () => {
  const split = await linesIn(
    'reference;label;debit;credit\nA;x;100;\nB;y;;200\nC;z;0,00;300\nD;w;;\nE;v;-100;\nF;u;1;2\nG;t;;-5',
  )
  assert.equal(split.left_aside, 1)
  assert.deepEqual(
    await directionsIn('reference;label;debit;credit\nA;x;100;\nB;y;;200\nC;z;0,00;300\nE;v;-100;\nF;u;1;2\nG;t;;-5'),
    [
      ['A', 'out'],
      ['B', 'in'],
      ['C', 'in'],
      ['E', 'in'],
      ['F', 'direction'],
      ['G', 'direction'],
    ],
  )
  // One reversal does not change the direction of other lines.
  assert.deepEqual(await directionsIn('reference;label;debit\nA;x;100\nB;y;-100\nC;z;70'), [
    ['A', 'out'],
    ['B', 'in'],
    ['C', 'out'],
  ])
})

test('in one column of amounts the signs give the direction, or the column of directions', async () => {
  assert.deepEqual(await directionsIn('reference;label;montant\nA;x;-100\nB;y;+200\nC;z;300'), [
    ['A', 'out'],
    ['B', 'in'],
    ['C', 'in'],
  ])
  assert.deepEqual(
    await directionsIn('reference;label;montant;sens\nA;x;100;D\nB;y;200;C\nC;z;300;\nD;w;-100;Débit\nE;v;-5;CR'),
    [
      ['A', 'out'],
      ['B', 'in'],
      ['C', 'direction'],
      ['D', 'in'],
      ['E', 'direction'],
    ],
  )
  assert.deepEqual(await directionsIn('reference;label;amount;debit/credit\nA;x;-100;debit\nB;y;+200;credit'), [
    ['A', 'out'],
    ['B', 'in'],
  ])
})

test('a direction behind the amount counts as one beside it, and two that differ are a fault', async () => {
  assert.deepEqual(
    await directionsIn('reference;label;montant\nA;x;1 250 000,00 DR\nB;y;480.000,00 CR\nC;z;75 000 D\nD;w;-5 000 C'),
    [
      ['A', 'out'],
      ['B', 'in'],
      ['C', 'out'],
      ['D', 'direction'],
    ],
  )
  assert.deepEqual(await directionsIn('reference;label;montant;sens\nA;x;100 DR;C\nB;y;200 CR;Crédit'), [
    ['A', 'direction'],
    ['B', 'in'],
  ])
  assert.deepEqual(await directionsIn('reference;label;debit;credit\nA;x;100 CR;\nB;y;;200 DR\nC;z;300 DR;'), [
    ['A', 'direction'],
    ['B', 'direction'],
    ['C', 'out'],
  ])
  // Lines without a direction among others leave the meaning of a minus open.
  const asked = await readBankLines(Buffer.from('reference;label;montant\nA;x;100 DR\nB;y;-200'))
  assert.ok(asked.kind === 'refused' && asked.refusal.code === 'direction_unknown')
  const told = { minus: 'left' } as const
  assert.deepEqual(await directionsIn('reference;label;montant\nA;x;100 DR\nB;y;-200\nC;z;(300)\nD;w;400-', told), [
    ['A', 'out'],
    ['B', 'out'],
    ['C', 'out'],
    ['D', 'out'],
  ])
})

test('an amount and a reference are read without invisible signs, and an abbreviated reference is a fault', async () => {
  const { lines } = await linesIn(
    "reference;label;debit\n\u202aVIR26110042\u202c;x;\u200e1 250 000\u200e\nB;y;1'250'000.00\n2,61101E+11;z;5\n2.61101E+11;z;6\n3E10;z;7",
  )
  assert.deepEqual(
    lines.map(({ reference, amount, fault }) => [reference, amount, fault]),
    [
      ['VIR26110042', 1_250_000, null],
      ['B', 1_250_000, null],
      ['2,61101E+11', 5, 'abbreviated'],
      ['2.61101E+11', 6, 'abbreviated'],
      ['3E10', 7, null],
    ],
  )
})

test('the titles decide the separator, whatever signs the heading above them has', async () => {
  for (const separator of [',', ';', '\t', '|']) {
    for (const heading of [
      '',
      'Banque Lagune SA, agence Plateau, Abidjan',
      ...[',', ';', '\t', '|'].map((sign) => Array(6).fill(Array(9).fill('x').join(sign)).join('\n')),
      'a;b;c;d;e;f;g',
      'x|y|z|w',
      'Compte\tXOF\t1\t2\t3',
    ]) {
      const table = [
        ['Date', 'Référence', 'Libellé', 'Débit'],
        ['27/11/2026', 'VIR1', 'REVERSEMENT', '1250000'],
      ]
      const { lines } = await linesIn([heading, '', ...table.map((row) => row.join(separator))].join('\n'))
      assert.deepEqual(
        lines.map(({ reference, amount }) => [reference, amount]),
        [['VIR1', 1_250_000]],
        `${separator} ${heading}`,
      )
    }
  }
})

test('the service asks about a minus that may be a debit or a reversal, also when many lines have one', async () => {
  for (const [text, left, came_back] of [
    // A reversal alone or among transfers, or a debit alone or among deposits: the file is the same.
    ['reference;label;montant\nA;x;-100', ['out'], ['in']],
    ['reference;label;montant\nA;x;-100\nB;y;200', ['out', 'in'], ['in', 'out']],
    ['reference;label;montant\nA;x;100\nB;y;200', ['in', 'in'], ['out', 'out']],
    ['reference;label;montant;sens\nA;x;-100;D', ['out'], ['in']],
    ['reference;label;montant;sens\nA;x;-100;D\nB;y;200;C', ['out', 'in'], ['in', 'in']],
    ['reference;label;debit\nA;x;-100', ['out'], ['in']],
  ] as const) {
    const asked = await read(text)
    assert.ok(asked.kind === 'refused' && asked.refusal.code === 'direction_unknown', text)
    for (const [minus, directions] of [['left', left] as const, ['came_back', came_back] as const])
      assert.deepEqual(
        (await linesIn(text, { minus })).lines.map(({ direction }) => direction),
        directions,
        `${text} ${minus}`,
      )
  }
  // The file's proof overrides a person's answer.
  assert.deepEqual(await directionsIn('reference;label;montant\nA;x;-100\nB;y;+200', { minus: 'came_back' }), [
    ['A', 'out'],
    ['B', 'in'],
  ])
  assert.deepEqual(await directionsIn('reference;label;debit\nA;x;100\nB;y;-100', { minus: 'left' }), [
    ['A', 'out'],
    ['B', 'in'],
  ])
})

test('a file without titles keeps its first transfer, and the service asks for its columns', async () => {
  const text = '25/11/2026;VIR-1;stl_x;50000\n26/11/2026;VIR-2;stl_y;70000'
  const asked = await read(text)
  assert.ok(asked.kind === 'refused' && asked.refusal.code === 'columns_unknown')
  assert.equal(asked.refusal.starts_at_once, true)
  const columns = { date: 0, reference: 1, label: 2, debit: 3 }
  for (const starts_at_once of [false, true])
    assert.deepEqual(
      (await linesIn(text, { columns, starts_at_once })).lines.map(({ line, reference, date }) => [
        line,
        reference,
        date,
      ]),
      [
        [1, 'VIR-1', '2026-11-25'],
        [2, 'VIR-2', '2026-11-26'],
      ],
    )
  // A first line with an unreadable amount is a transfer as well, if a person says so.
  const unread = await linesIn('VIR-1;stl_x;1,5\nVIR-2;stl_y;7', {
    columns: { reference: 0, label: 1, debit: 2 },
    starts_at_once: true,
  })
  assert.deepEqual(
    unread.lines.map(({ fault }) => fault),
    ['amount', null],
  )
})

test('a date is read with the day before the month, and no date of a column that has the month first', async () => {
  for (const [written, day] of [
    ['25/11/2026', '2026-11-25'],
    ['5-1-26', '2026-01-05'],
    ['25.11.2026 14:03', '2026-11-25'],
    ['2026-11-25T00:00:00', '2026-11-25'],
    ['31/02/2026', null],
    ['11/25/2026', null],
    ['novembre', null],
  ] as const)
    assert.equal(readBankDay(written), day, written)
  const days = async (text: string) => (await linesIn(text)).lines.map(({ date }) => date)
  assert.deepEqual(await days('date;reference;label;debit\n03/11/2026;A;x;1\n04/11/2026;B;x;1'), [
    '2026-11-03',
    '2026-11-04',
  ])
  assert.deepEqual(await days('date;reference;label;debit\n03/11/2026;A;x;1\n11/25/2026;B;x;1'), [null, null])
})

test('the booking date and the value date are read, and the line shows an unreadable one', async () => {
  const { lines } = await linesIn(
    'Date opération;Date de valeur;reference;label;debit\n31/12/2026;31.12.26;A;x;1\n31/12/2026;;B;x;1\n31/02/2026;30/12/2026;C;x;1\n;demain;D;x;1',
  )
  assert.deepEqual(
    lines.map(({ line, date, value_date, unread_date }) => [line, date, value_date, unread_date]),
    [
      [2, '2026-12-31', '2026-12-31', null],
      [3, '2026-12-31', null, null],
      [4, null, '2026-12-30', '31/02/2026'],
      [5, null, null, 'demain'],
    ],
  )
  // No date of a column with the month first is certain, and each of its lines says so.
  const american = await linesIn('date;reference;label;debit\n03/11/2026;A;x;1\n11/25/2026;B;x;1')
  assert.deepEqual(
    american.lines.map(({ unread_date }) => unread_date),
    ['03/11/2026', '11/25/2026'],
  )
})

test('a formula, an amount with decimals and a missing reference are faults of their line', async () => {
  const { lines } = await linesIn(
    'reference;label;debit\n=HYPERLINK("http://x");x;100\n@SUM(A1);x;100\nA;+cmd|calc;100\nB;x;1,5\n;x;100\n="0042";x;100',
  )
  assert.deepEqual(
    lines.map(({ fault, reference }) => [fault, reference]),
    [
      ['formula', '=HYPERLINK("http://x")'],
      ['formula', '@SUM(A1)'],
      ['formula', 'A'],
      ['amount', 'B'],
      ['reference', null],
      [null, '0042'],
    ],
  )
})

test('the service asks for unknown columns, and a person assigns them', async () => {
  const text = 'Op;Txt;Valeur\nVIR-9;stl;7000'
  const asked = await read(text)
  assert.ok(asked.kind === 'refused' && asked.refusal.code === 'columns_unknown')
  assert.deepEqual(asked.refusal.found, ['Op', 'Txt', 'Valeur'])
  const columns = { reference: 0, label: 1, debit: 2 }
  const { lines } = await linesIn(text, { columns })
  assert.deepEqual([lines[0]!.reference, lines[0]!.amount], ['VIR-9', 7_000])
  // Of two columns with the same title the person chooses. An index outside the line, or used twice, is refused.
  assert.equal((await read('reference;label;debit;debit\nA;x;1;1')).kind, 'refused')
  assert.equal((await read('reference;label;montant;debit\nA;x;1;1')).kind, 'refused')
  assert.equal((await read(text, { columns: { ...columns, debit: 9 } })).kind, 'refused')
  assert.equal((await read(text, { columns: { ...columns, label: 2 } })).kind, 'refused')
})

test('if a line has two accounts, the beneficiary’s counts', async () => {
  const both = await linesIn('reference;debit;compte;compte bénéficiaire\nA;1;CI01;CI02')
  assert.deepEqual([both.lines[0]!.account, both.beneficiary_accounts], ['CI02', true])
  assert.equal((await linesIn('reference;debit;compte\nA;1;CI01')).beneficiary_accounts, false)
})

test('a file that is no table, too long or too large is refused with its reason', async () => {
  const code = async (text: string | Buffer) => {
    const result = await read(text)
    return result.kind === 'refused' ? result.refusal.code : result.kind
  }
  assert.equal(await code(''), 'empty')
  assert.equal(await code('\n\n'), 'empty')
  assert.equal(await code(Buffer.from([0x50, 0x4b, 3, 4, 0, 0, 0, 0])), 'workbook')
  assert.equal(await code(Buffer.from([0x89, 0x50, 0, 0])), 'not_a_table')
  assert.equal(await code('reference;label;montant\n"A;x;1'), 'unclosed_quote')
  assert.equal(await code(`reference;label;debit\n${'A;x;1\n'.repeat(2_001)}`), 'too_many_lines')
  assert.equal(await code('x'.repeat(2 * 1024 * 1024 + 1)), 'too_large')
})
