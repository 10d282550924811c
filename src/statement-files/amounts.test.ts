import assert from 'node:assert/strict'
import { test } from 'node:test'
import { workbookOf } from '../../tests/harness/build-workbook.ts'
import { xlsOf } from '../../tests/harness/build-xls.ts'
import * as fixtures from '../../tests/harness/statement-fixtures.ts'
import { readStatement, type StatementOptions } from './read-statement.ts'
import type { StatementRow } from './statement-row.ts'

// A wrong amount, sign, currency or class is worse than an unreadable row.

async function readAll(file: Buffer | string, options: Partial<StatementOptions> = {}) {
  const reading = readStatement(Buffer.from(file as string), { profile: 'guess', ...options })
  const rows: StatementRow[] = []
  for (;;) {
    const next = await reading.next()
    if (next.done) return { rows, end: next.value }
    rows.push(next.value)
  }
}

async function codeOf(file: Buffer | string, options: Partial<StatementOptions> = {}): Promise<string> {
  const { end } = await readAll(file, options)
  return end.kind === 'refused' ? end.code : end.kind
}

const effects = async (file: Buffer | string) => (await readAll(file)).rows.map(({ effect }) => effect)
const faults = async (file: Buffer | string) => (await readAll(file)).rows.map(({ fault }) => fault)
const bank = (...lines: readonly string[]) => `Date;Libellé;Débit;Crédit;Solde\n${lines.join('\n')}\n`
const signed = (...lines: readonly string[]) => `Date;Libellé;Montant;Sens\n${lines.join('\n')}\n`

test('a number with three decimals is a fraction in forms that fix the decimal mark, and thousands in a text', async () => {
  const titles = ['Date', 'Libellé', 'Débit', 'Crédit']
  const cells = (debit: number | string) => [titles, ['09/11/2026', 'LOYER', debit, null]]
  for (const book of [
    (one: number | string) => workbookOf({ rows: cells(one) }),
    (one: number | string) => xlsOf(cells(one)),
  ]) {
    assert.deepEqual(await faults(book(12.344)), ['amount'])
    assert.deepEqual(await faults(book(0.125)), ['amount'])
    assert.deepEqual(await effects(book('12.344')), [-12_344])
    assert.deepEqual(await effects(book(16_000.000_000_000_002)), [-16_000])
  }
  const api = (amount: unknown, fee: unknown) =>
    JSON.stringify([{ timestamp: '2026-11-09T08:00:00Z', transaction_id: 'T_1', amount, fee }])
  assert.deepEqual(await faults(api(2_000, 12.345)), ['fee'])
  assert.deepEqual(await faults(api('12.345', '0')), ['amount'])
  assert.deepEqual(await effects(api('2000.00', 20)), [1_980])
  assert.deepEqual(await effects(fixtures.mt940.replace('CF50000,', 'CF500,000')), [500, -500, -90])
  assert.deepEqual(await faults(fixtures.mt940.replace('CF50000,', 'CF500,500')), ['amount', null, null])
  assert.deepEqual(await effects(fixtures.camt.replace('>500<', '>500.000<')), [500, -100, 0])
})

test('a stated balance is read like the amounts, or refuses the file', async () => {
  const opened = async (cell: number | string) => {
    const rows = [
      ['Solde initial', cell],
      ['Date', 'Libellé', 'Débit', 'Crédit'],
      ['09/11/2026', 'LOYER', 500, null],
    ]
    const { end } = await readAll(workbookOf({ rows }))
    return end.kind === 'read' ? end.chain.opening : end.code
  }
  assert.equal(await opened(1_000), 1_000)
  assert.equal(await opened('1.000'), 1_000)
  assert.equal(await opened(12.345), 'stated_balance')
  assert.equal(await codeOf(fixtures.mt940.replace('XOF1049410,', 'XOF1049410,125')), 'stated_balance')
})

