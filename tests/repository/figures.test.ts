import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { readNewest, writeTables } from '../../benches/report.ts'

test('the tables of docs/performance.md are those of the newest results', async () => {
  const page = await readFile(new URL('../../docs/performance.md', import.meta.url), 'utf8')
  assert.equal(page, writeTables(page, await readNewest()), 'run `npm run bench -- tables`')
})
