import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { PackedRows } from './packed-rows.ts'

const rows = Array.from({ length: 20_000 }, (_, nth) => ({ id: `T_${nth}`, note: '"é', amount: nth }))

async function packed(size: number): Promise<string> {
  const pages = new PackedRows()
  for (let at = 0; at < rows.length; at += size) await pages.add(rows.slice(at, at + size))
  await pages.add([])
  assert.equal(pages.count, rows.length)
  return text((await pages.end()) as AsyncIterable<Buffer>)
}

test('the same rows are the same bytes, whatever their pages', async () => {
  const [one, many] = [await packed(rows.length), await packed(999)]
  assert.equal(one, many)
  assert.deepEqual(JSON.parse(one), { items: rows })
})

test('a day without movements is an empty list', async () => {
  assert.equal(await text((await new PackedRows().end()) as AsyncIterable<Buffer>), '{"items":[]}')
})
