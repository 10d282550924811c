import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { ErrorCode } from '../../src/values/error-codes.ts'
import { livemode } from '../harness/mode.ts'
import { waitFor } from '../harness/wait-for.ts'
import { checkRefusal } from './answers.ts'
import { type Asked, ask as askAt } from './ask.ts'
import { BOOK, type Book, checkEntry, checkList, openBook } from './book.ts'

let book: Book
before(async () => {
  book = await openBook([
    ['--only', 'api'],
    ['--only', 'api'],
  ])
})
after(() => book[Symbol.asyncDispose]())

test('a new destination answers 201, and its entry can be read back', async () => {
  const msisdn = book.newNumber()
  const added = checkEntry(
    await book.add({ msisdn, operator: 'wave_ci', name: '  Loyer Awa  ', label: 'x', id: 'x' }),
    201,
    {
      kind: 'payout',
      label: 'Loyer Awa',
      name: 'Loyer Awa',
      operator: 'wave_ci',
      last4: msisdn.slice(-4),
      active: true,
      livemode,
      archived_at: null,
    },
  )
  assert.deepEqual(checkEntry(await book.read(added.id), 200), added)
  assert.deepEqual(checkEntry(await book.read(added.id.toUpperCase()), 200), added)
})

test('the fields may be in `beneficiary`, which then has priority', async () => {
  const wrapped = book.good()
  const added = checkEntry(await book.add({ beneficiary: wrapped }), 201, { name: wrapped.name })
  assert.deepEqual(checkEntry(await book.add({ ...book.good(), beneficiary: wrapped }), 200), added)
})

test('a live key adds to the live book', async () => {
  const { key: live } = await book.merchant.newKey('live', 'payout')
  checkEntry(await book.add(book.good(), live), 201, { livemode: true })
})

test('all spellings of one number are one entry, which stays unchanged', async () => {
  const msisdn = book.newNumber()
  const national = msisdn.replace(/(..)(?=.)/g, '$1 ')
  const added = checkEntry(await book.add({ msisdn, operator: 'orange_ci', name: 'First' }), 201)
  const writings = [msisdn, `+225${msisdn}`, `225${msisdn}`, `00225${msisdn}`, national, `+225 ${national}`]
  for (const written of writings) {
    assert.deepEqual(checkEntry(await book.add({ msisdn: written, operator: 'mtn_ci', name: 'Second' }), 200), added)
  }
})

test('names have 2 to 200 characters, however many bytes a character has', async () => {
  for (const name of ['Yé', 'x'.repeat(200), '👩'.repeat(200), 'Ｋｏｎé']) {
    checkEntry(await book.add({ ...book.good(), name }), 201, { name, label: name })
  }
})

test('fifty calls for one number over two processes make one entry, and one answer is 201', async () => {
  for (let round = 0; round < 5; round += 1) {
    const body = book.good()
    const raced = await Promise.all(Array.from({ length: 50 }, (_, at) => book.add(body, book.key, at % 2)))
    const entries = raced.map((answer) => checkEntry(answer, answer.status))
    assert.deepEqual(raced.map(({ status }) => status).toSorted(), [...Array(49).fill(200), 201])
    assert.equal(new Set(entries.map(({ id }) => id)).size, 1)
    const [row] = await book.installation.db.sql<{ entries: number }[]>`
      select count(*)::int as entries from beneficiaries where msisdn = ${`+225${body.msisdn}`}`
    assert.equal(row!.entries, 1)
  }
})

const unreadable: [why: string, change: Partial<Asked>][] = [
  ['no body', { text: '' }],
  ['no JSON', { text: '{"msisdn":' }],
  ['an array', { body: [] }],
  ['a text', { body: 'x' }],
  ['null', { text: 'null' }],
  ['a key twice', { text: '{"name":"Awa","name":"Awa"}' }],
  ['half a character', { text: '{"name":"\\ud800"}' }],
  ['NUL', { text: '{"name":"A\\u0000wa"}' }],
  ['a form', { headers: { 'Content-Type': 'application/x-www-form-urlencoded' } }],
  ['no content type', { headers: { 'Content-Type': undefined } }],
  ['more than a megabyte', { body: { name: 'x'.repeat(1_100_000) } }],
  ['another version', { headers: { 'Service-Version': '2020-01-01' } }],
]
for (const [why, change] of unreadable) {
  test(`POST 400 invalid_request: ${why}`, async () => {
    checkRefusal(await book.ask({ path: BOOK, key: book.key, body: book.good(), ...change }), 400, 'invalid_request')
  })
}

