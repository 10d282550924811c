import assert from 'node:assert/strict'
import { basename } from 'node:path/posix'
import { test } from 'node:test'
import { linesMatching, readTree, root, textsOf } from './tree.ts'

const files = await readTree()
const texts = textsOf(files, /./)

/** Code that we write by hand. A derived file (migrations/schema.sql, openapi.json) is as long as it must be. */
const derived = ['migrations/schema.sql', 'sdk/typescript/src/types.ts', 'sdk/python/bandama/types.py']
const code = textsOf(files, /\.(?:ts|tsx|js|mjs|sql|sh|py)$/).filter(({ path }) => !derived.includes(path))

/** Names without a meaning. Code that two features use has the name of its concept. */
const emptyNames = /^(?:utils?|helpers?|common|shared|misc|managers?|services?|lib)$/

/** The file names that a tool or a convention gives. */
const givenNames = new Set([
  'README.md',
  'README.fr.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'LICENSE',
  'SECURITY.md',
  'Caddyfile',
  'Containerfile',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
])

test('no file or folder has a meaningless name such as utils', () => {
  const wrong = files.filter(({ path }) => path.split('/').some((part) => emptyNames.test(part.split('.')[0] ?? '')))
  assert.deepEqual(
    wrong.map(({ path }) => path),
    [],
  )
})

test('no folder has a barrel file, except a published package', () => {
  const barrels = files.filter(
    ({ path }) => /^index\.[jt]sx?$/.test(basename(path)) && path !== 'sdk/typescript/src/index.ts',
  )
  assert.deepEqual(
    barrels.map(({ path }) => path),
    [],
  )
})

test('names are written in small letters with hyphens', () => {
  // Python imports no name with a hyphen, and its own modules begin with a line.
  const plain = /^(?:\.?[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z0-9]+)*|_{0,2}[a-z]+(?:_[a-z]+)*(?:__)?\.py)$/
  const wrong = files.filter(({ path }) =>
    path.split('/').some((part) => !plain.test(part) && !givenNames.has(part) && !/^\d{4}_[a-z0-9_]+\.sql$/.test(part)),
  )
  assert.deepEqual(
    wrong.map(({ path }) => path),
    [],
  )
})

test('a file has at most 350 lines', () => {
  const long = code.map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 })).filter((f) => f.lines > 350)
  assert.deepEqual(long, [])
})

test('no comment is a note of unfinished work', () => {
  assert.deepEqual(linesMatching(texts, /\b(?:TO[D]O|FIX[M]E|XX[X])\b/), [])
})

test('columns are named in every query', () => {
  assert.deepEqual(linesMatching(code, /\bselect\s+(?:\w+\.)?\*/i), [])
})

test('no file names the machine of its author', () => {
  assert.deepEqual(linesMatching(texts, /(?:^|[\s"'`(=:])\/(?:home|root|Users|work|farm|tmp|mnt)\/\w/), [])
  assert.deepEqual(linesMatching(texts, /\.\.\/shared\b/), [])
})

// The list of pages for programs is called after them by its convention.
test('files describe the product, not the tools of its authors', () => {
  assert.deepEqual(
    linesMatching(texts, /\b(?:assist[a]nts?|chat ?b[o]ts?|l[l]ms?(?!\.txt)|language mo[d]els?|cl[a]ude)\b/i),
    [],
  )
})

test('packages come from the reader’s own registry', async () => {
  const locked = texts.find(({ path }) => path === 'package-lock.json')?.text ?? ''
  assert.ok(locked.includes('"integrity"'), `${root} has a lock file with checksums`)
  assert.doesNotMatch(locked, /"resolved"/)
  // A lock file has addresses only for an author's funding.
  const addresses = locked.split('\n').filter((line) => /https?:\/\//.test(line) && !/^\s*"url": /.test(line))
  assert.deepEqual(
    addresses.filter((line) => !/^\s*"(?:funding|deprecated)": |^\s*"https?:[^"]*",?$/.test(line)),
    [],
  )
  const settings = texts.filter(({ path }) => path.endsWith('.npmrc'))
  assert.deepEqual(linesMatching(settings, /registry\s*=|_auth|\/\//), [])
})
