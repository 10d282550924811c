import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { xlsOf } from '../../tests/harness/build-xls.ts'
import * as fixtures from '../../tests/harness/statement-fixtures.ts'
import { builtInProfiles } from './built-in-profiles.ts'
import { readStatement, type StatementEnd, type StatementOptions } from './read-statement.ts'
import { adviceOn } from './refusal-words.ts'
import { identityOf, type StatementRow } from './statement-row.ts'

async function readAll(source: Buffer | AsyncIterable<Buffer>, options: Partial<StatementOptions> = {}) {
  const reading = readStatement(source, { profile: 'guess', ...options })
  const rows: StatementRow[] = []
  for (;;) {
    const next = await reading.next()
    if (next.done) return { rows, end: next.value }
    rows.push(next.value)
  }
}

function read(end: StatementEnd) {
  assert.equal(end.kind, 'read', JSON.stringify(end))
  return end as Extract<StatementEnd, { kind: 'read' }>
}

async function codeOf(source: Buffer | string, options: Partial<StatementOptions> = {}) {
  const { end } = await readAll(Buffer.from(source as string), options)
  return end.kind === 'refused' ? end.code : end.kind
}

const money = ({ class: its, direction, gross, fee, effect, balance }: StatementRow) => [
  its,
  direction,
  gross,
  fee,
  effect,
  balance,
]
const named = ({ reference, our_reference, occurred_at }: StatementRow) => [reference, our_reference, occurred_at]

test('the titles choose the profile of each form, and the classes sum to the rows', async () => {
  for (const [profile, bytes] of fixtures.statementFixtures) {
    const { rows, end } = await readAll(bytes)
    const { totals, ...whole } = read(end)
    assert.equal(whole.profile.profile, profile)
    const sums = Object.values(totals)
    assert.equal(
      sums.reduce((sum, one) => sum + one.rows, 0),
      rows.length,
      profile,
    )
    assert.equal(
      sums.reduce((sum, one) => sum + one.effect, 0),
      rows.reduce((sum, one) => sum + one.effect, 0),
      profile,
    )
    assert.doesNotMatch(
      JSON.stringify(rows),
      /Invented|0700000001/,
      `${profile}: names are not returned, and numbers are masked`,
    )
  }
})

test('Wave exports net amounts, and its balances prove it', async () => {
  const { rows, end } = await readAll(Buffer.from(fixtures.waveFr))
  assert.deepEqual(rows.map(money), [
    ['operation', 'in', 2_000, 20, 1_980, 101_980],
    ['operation', 'out', 80_000, 200, -80_200, 21_780],
    ['operation', 'in', 350, 4, 346, 22_126],
  ])
  assert.deepEqual(named(rows[1]!), ['pt-2', 'pot_2', '2026-11-09T08:01:00Z'])
  assert.equal(rows[0]!.party?.e164, '+2250700000001')
  assert.deepEqual(read(end).reckoning, { arithmetic: 'net', order: 'oldest_first', assumed: false })
  const { breaks: _, ...chain } = read(end).chain
  assert.deepEqual(chain, { status: 'whole', opening: 100_000, closing: 22_126, breaks_count: 0 })
})

test('the same operations with gross amounts, newest first, and without balances have the same effects', async () => {
  const expected = [1_980, -80_200]
  const api = await readAll(Buffer.from(fixtures.waveApi))
  assert.deepEqual(
    api.rows.map(({ effect }) => effect),
    expected,
  )
  assert.deepEqual(read(api.end).reckoning, { arithmetic: 'gross', order: 'oldest_first', assumed: false })
  const [titles, ...lines] = fixtures.waveFr.trimEnd().split('\n')
  const turned = await readAll(Buffer.from([titles, ...lines.toReversed()].join('\n')))
  assert.deepEqual(
    turned.rows.map(({ effect }) => effect),
    [346, -80_200, 1_980],
  )
  assert.equal(read(turned.end).reckoning.order, 'newest_first')
  const { status, opening, closing } = read(turned.end).chain
  assert.deepEqual({ status, opening, closing }, { status: 'whole', opening: 100_000, closing: 22_126 })
  const english = await readAll(Buffer.from(fixtures.waveEn))
  assert.deepEqual(
    english.rows.map(({ effect }) => effect),
    expected,
  )
  assert.deepEqual(named(english.rows[0]!), ['T_AA1', 'pay_1', '2026-11-09T23:59:59Z'])
  const { reckoning, chain } = read(english.end)
  assert.deepEqual([reckoning.assumed, chain.status], [true, 'none'])
})