const wrong: [field: string, values: unknown[]][] = [
  ['msisdn', [undefined, null, 700000000, '', '0700', '0800000000', '2721000000', '+33612345678', {}, ['0700000000']]],
  ['operator', [undefined, null, '', 'nobody_ci', 'ORANGE_CI', 7, {}]],
  ['name', [undefined, null, '', 'A', ' A ', '👩', 5, {}, 'x'.repeat(201), ' '.repeat(9)]],
]
for (const [field, values] of wrong) {
  test(`POST 422 invalid_beneficiary: ${field} missing or wrong, flat or wrapped, and nothing is added`, async () => {
    const { payout } = await book.newBook()
    for (const value of values) {
      const body = { ...book.good(), [field]: value }
      for (const sent of [body, { beneficiary: body }, { ...body, beneficiary: null }, { beneficiary: [body] }]) {
        checkRefusal(await book.add(sent, payout), 422, 'invalid_beneficiary', JSON.stringify(sent).slice(0, 100))
      }
    }
    checkRefusal(await book.add({}, payout), 422, 'invalid_beneficiary')
    assert.equal(checkList(await book.list('', payout)).total_count, 0)
  })
}

test('POST 403 merchant_inactive: a deactivated merchant adds nothing and can still read', async () => {
  const { merchant_id, payout } = await book.newBook()
  const body = book.good()
  const { id } = checkEntry(await book.add(body, payout), 201)
  await book.installation.bandama('merchant', 'deactivate', '--merchant', String(merchant_id))
  const refused = await waitFor(
    async () => {
      const answer = await book.add(body, payout)
      return answer.status !== 200 && answer
    },
    { what: 'the deactivation to be known' },
  )
  checkRefusal(refused, 403, 'merchant_inactive')
  checkRefusal(await book.add(book.good(), payout), 403, 'merchant_inactive')
  checkRefusal(await book.add({ ...body, name: 'x' }, payout), 422, 'invalid_beneficiary', 'fields come first')
  checkEntry(await book.read(id, payout), 200)
  assert.equal(checkList(await book.list('', payout)).total_count, 1)
})

/** A correct call of each of the three routes. */
const routes: [name: string, asked: () => Asked][] = [
  [`POST ${BOOK}`, () => ({ path: BOOK, body: book.good() })],
  [`GET ${BOOK}`, () => ({ path: BOOK })],
  [`GET ${BOOK}/<uuid>`, () => ({ path: `${BOOK}/${randomUUID()}` })],
]

const doors: [status: number, code: ErrorCode, why: string, change: () => Promise<Partial<Asked>>][] = [
  [401, 'authentication_required', 'no key', async () => ({ key: null })],
  [401, 'invalid_api_key', 'a key nobody has', async () => ({ key: 'bdm_sk_test_1' })],
  [403, 'insufficient_scope', 'a key that collects', async () => ({ key: book.merchant.key })],
  [400, 'invalid_request', 'another version', async () => ({ headers: { 'Service-Version': '2020-01-01' } })],
]
for (const [name, asked] of routes) {
  for (const [status, code, why, change] of doors) {
    test(`${name} ${status} ${code}: ${why}`, async () => {
      checkRefusal(await book.ask({ ...asked(), key: book.key, ...(await change()) }), status, code)
    })
  }

  test(`${name} 500 payment_failed: the database refuses to work, and then works again`, async () => {
    const { sql } = book.installation.db
    await sql`alter table beneficiaries rename to beneficiaries_away`
    const refused = await book.ask({ ...asked(), key: book.key })
    await sql`alter table beneficiaries_away rename to beneficiaries`
    checkRefusal(refused, 500, 'payment_failed')
    assert.doesNotMatch(refused.text, /select|insert|relation|\/src\//i)
    assert.ok((await book.ask({ ...asked(), key: book.key })).status < 500)
  })
}

test('429 rate_limit_exceeded: calls of all three routes count together', async () => {
  const { address } = await book.installation.start({ env: { RATE_PER_KEY: '3' }, args: ['--only', 'api'] })
  const { payout } = await book.newBook()
  const statuses: number[] = []
  // A new minute may begin meanwhile, and with it a new window.
  for (let call = 0; call < 9; call += 1) {
    const answer = await askAt(address, { ...routes[call % 3]![1](), key: payout })
    statuses.push(answer.status)
    if (answer.status === 429) checkRefusal(answer, 429, 'rate_limit_exceeded')
  }
  assert.deepEqual(statuses.slice(0, 3), [201, 200, 404])
  assert.ok(statuses.slice(3).includes(429), statuses.join())
})

test('405 method_not_allowed: the book can be read and added to, an entry only read', async () => {
  const { id } = checkEntry(await book.add(book.good()), 201)
  const known: [path: string, allow: string, methods: string[]][] = [
    [BOOK, 'GET, POST', ['PUT', 'PATCH', 'DELETE', 'OPTIONS']],
    [`${BOOK}/${id}`, 'GET', ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']],
  ]
  for (const [path, allow, methods] of known) {
    for (const method of methods) {
      const answer = await book.ask({ path, method, key: book.key })
      checkRefusal(answer, 405, 'method_not_allowed', `${method} ${path}`)
      assert.equal(answer.headers.allow, allow)
    }
  }
  checkEntry(await book.read(id), 200, { active: true })
})

test('no answer, log line or stored request shows a whole number or account', () => book.checkNothingShown())
