import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readFields, readUpload } from './read-fields.ts'

test('reading a form takes time proportional to its size, for any number of read fields', () => {
  const form = Buffer.from(`${'line=1&'.repeat(60_000)}secret_code=a&secret_code=b&name7=%20Awa%20`)
  const fields = readFields(form, 'application/x-www-form-urlencoded')!
  const begun = process.cpuUsage()
  const lines = fields.all('line')
  for (const [nth] of lines.entries()) for (const column of ['name', 'msisdn', 'amount']) fields.all(`${column}${nth}`)
  const took = process.cpuUsage(begun).user / 1_000
  assert.equal(lines.length, 60_000)
  assert.deepEqual([fields.text('name7'), fields.secret('secret_code'), fields.all('other')], ['Awa', 'a', []])
  assert.ok(took < 10_000, `${took} ms`)
})

const part = (head: string, value = '1') => `--x\r\nContent-Disposition: form-data; ${head}\r\n\r\n${value}\r\n`
const upload = (...parts: string[]) =>
  readUpload(Buffer.from(`${parts.join('')}--x--\r\n`), 'multipart/form-data; boundary=x')

test('a form with a file has its fields and its file, whatever bytes the file has', async () => {
  const bytes = '\r\n\r\n--y\r\n'.repeat(10_000)
  const fields = (await upload(part('name="nonce"', 'n'), part('name="file"; filename="été.csv"', bytes)))!
  assert.equal(fields.text('nonce'), 'n')
  assert.deepEqual(fields.file('file'), { name: 'été.csv', bytes: Buffer.from(bytes) })
})

test('a form that would take seconds to read is none: many parts, a long head, or many fields without a file', async () => {
  const twenty = Array.from({ length: 20 }, () => part('name="a"'))
  assert.equal((await upload(...twenty))?.all('a').length, 20)
  assert.equal(await upload(...twenty, part('name="a"')), null)
  assert.equal(await upload(part('name="a"; filename="b"').repeat(70_000)), null)
  assert.equal(await upload(part(`name="a"${'; b="c"'.repeat(700_000)}`)), null)
  const plain = Buffer.from('a=b&'.repeat(1_000_000))
  assert.equal(await readUpload(plain, 'application/x-www-form-urlencoded'), null)
})
