import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { rules } from '../../src/app/rules/rules.ts'
import { findCommand } from '../../src/cli/commands.ts'
import { readOptions } from '../../src/cli/options.ts'
import { readTree, textsOf } from './tree.ts'

const page = await readFile(new URL('../../docs/runbook.md', import.meta.url), 'utf8')
const sections = new Map(
  page
    .split(/^## /m)
    .slice(1)
    .map((text) => [text.split('\n')[0]!.toLowerCase().replaceAll(' ', '-'), text] as const),
)

test('each rule has its section, which names it and its metric', () => {
  for (const { name, metric, runbook } of rules) {
    const section = sections.get(runbook) ?? ''
    assert.ok(section.includes(`\`${name}\``), `${name}: docs/runbook.md#${runbook}`)
    // The rows of a histogram are named by the histogram.
    assert.ok(section.includes(`\`${metric.replace(/_(?:bucket|count)$/, '')}\``), `${metric} in ${runbook}`)
  }
})

test('each section says the same five things, in one order', () => {
  const wanted = ['Money at risk', 'Look', 'Do', 'Stop payouts', 'Tell']
  for (const [anchor, text] of sections) {
    const said = [...text.matchAll(/^- \*\*(.+):\*\* \S/gm)].map(([, word]) => word)
    assert.deepEqual(said, wanted, anchor)
  }
})

test('every command of the runbook can be typed', async () => {
  const commands = [...page.matchAll(/(?:`|^)bandama ([^`\n#]+?)(?:`| *#| *$)/gm)].map(([, words]) => words!.trim())
  assert.ok(commands.length > 30, `${commands.length} commands were found`)
  for (const typed of commands) {
    const words = [...typed.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain!)
    const command = await findCommand(words)
    assert.ok(command, typed)
    readOptions(command, words.slice(command.name.split(' ').length))
  }
})

test('every metric of the runbook exists', async () => {
  const code = textsOf(await readTree(), /^src\/.*(?<!\.test)\.ts$/)
  const named = new Set([...page.matchAll(/`(bandama_\w+)/g)].map(([, name]) => name!))
  assert.ok(named.size > 20)
  const missing = [...named].filter(
    (name) => !code.some(({ path, text }) => !path.endsWith('/rules.ts') && text.includes(`'${name}'`)),
  )
  assert.deepEqual(missing, [])
})
