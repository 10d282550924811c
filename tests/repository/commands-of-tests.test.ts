import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { test } from 'node:test'
import { nightly } from '../nightly.ts'

// The commands about tests in our pages, which people paste, must name files, tests and scripts that exist.

const pages = ['CONTRIBUTING.md', 'README.md', ...globSync('docs/**/*.md')]
const scripts = (JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }).scripts

/** The commands of a page: in code or between back quotes. */
function commandsIn(page: string): string[] {
  const text = readFileSync(page, 'utf8')
  return [...text.matchAll(/(?:^|`|=\S+ )(npm (?:test|run [a-z:]+)(?: [^`\n#]*)?)/gm)].map(([, command]) =>
    command!.trim(),
  )
}

const isTest = (path: string) => /\.test\.ts$/.test(path) || (existsSync(path) && statSync(path).isDirectory())

test('the commands about tests in our pages name what exists', () => {
  for (const page of pages) {
    for (const command of commandsIn(page)) {
      const [, script = 'test'] = /^npm run ([a-z:]+)/.exec(command) ?? []
      assert.ok(Object.hasOwn(scripts, script), `${command}: package.json has no script ${script}`)
      if (!['test', 'repeat'].includes(script)) continue
      for (const path of command.match(/(?:src|tests)\/[^\s"'`]+/g) ?? []) {
        const found = globSync(path)
        assert.ok(found.length > 0 && found.every(isTest), `${command}: ${path} names no test`)
        const [, title] = /--test-name-pattern="([^"]+)"/.exec(command) ?? []
        if (title !== undefined) assert.match(readFileSync(path, 'utf8'), new RegExp(title), `${command}: no such test`)
      }
    }
  }
})

test('each part of the night names files that exist', () => {
  for (const { name, words } of nightly) {
    for (const pattern of words.filter((word) => !word.startsWith('--'))) assert.ok(globSync(pattern).length > 0, name)
  }
})
