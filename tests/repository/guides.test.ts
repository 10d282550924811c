import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { apiRoutes } from '../../src/app/routes.ts'
import { home, sections } from '../../src/docs/contents.ts'
import { errorWords } from '../../src/docs/error-words.ts'
import { readTree, textsOf } from './tree.ts'

// The guides of docs/fr and docs/en, and the size of everything that people have to read.

const pages = new Map(textsOf(await readTree(), /\.md$/).map(({ path, text }) => [path, text]))
const entries = [home, ...sections.flatMap((section) => section.entries)]
const guides = entries.flatMap((entry) => ('guide' in entry ? [entry.guide] : []))

test('a French guide follows its English original: a changed original names the new hash', () => {
  const stale = guides.flatMap(([fr, en]) => {
    const hash = createHash('sha256')
      .update(pages.get(`docs/en/${en}.md`)!)
      .digest('hex')
      .slice(0, 8)
    const line = `<!-- Translated from docs/en/${en}.md, ${hash} -->\n`
    return pages.get(`docs/fr/${fr}.md`)!.startsWith(line) ? [] : [`docs/fr/${fr}.md: ${line.trim()}`]
  })
  assert.deepEqual(stale, [], 'translate the change, then write this as the first line')
})

test('every route that a guide or the page of a code names exists', () => {
  /** The path with one name for all variable parts. */
  const shape = (path: string) => path.replace(/:\w+|<[^>]*>|[a-z]{3}_…/g, '<>')
  const known = new Set<string>(apiRoutes.map(({ method, path }) => `${method} ${shape(path)}`))
  const texts = [
    ...[...pages].filter(([path]) => /^docs\/(?:en|fr)\//.test(path)),
    ...Object.entries(errorWords).map(
      ([code, { happened, todo }]) => [code, [...happened, ...todo].join('\n')] as const,
    ),
  ]
  const named = texts.flatMap(([from, text]) =>
    [...text.matchAll(/`(GET|POST|PUT|PATCH|DELETE) (\/(?:x\/|v1-)[^\s`?]*)/g)].map(([, method, path]) => ({
      from,
      route: `${method} ${shape(path!)}`,
    })),
  )
  assert.ok(named.length > 30, `${named.length} were found`)
  assert.deepEqual(
    named.filter(({ route }) => !known.has(route)),
    [],
  )
})

test('every guide is in the menu, in both languages', () => {
  const written = [...pages.keys()].filter((path) => /^docs\/(?:fr|en)\//.test(path))
  const listed = guides.flatMap(([fr, en]) => [`docs/fr/${fr}.md`, `docs/en/${en}.md`])
  assert.deepEqual(written.toSorted(), listed.toSorted())
})

test('every walk and every operator is in the menu', () => {
  const served = entries.flatMap((entry) => ('file' in entry ? [entry.file] : []))
  const written = [...pages.keys()].filter((path) => /^docs\/(?:walks|operators)\//.test(path))
  assert.deepEqual(
    written.filter((path) => !served.includes(path)),
    [],
  )
})

test('a guide has at most 900 words', () => {
  const long = guides.map(([, en]) => `docs/en/${en}.md`).filter((path) => wordsOf(pages.get(path)!) > 900)
  assert.deepEqual(long, [])
})

/** The most words of Markdown, French and the records of benches aside. Lower it when a page is shortened: sixty thousand is the goal. */
const WORDS_MAX = 70_600

test(`the repository has at most ${WORDS_MAX} words of Markdown`, () => {
  const counted = [...pages].filter(([path]) => !/^docs\/fr\/|^README\.fr\.md$|^benches\/notebook\//.test(path))
  const words = counted.reduce((sum, [, text]) => sum + wordsOf(text), 0)
  assert.ok(words <= WORDS_MAX, `${words} words: merge and cut what repeats`)
})

/** Counts what a reader reads: rules of tables and marks of lists are no words. */
function wordsOf(text: string): number {
  return text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length
}