test('another currency is never counted as francs', async () => {
  assert.equal(await codeOf(fixtures.mt940.replaceAll('XOF', 'EUR')), 'other_currency')
  assert.equal(await codeOf(fixtures.mt940.replace('XOF1049410', 'EUR1049410')), 'other_currency')
  assert.equal(await codeOf(fixtures.camt.replaceAll('Ccy="XOF"', 'Ccy="EUR"')), 'other_currency')
  const inEntry = fixtures.camt.replace('Ccy="XOF">500<', 'Ccy="EUR">500<')
  assert.deepEqual(await faults(inEntry), ['currency', null, null])
  assert.equal(await codeOf(fixtures.camt.replace('</Acct>', '<Ccy>EUR</Ccy></Acct>')), 'other_currency')
  assert.equal(await codeOf(fixtures.waveFr.replaceAll('XOF', 'GNF')), 'too_many_unreadable')
  assert.deepEqual(
    await faults(fixtures.waveFr.replaceAll('XOF', 'francs')),
    ['currency', 'currency', 'currency'].map(() => null),
  )
  assert.equal(await codeOf(`Devise;EUR\n${bank('09/11/2026;LOYER;500;;1000')}`), 'other_currency')
  for (const currency of ['F CFA', 'XOF - Franc CFA', 'f.cfa'])
    assert.equal(await codeOf(`Devise;${currency}\n${bank('09/11/2026;LOYER;500;;1000')}`), 'read')
  for (const currency of ['€', 'XOF/EUR', 'euro'])
    assert.equal(await codeOf(`Devise;${currency}\n${bank('09/11/2026;LOYER;500;;1000')}`), 'other_currency')
  const euros = [
    ['Date', 'Libellé', 'Débit', 'Crédit'],
    ['09/11/2026', 'LOYER', { value: 500, format: '#,##0 [$€]' }, null],
    ['09/11/2026', 'LOYER', { value: 500, format: '#,##0 "F CFA"' }, null],
  ]
  assert.deepEqual(await faults(workbookOf({ rows: euros })), ['currency', null])
})

test('a label is a fee or a tax by whole words, and only when the money left', async () => {
  const { rows } = await readAll(
    bank(
      '09/11/2026;COMPENSATION CHEQUE 123;;1000000;1000000',
      '09/11/2026;TAFIRE AGENCE RETRAIT;5000;;995000',
      '09/11/2026;COM. VIREMENT;500;;994500',
      '09/11/2026;Taf sur commission;90;;994410',
      '09/11/2026;COMMISSION REVERSEE;;700;995110',
      '09/11/2026;FRAISIER SARL;100;;995010',
    ),
  )
  assert.deepEqual(
    rows.map((row) => row.class),
    ['operation', 'operation', 'fee', 'tax', 'operation', 'operation'],
  )
})

test('a column says which amounts left, and amounts of which nothing says it are refused', async () => {
  const lines = ['09/11/2026;LOYER;500000;D', '09/11/2026;VIREMENT;700;Crédit', '09/11/2026;TAXE;-90;D']
  assert.deepEqual(await effects(signed(...lines)), [-500_000, 700, -90])
  const marks = await effects(signed('09/11/2026;LOYER;500;-', '09/11/2026;VIREMENT;700;+'))
  assert.deepEqual(marks, [-500, 700])
  assert.deepEqual(await faults(signed('09/11/2026;LOYER;500;X', '09/11/2026;LOYER;-500;C')), [
    'direction',
    'direction',
  ])
  const bare = (...rows: readonly string[]) => `Date;Libellé;Montant;Solde\n${rows.join('\n')}\n`
  assert.equal(await codeOf(bare('09/11/2026;LOYER;500000;', '10/11/2026;VIREMENT;700;')), 'direction_unknown')
  assert.equal(await codeOf(bare('09/11/2026;LOYER;500;1000', '10/11/2026;LOYER;500;500')), 'direction_unknown')
  assert.deepEqual(await effects(bare('09/11/2026;VIREMENT;500;1000', '10/11/2026;VIREMENT;700;1700')), [500, 700])
  assert.deepEqual(await effects(bare('09/11/2026;VIREMENT;500;', '10/11/2026;LOYER;-700;')), [500, -700])
  const ofBalance = 'Date;Libellé;Débit;Crédit;Solde;Sens\n09/11/2026;LOYER;500;;1000;C\n09/11/2026;LOYER;300;;700;C\n'
  assert.deepEqual(await effects(ofBalance), [-500, -300], 'beside two columns the word is about the balance')
  const pawapay =
    'Creation Date,MSISDN,Transaction ID,Amount,Currency,Type\n2026-11-09T08:00:00Z,,1,700,XOF,CHARGEBACK\n'
  assert.deepEqual(await faults(pawapay), ['direction'])
})

