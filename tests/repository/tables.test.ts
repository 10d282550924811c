import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { testNumbers } from '../../src/operators/simulator/test-numbers.ts'
import { readConfig } from '../../src/platform/config.ts'

const settings = await readFile(new URL('../../docs/settings.md', import.meta.url), 'utf8')

/** Reads the rows of the table under a heading, as cells without their marks. */
function tableUnder(page: string, heading: string): string[][] {
  const section = page.split(/^##? /m).find((text) => text.startsWith(heading)) ?? ''
  return section
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('`', '').replaceAll('\\|', '|')))
    .map((cells) => cells.slice(1, -1))
}

test('docs/settings.md lists exactly the settings', () => {
  const asked = new Set<string>()
  const environment = new Proxy({}, { get: (_, name) => void asked.add(String(name)) })
  readConfig(environment)
  const listed = tableUnder(settings, 'Settings').map(([name]) => name!)
  assert.deepEqual(listed.toSorted(), [...asked].sort())
})

test('the defaults in docs/settings.md are correct', () => {
  const unset = JSON.stringify(readConfig({}))
  for (const [name, written] of tableUnder(settings, 'Settings')) {
    // Setting the default as the page writes it changes nothing.
    if (written) assert.equal(JSON.stringify(readConfig({ [name!]: written })), unset, `${name}=${written}`)
  }
})

test('deploy/bandama.env sets only existing variables', async () => {
  const example = await readFile(new URL('../../deploy/bandama.env', import.meta.url), 'utf8')
  const listed = new Set(tableUnder(settings, 'Settings').map(([name]) => name!))
  const set = [...example.matchAll(/^(\w+)=/gm)].map(([, name]) => name!)
  assert.deepEqual(
    set.filter((name) => !listed.has(name)),
    [],
  )
  assert.ok(set.includes('DATABASE_URL') && set.includes('SECRET_KEY'))
})

test('the guides to test mode have the numbers of the simulator: in English word by word, in French with the same codes', async () => {
  const rowsOf = async (path: string) => {
    const text = await readFile(new URL(`../../${path}`, import.meta.url), 'utf8')
    return text.split('\n').filter((line) => line.startsWith('| '))
  }
  const rows = testNumbers.map(({ ends_with, collection, payout }) => `| ${ends_with} | ${collection} | ${payout} |`)
  const english = await rowsOf('docs/en/test-mode.md')
  assert.deepEqual(english.slice(1, 1 + rows.length), rows)
  const codesIn = (row: string) => [...row.matchAll(/`[^`]+`/g)].map(([code]) => code)
  const french = await rowsOf('docs/fr/mode-test.md')
  assert.deepEqual(french.slice(1, 1 + rows.length).map(codesIn), rows.map(codesIn))
})

test('the README lists exactly the packages that need a newer Node than `npm ci`', async () => {
  const lock = JSON.parse(await readFile(new URL('../../package-lock.json', import.meta.url), 'utf8')) as {
    packages: Record<string, { engines?: { node?: string } }>
  }
  // A range that begins above the oldest Node of package.json, without a lower alternative.
  const oldest = Number(/\d+/.exec(lock.packages['']!.engines!.node!)![0])
  const demanding = Object.entries(lock.packages).filter(([, { engines }]) =>
    (engines?.node ?? '')
      .split('||')
      .every((range) => Number(/^\s*(?:>=|\^|~)?\s*v?(\d+)/.exec(range)?.[1] ?? 0) > oldest),
  )
  const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8')
  const said = /`EBADENGINE`\) of ([^:]*?), which want/.exec(readme)?.[1] ?? ''
  assert.deepEqual(
    [...said.matchAll(/`([^`]+)`/g)].map(([, name]) => name).sort(),
    demanding.map(([path]) => path.replace(/^.*node_modules\//, '')).sort(),
  )
})

test('the README has at most 200 lines', async () => {
  const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8')
  assert.ok(
    readme.split('\n').length - 1 <= 200,
    'what is longer becomes a page of docs/, and a walk a page of docs/walks/',
  )
})
