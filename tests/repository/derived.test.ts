import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { deriveFiles } from './derive.ts'

for (const { path, text } of await deriveFiles()) {
  test(`${path} agrees with the code`, async () => {
    const committed = await readFile(new URL(`../../${path}`, import.meta.url), 'utf8').catch(() => null)
    assert.equal(committed, text, 'run `npm run derive`')
  })
}
