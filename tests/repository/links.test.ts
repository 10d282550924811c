import assert from 'node:assert/strict'
import { dirname, normalize } from 'node:path/posix'
import { test } from 'node:test'
import { readTree, textsOf } from './tree.ts'

const files = await readTree()
const pages = textsOf(files, /\.md$/)
const known = new Set(files.map(({ path }) => path))
for (const { path } of files) {
  for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) known.add(path.slice(0, at))
}

const withoutCode = (text: string) => text.replace(/```[\s\S]*?```/g, '').replace(/`[^`\n]*`/g, '')

/** Returns the anchor of a heading on the sites that show our pages. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-')

function anchorsOf(path: string): Set<string> {
  const text = pages.find((page) => page.path === path)?.text ?? ''
  const headings = text.replace(/```[\s\S]*?```/g, '').matchAll(/^#{1,6}\s+(.+)$/gm)
  return new Set([...headings].map(([, heading]) => anchorOf(heading!)))
}

test('every link of a page leads to an existing file and heading', () => {
  const broken: string[] = []
  for (const { path, text } of pages) {
    for (const [, target] of withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^(?:https?:|mailto:)/.test(target!)) continue
      // An address of the service, which tests/docs/site.test.ts opens.
      if (target!.startsWith('/') && /^docs\/(?:fr|en)\//.test(path)) continue
      const [file = '', anchor] = target!.split('#')
      const whole = file === '' ? path : normalize(`${dirname(path)}/${file}`).replace(/\/$/, '')
      if (!known.has(whole)) broken.push(`${path}: ${target}`)
      else if (anchor !== undefined && !anchorsOf(whole).has(anchor))
        broken.push(`${path}: ${target} (no such heading)`)
    }
  }
  assert.deepEqual(broken, [])
})

test('every file of ours that a page names in code exists', () => {
  // Records of past trials keep the names of their time.
  const ofItsDay = /^benches\/notebook\//
  const ours = /^(?:src|docs|tests|migrations|benches|bin|console|sdk)\/[\w./-]+\.(?:ts|tsx|md|sql|json)$/
  const wrong = pages
    .filter(({ path }) => !ofItsDay.test(path))
    .flatMap(({ path, text }) =>
      [...text.replace(/```[\s\S]*?```/g, '').matchAll(/`([^`\n]+)`/g)]
        .map(([, name]) => name!)
        .filter((name) => ours.test(name) && !known.has(name))
        .map((name) => `${path}: ${name}`),
    )
  assert.deepEqual(wrong, [])
})

test('every test that a page names behind its file is in that file', () => {
  const tests = new Map(textsOf(files, /\.test\.ts$/).map(({ path, text }) => [path, text]))
  const wrong = pages.flatMap(({ path, text }) =>
    [...text.matchAll(/\]\(([^)\s]+\.test\.ts)\), `([^`\n]+)`/g)]
      .filter(([, file, name]) => !tests.get(normalize(`${dirname(path)}/${file}`))?.includes(name!))
      .map(([, file, name]) => `${path}: ${file}, ${name}`),
  )
  assert.deepEqual(wrong, [])
})
