import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { type Book, checkEntry, IBAN, isTime, openBook } from './book.ts'

let book: Book
before(async () => {
  book = await openBook([['--only', 'api']])
})
after(() => book[Symbol.asyncDispose]())

test('an entry is archived from the command line, keeps its id, and its number can be added again', async () => {
  const body = book.good()
  const before = checkEntry(await book.add(body), 201)
  const archived = await book.installation.bandama('beneficiary', 'archive', '--id', before.id)
  assert.deepEqual([archived.beneficiary_id, archived.active, isTime(archived.archived_at)], [before.id, false, true])
  const gone = { ...before, active: false, archived_at: String(archived.archived_at) }
  assert.deepEqual(checkEntry(await book.read(before.id), 200), gone)
  const anew = checkEntry(await book.add(body), 201)
  assert.notEqual(anew.id, before.id)
  // Archiving it again changes nothing, also for the new entry.
  assert.deepEqual(await book.installation.bandama('beneficiary', 'archive', '--id', before.id), archived)
  assert.deepEqual(checkEntry(await book.add(body), 200), anew)
})

test('settlement destinations come from the command line only, one of them designated', async () => {
  const { merchant_id, payout } = await book.newBook()
  const tenant = ['--merchant', String(merchant_id), '--mode', 'test']
  const msisdn = book.newNumber()
  const create = (...words: string[]) => book.installation.bandama('destination', 'create', ...tenant, ...words)
  const bank = String(
    (await create('--iban', 'ci93 CI00 8011 1301 1342 9120 0589', '--name', 'Boutique')).beneficiary_id,
  )
  const wallet = String(
    (await create('--msisdn', `+225 ${msisdn}`, '--operator', 'wave_ci', '--name', 'Boutique')).beneficiary_id,
  )
  const again = await create('--iban', IBAN, '--name', 'Other')
  assert.deepEqual([again.beneficiary_id, again.created, again.last4], [bank, false, '0589'])

  const entry = { kind: 'settlement', name: 'Boutique', label: null, active: true } as const
  checkEntry(await book.read(bank, payout), 200, { ...entry, operator: null, last4: '0589' })
  checkEntry(await book.read(wallet, payout), 200, { ...entry, operator: 'wave_ci', last4: msisdn.slice(-4) })
  // The same number in the payout book is another entry.
  const added = checkEntry(await book.add({ ...book.good(), msisdn }, payout), 201, { kind: 'payout' })
  assert.notEqual(added.id, wallet)

  const designate = (id: string, ...words: string[]) =>
    book.installation.bandama('destination', 'designate', ...tenant, '--beneficiary', id, ...words)
  const first = await designate(bank)
  assert.deepEqual(await designated(merchant_id), [bank])
  assert.deepEqual(await designate(bank), first, 'designated already: its time is kept')
  const since = '2026-01-02T03:04:05.000Z'
  assert.deepEqual(await designate(wallet, '--since', since), { beneficiary_id: wallet, designated_at: since })
  assert.deepEqual(await designated(merchant_id), [wallet])
  for (const id of [added.id, randomUUID(), 'x'])
    await assert.rejects(designate(id), /no active settlement destination/)
  assert.deepEqual(await designated(merchant_id), [wallet], 'a refused designation leaves the one before')
  await book.installation.bandama('beneficiary', 'archive', '--id', wallet)
  assert.deepEqual(await designated(merchant_id), [])
  await assert.rejects(designate(wallet), /no active settlement destination/)
})

async function designated(merchant_id: number): Promise<string[]> {
  const rows = await book.installation.db.sql<{ id: string }[]>`
    select id from beneficiaries where merchant_id = ${merchant_id} and designated_at is not null`
  return rows.map(({ id }) => id)
}

test('the command line names the fault of a destination without repeating the destination', async () => {
  const { merchant_id } = await book.newBook()
  const tenant = ['destination', 'create', '--merchant', String(merchant_id), '--mode', 'test', '--name', 'Boutique']
  const refused: [words: string[], message: RegExp][] = [
    [tenant, /either --iban, or --msisdn/],
    [[...tenant, '--iban', IBAN, '--msisdn', '0700000000'], /either --iban, or --msisdn/],
    [[...tenant, '--iban', IBAN.replace('93', '94')], /no account/],
    [[...tenant, '--msisdn', '070000'], /no mobile number/],
    [[...tenant, '--msisdn', '0700000000', '--operator', 'x'], /--operator must be one of/],
    [[...tenant.with(3, '999999'), '--iban', IBAN], /no such merchant/],
    [[...tenant.with(7, 'B'), '--iban', IBAN], /2 to 200 characters/],
    [['beneficiary', 'archive', '--id', 'x'], /There is no beneficiary/],
  ]
  for (const [words, message] of refused) {
    await assert.rejects(book.installation.bandama(...words), (error: { stderr: string }) => {
      assert.match(error.stderr, message)
      assert.doesNotMatch(error.stderr, /8011|070000| at /)
      return true
    })
  }
})

test('no answer, log line or stored request shows a whole number or account', () => book.checkNothingShown())
