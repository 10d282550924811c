import assert from 'node:assert/strict'
import { test } from 'node:test'
import { piecesOf } from './byte-source.ts'
import { streamJson } from './stream-json.ts'
import { TableRefused } from './table-refused.ts'

const areTitles = (written: readonly string[]) => ['id', 'amount', 'fee'].every((title) => written.includes(title))

async function idsOf(text: string): Promise<string[] | string> {
  try {
    const rows = []
    for await (const some of streamJson(piecesOf(Buffer.from(text)), areTitles)) rows.push(...some)
    const [titles, ...records] = rows.map(({ cells }) => cells.map((cell) => cell.text))
    return records.map((cells) => cells[titles!.indexOf('id')]!)
  } catch (error) {
    if (error instanceof TableRefused) return error.code
    throw error
  }
}

const record = (id: string, more: object = {}) => JSON.stringify({ id, amount: 1, fee: 0, ...more })
/** A page that is longer than a record may be. */
const long = (...records: readonly string[]) =>
  `{"next":"x","links":[{"rel":"self"}],"items":[${records.join(',')}],"tags":["x"],"pad":[${'{"a":"b"},'.repeat(8_000)}{}]}`

test('a record with a list inside stays one record', async () => {
  const refunds = { refunds: [JSON.parse(record('not_one')), JSON.parse(record('not_one'))] }
  const records = [
    record('a', { tags: ['x'] }),
    record('b', refunds),
    record('c', { tags: [], deep: { list: [[{}]] } }),
  ]
  assert.deepEqual(await idsOf(records.join('\n')), ['a', 'b', 'c'])
  assert.deepEqual(await idsOf(`[${records.join(',')}]`), ['a', 'b', 'c'])
  const first = `{"refunds":[${record('not_one')}],"id":"a","amount":1,"fee":0}`
  assert.deepEqual(await idsOf(first), ['a'])
  assert.deepEqual(
    await idsOf(`${record('a')}\n{"id":"b","amount":1,"tags":["x"]}`),
    ['a', 'b'],
    'a field may be missing',
  )
})

test('the records of a page are those of its lists that have the titles', async () => {
  const page = (...records: readonly string[]) =>
    `{"links":[{"rel":"self"}],"count":1,"items":[${records.join(',')}],"errors":[]}`
  assert.deepEqual(await idsOf(page(record('a', { tags: ['x'] }), record('b'))), ['a', 'b'])
  assert.deepEqual(await idsOf(`${page(record('a'))}\n${page(record('b'))}\n${page()}`), ['a', 'b'])
  assert.deepEqual(await idsOf(page('{"id":"a","amount":1}', record('b'))), ['a', 'b'], 'a field may be missing')
  assert.deepEqual(await idsOf(long(record('a', { refunds: [{ id: 'not_one' }] }), record('b'))), ['a', 'b'])
  assert.deepEqual(await idsOf(`${long(record('a'))}${long(record('b'))}`), ['a', 'b'])
  const many = Array.from({ length: 3_000 }, (_, nth) => record(`n${nth}`, { text: '{[ "\\" '.repeat(4) }))
  assert.deepEqual(((await idsOf(long(...many))) as string[]).length, 3_000)
})

test('pages and records side by side, and what is cut or too long, are refused', async () => {
  const page = `{"items":[${record('a')}]}`
  assert.equal(await idsOf(`${page}${record('b')}`), 'damaged')
  assert.equal(await idsOf(`${record('b')}${page}`), 'damaged')
  assert.equal(await idsOf(`${long(record('a'))}${record('b')}`), 'damaged')
  assert.equal(
    await idsOf(`${page}{"id":"b","amount":1,"tags":[]}`),
    'damaged',
    'a record without a field is no empty page',
  )
  assert.equal(await idsOf(record('a', { text: 'x'.repeat(200_000) })), 'too_large')
  assert.equal(await idsOf(`[${record('a', { text: 'x'.repeat(200_000) })}]`), 'too_large')
  assert.equal(await idsOf(long(record('a', { text: 'x'.repeat(200_000) }))), 'too_large')
  assert.equal(
    await idsOf(record('a', { id: 'a', refunds: Array(8_000).fill(JSON.parse(record('not_one'))) })),
    'too_large',
  )
  assert.equal(await idsOf(long(record('a')).slice(0, -9)), 'damaged')
  assert.equal(await idsOf('[{"id":1}'), 'damaged')
  assert.equal(await idsOf('['.repeat(33)), 'too_deep')
})