test('a missing line breaks the chain where it is missing', async () => {
  const { end } = await readAll(Buffer.from(fixtures.waveFr.replace(/.*pt-2.*\n/, '')))
  const { chain } = read(end)
  assert.deepEqual([chain.status, chain.breaks], ['broken', [{ row: 3, expected: 102_326, found: 22_126 }]])
})

test('titles are repaired that a spreadsheet spoiled, and cells are not', async () => {
  const [titles, ...lines] = fixtures.waveFr.split('\n')
  const spoiled = new TextDecoder('windows-1252').decode(Buffer.from(titles!))
  assert.match(spoiled, /NumÃ©ro/)
  const { rows } = await readAll(Buffer.from([spoiled, ...lines].join('\n')))
  assert.equal(rows[0]!.party?.last4, '0001')
})

test('MTN: the fee is of our side, a failed row moves nothing, and a workbook reads as its CSV', async () => {
  const csv = await readAll(Buffer.from(fixtures.mtnCsv))
  assert.deepEqual(csv.rows.map(money), [
    ['operation', 'out', 6_200, 0, -6_200, null],
    ['operation', 'in', 5_000, 50, 4_950, null],
    ['failed', 'out', 900, 0, 0, null],
  ])
  const xlsx = await readAll(fixtures.mtnXlsx)
  assert.deepEqual(xlsx.rows.map(money), csv.rows.map(money))
  assert.deepEqual(named(xlsx.rows[0]!), ['9001', 'pot_1', '2026-11-09T10:01:00Z'])
})

test('Moov: the step of the balance shows the fee, and a larger rest breaks the chain', async () => {
  const { rows, end } = await readAll(fixtures.moovXlsx, { account: '4455667788' })
  assert.deepEqual(rows.map(money), [
    ['operation', 'out', 1_000, 8, -1_008, 97_983],
    ['failed', 'in', 500, 0, 0, null],
    ['operation', 'out', 1_000, 9, -1_009, 98_991],
    ['operation', 'in', 2_000, 0, 2_000, 100_000],
  ])
  assert.equal(rows[0]!.occurred_at, '2026-11-09T10:03:00Z')
  assert.deepEqual([read(end).chain.status, read(end).chain.opening], ['whole', null], 'the first fee is unknown')
  assert.equal((await readAll(fixtures.moovXlsx, { account: '4455667700' })).end.kind, 'refused')
  const moov = builtInProfiles.find(({ profile }) => profile === 'moov')!
  const strict = await readAll(fixtures.moovXlsx, { profile: { ...moov, fee_at_most: 85 } })
  assert.deepEqual([strict.rows[0]!.fee, strict.rows[2]!.fee], [8, 9])
  const none = await readAll(fixtures.moovXlsx, { profile: { ...moov, fee_at_most: 10 } })
  assert.equal(read(none.end).chain.status, 'broken')
})

test('Orange: only rows that begin with a number are lines, and the second column of a title is the other party', async () => {
  const { rows, end } = await readAll(fixtures.orangeXls, { account: '0700000099' })
  assert.deepEqual(rows.map(money), [
    ['operation', 'in', 2_500, 0, 2_500, null],
    ['operation', 'out', 1_000, 0, -1_000, null],
    ['failed', 'out', 700, 0, 0, null],
    ['fee', 'out', 25, 0, -25, null],
    ['summary', null, 0, 0, 0, null],
  ])
  assert.deepEqual(named(rows[0]!), ['MP1', null, '2026-11-09T10:00:00Z'])
  assert.equal(rows[1]!.party?.e164, '+2250700000002')
  assert.equal(read(end).chain.opening, 100_000)
  assert.equal(await codeOf(fixtures.orangeXls, { account: '0700000098' }), 'other_account')
})

test('pawaPay: words give the direction, and a file of gzip is unpacked once', async () => {
  const { rows } = await readAll(fixtures.pawapay)
  assert.deepEqual(
    rows.map(({ effect }) => effect),
    [1_500, -700],
  )
  assert.equal(rows[0]!.our_reference, '5f0c8a10-0000-4000-8000-000000000001')
  assert.equal(await codeOf(gzipSync(fixtures.pawapay)), 'other_form')
})

