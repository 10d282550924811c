import assert from 'node:assert/strict'
import { basename } from 'node:path/posix'
import { test } from 'node:test'
import { readTree, textsOf } from './tree.ts'

const FOLDER = 'docs/decisions'
const files = await readTree()
const pages = textsOf(files, /^docs\/decisions\/\d{4}-[a-z0-9-]+\.md$/)
const index = textsOf(files, /^docs\/decisions\/README\.md$/)[0]?.text ?? ''

test('every decision begins with its number and its choice, and the index agrees', () => {
  const said = pages.map(({ path, text }) => {
    const [, number, title] = /^# (\d+)\. (.+)\n\n/.exec(text) ?? []
    assert.equal(Number(number), Number(basename(path).slice(0, 4)), `${path} begins with its number and its choice`)
    return `| ${number} | [${title}](${path.slice(FOLDER.length + 1)}) |`
  })
  const listed = index.split('\n').filter((line) => /^\| \d+ \|/.test(line))
  assert.deepEqual(listed.toSorted(), said.toSorted(), 'docs/decisions/README.md has a row for each page')
})

test('a newcomer can read the decisions: there are at most thirty', () => {
  assert.ok(pages.length <= 30, `${pages.length} pages: merge some, or explain a detail at its place`)
})
