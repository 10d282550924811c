import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readFields } from './read-fields.ts'

test('reading a form takes time proportional to its size, for any number of read fields', () => {
  const form = Buffer.from(`${'line=1&'.repeat(60_000)}secret_code=a&secret_code=b&name7=%20Awa%20`)
  const fields = readFields(form, 'application/x-www-form-urlencoded')!
  const begun = performance.now()
  const lines = fields.all('line')
  for (const [nth] of lines.entries()) for (const column of ['name', 'msisdn', 'amount']) fields.all(`${column}${nth}`)
  const took = performance.now() - begun
  assert.equal(lines.length, 60_000)
  assert.deepEqual([fields.text('name7'), fields.secret('secret_code'), fields.all('other')], ['Awa', 'a', []])
  assert.ok(took < 10_000, `${took} ms`)
})
