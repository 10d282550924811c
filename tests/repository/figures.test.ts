import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { deriveFigures } from '../../benches/report.ts'

for (const { path, text } of await deriveFigures()) {
  test(`the figures of ${path} are those of the newest results`, async () => {
    const committed = await readFile(new URL(`../../${path}`, import.meta.url), 'utf8').catch(() => null)
    assert.equal(committed, text, 'run `npm run bench -- tables`')
  })
}

test('docs/performance.md can be read in ten minutes: 1 500 words at most', async () => {
  const page = await readFile(new URL('../../docs/performance.md', import.meta.url), 'utf8')
  assert.ok(page.split(/\s+/).length <= 1_500, 'what was tried at length goes to benches/notebook/')
})
