import assert from 'node:assert/strict'
import { dirname, join } from 'node:path/posix'
import { test } from 'node:test'
import { linesMatching, readTree, textsOf, withoutComments } from './tree.ts'

/**
 * The layers of src/, highest first. A folder may import from the lines below its own: never from another folder of its own line, never
 * upwards. If a folder needs a function of a higher one, app/ passes it in.
 */
const layers: readonly (readonly string[])[] = [
  ['cli'],
  ['app'],
  ['screens'],
  ['listings', 'batch-files', 'reconciliation'],
  ['checkout', 'payout-batches', 'refunds', 'anomalies'],
  ['payments', 'payouts', 'settlements', 'statements', 'statement-files', 'adjustments'],
  ['beneficiaries', 'merchant-files'],
  ['console'],
  ['ledger', 'operators', 'webhooks', 'merchants', 'api-keys', 'people', 'request-log', 'cases'],
  ['external-accounts'],
  ['acts'],
  ['audit-log', 'docs', 'sdk', 'twin'],
  ['platform'],
  ['values'],
]

/** The statements that only the ledger may have: those that write balances and entries. */
const ledgerWrites = /\b(?:insert\s+into|into|update|delete\s+from|truncate)\s+(?:ledger_\w+|accounts)\b/i

/** The expressions that read the present, and the files that may use them, with the reason for each. */
const readsThePresent = /\bDate\.now\s*\(|\bnew Date\s*\(\s*\)|\bTemporal\.Now\b/
const readsThePresentAllowed: Record<string, string> = {
  'src/platform/clock.ts': 'this is the clock',
}

const files = await readTree()
const sources = textsOf(files, /^src\/.*\.tsx?$/)
const isTest = (path: string) => path.endsWith('.test.ts')

/** Returns the folder of a file: 'payments' for `src/payments/store.ts`. */
const folderOf = (path: string) => path.split('/')[1] ?? ''
const layerOf = (folder: string) => layers.findIndex((layer) => layer.includes(folder))

type Arrow = { from: string; to: string }
const arrows: Arrow[] = sources.flatMap(({ path, text }) =>
  importsOf(text)
    .filter((name) => name.startsWith('.'))
    .map((name) => ({ from: path, to: join(dirname(path), name) })),
)

/** Finds the files that a file imports, re-exports, or loads at run time, including types. */
function importsOf(text: string): string[] {
  const code = withoutComments(text)
  const names: string[] = []
  for (const [, name] of code.matchAll(/(?:^|\n)\s*(?:import|export)\b[^'"`;=]*?\bfrom\s*['"]([^'"]+)['"]/g))
    names.push(name!)
  for (const [, name] of code.matchAll(/(?:^|\n)\s*import\s*['"]([^'"]+)['"]/g)) names.push(name!)
  for (const [, name] of code.matchAll(/\bimport\(\s*['"]([^'"]+)['"]/g)) names.push(name!)
  return names
}

function refusal({ from, to }: Arrow): string | null {
  if (isTest(from) && to.startsWith('tests/harness/')) return null
  if (!to.startsWith('src/')) return 'leaves src/'
  if (isTest(to)) return 'imports a test'
  const [fromFolder, toFolder] = [folderOf(from), folderOf(to)]
  if (fromFolder === toFolder) return null
  const [fromLayer, toLayer] = [layerOf(fromFolder), layerOf(toFolder)]
  if (toLayer < fromLayer) return 'goes up'
  // A test may use other layers to arrange; the tested code may not.
  if (toLayer === fromLayer && !isTest(from)) return 'goes sideways'
  return null
}

test('every folder of src/ is in the picture of layers', () => {
  const unknown = sources.filter(({ path }) => layerOf(folderOf(path)) === -1).map(({ path }) => path)
  assert.deepEqual(unknown, [])
})

test('imports only go down the layers', () => {
  assert.ok(arrows.length > 20, 'the imports were found')
  const wrong = arrows.flatMap((arrow) => {
    const why = refusal(arrow)
    return why === null ? [] : [`${arrow.from} -> ${arrow.to} ${why}`]
  })
  assert.deepEqual(wrong, [])
})

test('code uses the driver of the database only through its module', () => {
  const inside = (path: string) => path.startsWith('src/platform/postgres/driver/')
  const doors = ['src/platform/postgres/database.ts', 'src/platform/postgres/servers/pool.ts']
  const wrong = arrows.filter(({ from, to }) => inside(to) && !inside(from) && !isTest(from) && !doors.includes(from))
  assert.deepEqual(wrong, [])
})

test('the twin knows nothing of the business, and only the command line starts it', () => {
  const wrong = arrows.filter(({ from, to }) => {
    const [fromFolder, toFolder] = [folderOf(from), folderOf(to)]
    if (isTest(from) || fromFolder === toFolder) return false
    if (fromFolder === 'twin') return !['platform', 'values'].includes(toFolder)
    return toFolder === 'twin' && fromFolder !== 'cli'
  })
  assert.deepEqual(wrong, [])
})

test('no file of src/ imports itself through others', () => {
  const targets = new Map<string, string[]>()
  for (const { from, to } of arrows) targets.set(from, [...(targets.get(from) ?? []), to])
  const done = new Set<string>()
  const cycles: string[] = []
  function visit(path: string, trail: readonly string[]): void {
    const at = trail.indexOf(path)
    if (at !== -1) cycles.push([...trail.slice(at), path].join(' -> '))
    if (at !== -1 || done.has(path)) return
    for (const next of targets.get(path) ?? []) visit(next, [...trail, path])
    done.add(path)
  }
  for (const { path } of sources) visit(path, [])
  assert.deepEqual(cycles, [])
})

test('only the ledger writes balances and entries', () => {
  const code = sources
    .filter(({ path }) => !isTest(path) && folderOf(path) !== 'ledger')
    .map(({ path, text }) => ({ path, text: withoutComments(text) }))
  const wrong = code.filter(({ text }) => ledgerWrites.test(text)).map(({ path }) => path)
  assert.deepEqual(wrong, [])
})

test('the present comes from the clock', () => {
  const code = sources
    .filter(({ path }) => !isTest(path) && !(path in readsThePresentAllowed))
    .map(({ path, text }) => ({ path, text: withoutComments(text) }))
  assert.deepEqual(linesMatching(code, readsThePresent), [])
})
