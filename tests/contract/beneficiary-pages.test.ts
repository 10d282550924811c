import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { archiveBeneficiary } from '../harness/destinations.ts'
import { checkRefusal } from './answers.ts'
import { type Beneficiary, type Book, checkEntry, checkList, type List, openBook } from './book.ts'

let book: Book
before(async () => {
  book = await openBook([['--only', 'api']])
})
after(() => book[Symbol.asyncDispose]())

test('404 resource_not_found: unknown ids, malformed ones, those of another merchant and of the other mode have the same answer', async () => {
  const other = await book.newBook()
  const theirs = checkEntry(await book.add(book.good(), other.payout), 201)
  const { key: live } = await book.merchant.newKey('live', 'payout')
  const mine = checkEntry(await book.add(book.good()), 201)
  const mineLive = checkEntry(await book.add(book.good(), live), 201)
  const foreign: [id: string, as: string][] = [
    [theirs.id, book.key],
    [mineLive.id, book.key],
    [mine.id, live],
    [mine.id, other.payout],
  ]
  const malformed = [
    '1',
    'txn_1',
    `${mine.id}0`,
    mine.id.slice(1),
    mine.id.replaceAll('-', ''),
    `{${mine.id}}`,
    "'--",
    'é',
  ]
  const asked = [
    ...foreign,
    [randomUUID(), book.key] as const,
    ...malformed.map((id) => [encodeURIComponent(id), book.key] as const),
  ]
  const texts = new Set<string>()
  for (const [id, as] of [...asked, ['%00', book.key] as const]) {
    const answer = await book.read(id, as)
    checkRefusal(answer, 404, 'resource_not_found', id)
    texts.add(answer.text)
  }
  assert.equal(texts.size, 1)
  for (const [entry, as] of [
    [theirs, other.payout],
    [mineLive, live],
    [mine, book.key],
  ] as const) {
    assert.deepEqual(checkEntry(await book.read(entry.id, as), 200), entry)
  }
})

test('entries of another merchant or mode are not counted or found, and no page starts after them', async () => {
  const { payout, newKey } = await book.newBook()
  const msisdn = book.newNumber()
  const live = (await newKey('live', 'payout')).key
  const mine = checkEntry(await book.add({ ...book.good(), msisdn }, payout), 201)
  for (const stranger of [live, (await book.newBook()).payout]) {
    checkRefusal(await book.list(`?starting_after=${mine.id}`, stranger), 400, 'invalid_request')
    assert.deepEqual(checkList(await book.list('', stranger)).data, [])
    const added = checkEntry(await book.add({ ...book.good(), msisdn }, stranger), 201)
    assert.deepEqual(checkList(await book.list('', stranger)).data, [added])
  }
  assert.deepEqual(checkList(await book.list('', payout)).data, [mine])
})

const queries = ['active=', 'active=1', 'active=TRUE', 'active=true&active=true', 'limit=', 'limit=0', 'limit=-1']
queries.push('limit=x', 'limit=1.5', 'limit=1e2', 'limit=%2B1', 'limit=1&limit=2', 'offset=', 'offset=-1', 'offset=x')
queries.push(`offset=${'9'.repeat(16)}`, 'starting_after=', 'starting_after=1', `starting_after=${randomUUID()}`)
queries.push('starting_after=%00', 'limit=%00', `limit=${'0'.repeat(100)}`)
for (const query of queries) {
  test(`GET 400 invalid_request: ?${query.slice(0, 40)}`, async () => {
    checkRefusal(await book.list(`?${query}`), 400, 'invalid_request')
  })
}

for (const offset of ['10001', '999999999999999', '9'.repeat(400)]) {
  test(`an offset of ${offset.slice(0, 20)} is refused with a sentence that names starting_after`, async () => {
    const answer = await book.list(`?offset=${offset}`)
    checkRefusal(answer, 400, 'invalid_request')
    assert.match(answer.text, /offset is at most 10000\..*starting_after/)
  })
}