test('MT940: texts are joined without blanks, and a transfer is three lines of three classes', async () => {
  const { rows, end } = await readAll(Buffer.from(fixtures.mt940), { account: 'CI001010010000000000199' })
  assert.deepEqual(
    rows.map(({ class: its, effect, reference }) => [its, effect, reference]),
    [
      ['operation', 50_000, 'M01STAR1'],
      ['fee', -500, 'M01STAR1'],
      ['tax', -90, 'M01STAR1'],
    ],
  )
  assert.equal(rows[0]!.text, 'DU 01 AU 03 MARS')
  const { status, opening, closing } = read(end).chain
  assert.deepEqual([status, opening, closing], ['whole', 1_000_000, 1_049_410])
  assert.equal(await codeOf(fixtures.mt940, { account: 'CI001010010000000000299' }), 'other_account')
  const wrong = await readAll(Buffer.from(fixtures.mt940.replace('1049410', '1049411')))
  assert.equal(read(wrong.end).chain.status, 'broken')
})

test('camt.053: booked entries count, an IBAN contains its account, and a document type is refused', async () => {
  const { rows, end } = await readAll(Buffer.from(fixtures.camt), { account: 'CI0010100100000000001993' })
  assert.deepEqual(
    rows.map(({ class: its, effect }) => [its, effect]),
    [
      ['operation', 500],
      ['operation', -100],
      ['failed', 0],
    ],
  )
  assert.deepEqual([rows[0]!.reference, rows[0]!.our_reference, rows[0]!.text], ['R1', 'stl_1', null])
  assert.deepEqual([read(end).chain.status, read(end).chain.closing], ['whole', 1_400])
  assert.equal(await codeOf(fixtures.camt.replace('<Document', '<!DOCTYPE a [<!ENTITY b "c">]><Document')), 'dtd')
  const deep = fixtures.camt.replace('<Stmt>', `<Stmt>${'<a>'.repeat(40)}`)
  assert.equal(await codeOf(deep), 'too_deep')
})

test('a bank’s table in Windows-1252 has its columns by known titles', async () => {
  const { rows, end } = await readAll(fixtures.bankCsv, { account: 'CI001 01001 000000000019 93' })
  assert.deepEqual(
    rows.map(({ class: its, effect }) => [its, effect]),
    [
      ['operation', 50_000],
      ['fee', -500],
      ['summary', 0],
    ],
  )
  assert.equal(read(end).chain.status, 'whole')
  const column = 'Date;Libellé;Montant;Compte;Solde\n09/11/2026;LOYER;-500;CI1;1000\n'
  assert.equal(await codeOf(column, { account: 'CI0010100100000000001993' }), 'read', 'a title is no account')
})

test('files of other forms are refused by their bytes', async () => {
  assert.equal(await codeOf(''), 'empty')
  assert.match(adviceOn('pdf'), /Ask for CSV/)
  assert.equal(await codeOf('%PDF-1.7 '), 'pdf')
  assert.equal(await codeOf('<!doctype html><html></html>'), 'html')
  assert.equal(await codeOf('<?xml version="1.0"?><a/>'), 'other_form')
  const locked = Buffer.concat([
    Buffer.from('d0cf11e0a1b11ae1', 'hex'),
    Buffer.alloc(600),
    Buffer.from('EncryptedPackage', 'utf16le'),
  ])
  assert.equal(await codeOf(locked), 'with_password')
  assert.equal(await codeOf('a,b\n1,2\n'), 'unknown_titles')
  assert.equal(await codeOf(`${fixtures.waveFr}"never closed,1\n`), 'unclosed_quote')
  assert.equal(await codeOf(Buffer.alloc(3_000_000, 0x61)), 'not_a_table')
  const [titles, line] = fixtures.waveFr.split('\n')
  assert.equal(await codeOf(gzipSync(`${titles}\n${`${line}\n`.repeat(300_000)}`)), 'too_large')
})

test('one unreadable row in a hundred is named and the rest counts; more refuse the file', async () => {
  const line = (nth: number, amount = '1980') =>
    `2026-11-09 08:00:00,T_${nth},api_checkout,${amount},20,,XOF,,,pay_${nth}`
  const file = (wrong: readonly number[]) =>
    [
      fixtures.waveFr.split('\n')[0],
      ...Array.from({ length: 100 }, (_, nth) => line(nth, wrong.includes(nth) ? '19x' : undefined)),
    ].join('\n')
  const one = await readAll(Buffer.from(file([7])))
  assert.deepEqual(read(one.end).faults, [{ row: 9, code: 'amount' }])
  assert.equal(read(one.end).totals.operation.rows, 99)
  assert.equal(await codeOf(file([7, 8])), 'too_many_unreadable')
})