test('a row with money is a line, a known total or unreadable, and a file without a line is refused', async () => {
  const file = bank(
    '09/11/2026;A;;300;300',
    ';B;;5000;5300',
    'lun 10/11/2026;C;300;;5000',
    ';TOTAL;300;5300;',
    ';fin;;;',
  )
  const { rows } = await readAll(file)
  assert.deepEqual(
    rows.map((row) => [row.class, row.fault]),
    [
      ['operation', null],
      ['unreadable', 'not_a_line'],
      ['unreadable', 'not_a_line'],
      ['summary', null],
      ['summary', null],
    ],
  )
  assert.deepEqual(await faults(bank('09/11/2026;A;;300;300', ';TOTAL ENERGIES CI;500;;')), [null, 'not_a_line'])
  const repeated = bank('09/11/2026;A;;300;300', 'Date;Libellé;Débit;Crédit;Solde', ';B;;5 000,50;')
  assert.deepEqual(await faults(repeated), [null, null, 'not_a_line'])
  assert.equal(await codeOf(bank(';TOTAL;300;5300;')), 'no_lines')
  assert.equal(await codeOf(bank()), 'no_lines')
  const titles = 'N°;Date;Heure;Référence;Service;Statut;Débit;Crédit'
  const orange = `;${titles}\n;1;09/11/2026;10:00:00;MP1;Merchant Payment;Succès;;2500\n`
  assert.deepEqual(await effects(orange), [2_500], 'an empty column before the table changes nothing')
  const unnumbered = `${titles}\nA1;09/11/2026;10:00:00;MP1;Merchant Payment;Succès;;2500\n`
  assert.equal(await codeOf(unnumbered), 'too_many_unreadable')
  const quiet = fixtures.mt940.replace(/:61:.*:86:TAXE\r\n/s, '').replace('1049410', '1000000')
  assert.equal(await codeOf(quiet), 'read', 'a message of a quiet day states its balances')
})

test('where only balances show fees, the first one is unknown without the last closing', async () => {
  const titles = 'Receipt No.,Completion Time,Transaction Status,Currency,Paid In,Withdrawn,Balance,Reason Type'
  const lines = [
    'AB1,09-11-2026 10:00:00,Completed,XOF,,-1000,98992,Cash in',
    'AB2,09-11-2026 10:01:00,Completed,XOF,,-1000,97983,Cash in',
  ]
  for (const rows of [lines, lines.toReversed()]) {
    const file = [titles, ...rows].join('\n')
    const without = await readAll(file)
    const first = (some: readonly StatementRow[]) => some.find(({ reference }) => reference === 'AB1')!
    assert.deepEqual([first(without.rows).fee, first(without.rows).is_fee_known], [0, false])
    assert.ok(without.end.kind === 'read')
    assert.deepEqual(
      [without.end.chain.status, without.end.chain.opening, without.end.chain.closing],
      ['whole', null, 97_983],
    )
    const known = await readAll(file, { opening: 100_000 })
    assert.deepEqual(
      known.rows
        .toSorted((one, other) => one.reference!.localeCompare(other.reference!))
        .map((row) => [row.effect, row.fee]),
      [
        [-1_008, 8],
        [-1_009, 9],
      ],
    )
    assert.ok(known.end.kind === 'read')
    assert.deepEqual([known.end.chain.status, known.end.chain.opening], ['whole', 100_000])
    const other = await readAll(file, { opening: 200_000 })
    assert.ok(other.end.kind === 'read')
    assert.equal(other.end.chain.status, 'broken')
  }
})

test('of a free text only periods and references leave', async () => {
  const id = '5f0c8a10-0000-4000-8000-000000000001'
  const text = `VIR DE KOUASSI JEAN 0700000001 PNS DU 01/11/2026 AU 03/11/2026 FT26313AB KOUASSI2026 REGLEMENT ${id}`
  const { rows } = await readAll(fixtures.mt940.replace(/:86:TRANS[^:]*/, `:86:${text}\r\n`))
  assert.equal(rows[0]!.text, `DU 01/11/2026 AU 03/11/2026 FT26313AB ${id}`)
  const files = [
    fixtures.mt940.replace(':86:TRANSFERT PAR', ':86:VIR DE KOUASSI JEAN'),
    fixtures.camt.replaceAll('VIREMENT', 'KOUASSI JEAN').replace('stl_1', 'KOUASSI'),
    fixtures.mt940.replace('NONREF//', 'JEAN KOUASSI//'),
    bank('09/11/2026;VIR DE KOUASSI JEAN;;500;500', '09/11/2026;KOUASSI X;x;;'),
    fixtures.mtnCsv.replace('Successful', 'Kouassi'),
  ]
  for (const file of files) assert.doesNotMatch(JSON.stringify(await readAll(file)), /kouassi|jean/i)
})