test('an empty book is an empty list', async () => {
  const { payout } = await book.newBook()
  const page = { data: [], total_count: 0, limit: 50, offset: 0, has_more: false }
  assert.deepEqual(pick(checkList(await book.list('', payout))), page)
  assert.deepEqual(pick(checkList(await book.list('?offset=5&limit=7', payout))), { ...page, offset: 5, limit: 7 })
})

const pick = ({ data, total_count, limit, offset, has_more }: List) => ({ data, total_count, limit, offset, has_more })

test('a book of 120 entries is read in pages both ways, oldest first, without loss or repetition', async () => {
  const { payout } = await book.newBook()
  const all: Beneficiary[] = []
  for (let at = 0; at < 120; at += 1) all.push(checkEntry(await book.add(book.good(), payout), 201))
  const shown: [query: string, from: number, to: number, limit: number, offset: number, has_more: boolean][] = [
    ['', 0, 50, 50, 0, true],
    ['?limit=100', 0, 100, 100, 0, true],
    ['?limit=101', 0, 100, 100, 0, true],
    [`?limit=${'9'.repeat(400)}`, 0, 100, 100, 0, true],
    ['?limit=007', 0, 7, 7, 0, true],
    ['?offset=100', 100, 120, 50, 100, false],
    ['?offset=70', 70, 120, 50, 70, false],
    ['?offset=69', 69, 119, 50, 69, true],
    ['?offset=120', 120, 120, 50, 120, false],
    ['?offset=10000', 120, 120, 50, 10_000, false],
    ['?limit=1&offset=119&unknown=1', 119, 120, 1, 119, false],
    [`?starting_after=${all[9]!.id}&offset=5&limit=10`, 15, 25, 10, 5, true],
    [`?starting_after=${all[119]!.id}`, 120, 120, 50, 0, false],
  ]
  for (const [query, from, to, limit, offset, has_more] of shown) {
    const page = pick(checkList(await book.list(query, payout)))
    assert.deepEqual(page, { data: all.slice(from, to), total_count: 120, limit, offset, has_more }, query.slice(0, 60))
  }
  for (const limit of [1, 7, 40, 100]) {
    assert.deepEqual(await walk(payout, limit, (read) => `&offset=${read.length}`), all)
    assert.deepEqual(await walk(payout, limit, (read) => `&starting_after=${read.at(-1)!.id}`), all)
  }

  const { sql } = book.installation.db
  const archived = all.filter((_, at) => at % 6 === 0)
  for (const { id } of archived) await archiveBeneficiary(sql, id)
  const active = all.filter((_, at) => at % 6 !== 0)
  const byCursor = (read: Beneficiary[]) => `&starting_after=${read.at(-1)!.id}`
  const ids = (entries: Beneficiary[]) => entries.map(({ id }) => id)
  assert.deepEqual(await walk(payout, 30, byCursor, '&active=true'), active)
  const found = await walk(payout, 7, byCursor, '&active=false')
  assert.deepEqual(ids(found), ids(archived))
  for (const entry of found) assert.equal(entry.active, false)
  assert.deepEqual(ids(await walk(payout, 100, byCursor)), ids(all))
  const counts = ['?active=true', '?active=false', ''].map(
    async (query) => checkList(await book.list(query, payout)).total_count,
  )
  assert.deepEqual(await Promise.all(counts), [100, 20, 120])
  // The last entry of a page may have been archived since. It still marks the place.
  const next = checkList(await book.list(`?active=true&limit=1&starting_after=${all[6]!.id}`, payout))
  assert.deepEqual(next.data, [all[7]])
})

async function walk(
  as: string,
  limit: number,
  next: (read: Beneficiary[]) => string,
  filter = '',
): Promise<Beneficiary[]> {
  const read: Beneficiary[] = []
  for (let where = ''; ; where = next(read)) {
    const page = checkList(await book.list(`?limit=${limit}${filter}${where}`, as))
    read.push(...page.data)
    assert.ok(read.length < page.total_count || !page.has_more)
    if (!page.has_more) return read
    assert.equal(page.data.length, limit)
  }
}

test('no answer, log line or stored request shows a whole number or account', () => book.checkNothingShown())
