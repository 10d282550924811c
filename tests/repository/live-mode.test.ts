import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { inBothModes } from '../live-mode.ts'

test('each listed file of both modes exists, and so does each of its tests that live mode leaves out', async () => {
  for (const [file, left_out] of Object.entries(inBothModes)) {
    const source = await readFile(new URL(`../../${file}`, import.meta.url), 'utf8')
    for (const title of Object.keys(left_out)) assert.ok(source.includes(title), `${file} has no test "${title}"`)
  }
})
