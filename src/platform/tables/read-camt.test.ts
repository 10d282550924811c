import assert from 'node:assert/strict'
import { test } from 'node:test'
import { camt } from '../../../tests/harness/statement-fixtures.ts'
import { piecesOf } from './byte-source.ts'
import { readCamt } from './read-camt.ts'
import { readMt940 } from './read-mt940.ts'
import { noFacts } from './statement-facts.ts'
import { TableRefused } from './table-refused.ts'

type Reader = typeof readCamt

async function factsOf(source: string | AsyncIterable<Buffer>, reader: Reader = readCamt) {
  const facts = noFacts()
  try {
    const pieces = typeof source === 'string' ? piecesOf(Buffer.from(source)) : source
    await Array.fromAsync(reader(pieces, facts))
    return facts
  } catch (error) {
    if (error instanceof TableRefused) return error.code
    throw error
  }
}

/** Yields a head and then one piece many times, and counts the pieces that were taken. */
function endless(head: string, piece: string) {
  const taken = { count: 0 }
  async function* pieces() {
    yield Buffer.from(head)
    for (; taken.count < 200; taken.count += 1) yield Buffer.from(piece)
  }
  return { taken, pieces: pieces() }
}

test('only the statement’s own account counts, not its owner, its bank or a related account', async () => {
  const owner = '<Ownr><Id><OrgId><Othr><Id>RC-1</Id></Othr></OrgId></Id></Ownr>'
  const bank = '<Svcr><FinInstnId><Othr><Id>BANK1</Id></Othr></FinInstnId></Svcr>'
  const related = '<RltdAcct><Id><IBAN>CI00OTHER</IBAN></Id></RltdAcct>'
  const whole = await factsOf(camt.replace('</Acct>', `${owner}${bank}</Acct>${related}`))
  assert.equal(typeof whole === 'string' ? whole : whole.account, 'CI93CI0010100100000000001993')
  const other = camt.replace(/<IBAN>.*<\/IBAN>/, '<Othr><Id>000123</Id></Othr>')
  assert.deepEqual(((await factsOf(other)) as { account: string }).account, '000123')
})

test('a report of the day and a notice are no statement', async () => {
  for (const [message, part] of [
    ['BkToCstmrAcctRpt', 'Rpt'],
    ['BkToCstmrDbtCdtNtfctn', 'Ntfctn'],
  ] as const)
    assert.equal(await factsOf(camt.replaceAll('BkToCstmrStmt', message).replaceAll('Stmt>', `${part}>`)), 'other_form')
  assert.equal(await factsOf(camt.replaceAll('BkToCstmrStmt', 'Other')), 'other_form')
  assert.equal(await factsOf('<Document><BkToCstmr/></Document>'), 'other_form')
})

test('a text, a comment or an attribute without an end is refused before it fills the memory', async () => {
  for (const begun of ['<Document><BkToCstmrStmt>', '<Document><!--', '<Document a="']) {
    const { pieces, taken } = endless(begun, 'a'.repeat(65_536))
    assert.equal(await factsOf(pieces), 'too_large')
    assert.ok(taken.count < 20, begun)
  }
})

test('a message ends at its second account or currency', async () => {
  const accounts = (line: (nth: number) => string) => Array.from({ length: 1_000 }, (_, nth) => line(nth)).join('')
  const mt940 = endless(
    ':20:A\n',
    accounts((nth) => `:25:${nth}\n`),
  )
  assert.equal(await factsOf(mt940.pieces, readMt940), 'other_account')
  const xml = endless(
    '<Document><BkToCstmrStmt>',
    accounts((nth) => `<Stmt><Acct><Id><IBAN>${nth}</IBAN></Id></Acct></Stmt>`),
  )
  assert.equal(await factsOf(xml.pieces), 'other_account')
  assert.deepEqual([mt940.taken.count, xml.taken.count], [0, 0], 'the rest of the file is not read')
  assert.equal(await factsOf(':60F:C261108XOF1,\n:62F:C261108EUR1,\n', readMt940), 'other_currency')
})