test('a formula of an old workbook is unreadable, and its dates and cut texts are read', async () => {
  const rows = [
    ['Date', 'Libellé', 'Montant', 'Solde'],
    ...Array.from({ length: 200 }, (_, nth) => [
      { date: 46_335 + Math.floor(nth / 150) },
      `OPÉRATION ω 26${nth}B`,
      100,
      nth === 60 ? { formula: 1 } : 100 * (nth + 1),
    ]),
  ]
  const { rows: found, end } = await readAll(xlsOf(rows, { part: 37 }))
  assert.deepEqual(read(end).faults, [{ row: 62, code: 'formula' }])
  assert.deepEqual([found[5]!.text, found[5]!.occurred_at, found[5]!.effect], ['265B', '2026-11-09T00:00:00Z', 100])
})

test('a chain of sectors that returns to itself ends', async () => {
  const circle = Buffer.from(fixtures.orangeXls)
  // The entry of the workbook's first sector, after the two of the table and the directory.
  circle.writeUInt32LE(2, 512 + 2 * 4)
  const began = process.cpuUsage()
  assert.equal(await codeOf(circle), 'damaged')
  assert.ok(process.cpuUsage(began).user < 5_000_000, 'it ends at the second visit, not when the memory is full')
})

test('any split of a file gives the same rows', async () => {
  async function* split(bytes: Buffer, size: number) {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
  }
  for (const [profile, bytes] of fixtures.statementFixtures) {
    const whole = JSON.stringify(await readAll(bytes))
    for (const size of [1, 7, 4_096])
      assert.equal(JSON.stringify(await readAll(split(bytes, size))), whole, `${profile} by ${size}`)
  }
})

test('a source is closed after its end, after a refusal, and when the caller stops', async () => {
  async function* source(bytes: Buffer | string, seen: { closed: boolean }) {
    try {
      yield Buffer.from(bytes as string)
      yield* Array.from({ length: 40 }, () => Buffer.alloc(65_536, 0x2c))
    } finally {
      seen.closed = true
    }
  }
  for (const bytes of [fixtures.waveFr, '%PDF-1.7', 'a,b\n', fixtures.pawapay, fixtures.mtnXlsx, '']) {
    const seen = { closed: false }
    await readAll(source(bytes, seen))
    assert.ok(seen.closed, String(bytes).slice(0, 20))
  }
  const seen = { closed: false }
  for await (const row of readStatement(source(fixtures.waveFr, seen), { profile: 'guess' })) {
    assert.equal(row.row, 2)
    break
  }
  assert.ok(seen.closed)
})

test('a fault of the source is a fault, and no refusal of the file', async () => {
  async function* failing(bytes: Buffer) {
    yield bytes.subarray(0, 60)
    throw new Error('the disk failed')
  }
  for (const bytes of [Buffer.from(fixtures.waveFr), fixtures.pawapay, fixtures.mtnXlsx])
    await assert.rejects(readAll(failing(bytes)), /the disk failed/)
})

test('labels and balances are no part of a line’s identity', async () => {
  const { rows } = await readAll(Buffer.from(fixtures.waveFr))
  const [line] = rows
  const wallet = { livemode: true, account: 'wave', kind: 'wallet' } as const
  const edited = { ...line!, text: 'EDITED', balance: 1, effect: 1, occurred_at: '2026-11-30T00:00:00Z' }
  assert.equal(identityOf(wallet, edited), identityOf(wallet, line!))
  const others = [
    identityOf({ ...wallet, account: 'wave_2' }, line!),
    identityOf({ ...wallet, livemode: false }, line!),
    identityOf(wallet, { ...line!, occurred_at: '2026-12-09T08:00:00Z' }),
    ...rows.slice(1).map((row) => identityOf(wallet, row)),
  ]
  assert.equal(new Set([identityOf(wallet, line!), ...others]).size, 6)
  const unnumbered = { ...line!, reference: null, our_reference: null }
  assert.notEqual(identityOf(wallet, unnumbered), identityOf(wallet, { ...unnumbered, effect: 1 }))
})

test('a bank’s reference is no number: the lines of one transfer have the same, and labels come back each month', async () => {
  const { rows } = await readAll(Buffer.from(fixtures.mt940))
  const bank = { livemode: true, account: 'bank', kind: 'bank' } as const
  assert.ok(rows.length > 2)
  assert.equal(new Set(rows.map((row) => identityOf(bank, row))).size, rows.length)
  const line = { ...rows[0]!, reference: 'FRAIS' }
  assert.notEqual(identityOf(bank, line), identityOf(bank, { ...line, effect: line.effect - 1 }))
  assert.notEqual(identityOf(bank, line), identityOf(bank, { ...line, occurred_at: '2026-11-10T00:00:00Z' }))
})
