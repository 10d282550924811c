import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { isBeyond } from './rule.ts'
import { rules } from './rules.ts'

const folder = fileURLToPath(new URL('../../../deploy/prometheus', import.meta.url))
const promtool = (...words: string[]) => spawnSync('promtool', words, { cwd: folder, encoding: 'utf8' })
const isInstalled = promtool('--version').error === undefined

test('Prometheus fires each alert beyond its limit after its time, and not at the limit', {
  skip: isInstalled ? false : 'promtool comes with Debian’s prometheus',
}, () => {
  const { status, stdout, stderr } = promtool('test', 'rules', 'rules-test.yml')
  assert.equal(status, 0, `${stdout}${stderr}`)
})

test('a rule breaks beyond its limit, not at it, and without data only if it says so', () => {
  for (const rule of rules) {
    const { limit, name, absent } = rule
    const bound = 'above' in limit ? limit.above : limit.below
    const further = 'above' in limit ? bound + 0.001 : bound - 0.001
    assert.deepEqual([isBeyond(rule, bound), isBeyond(rule, further)], [false, true], name)
    assert.equal(isBeyond(rule, null), absent === 'fires', name)
  }
})

test('no two rules have one name, and a share has both of its series', () => {
  assert.equal(new Set(rules.map(({ name }) => name)).size, rules.length)
  for (const { name, of, take } of rules) if (of !== undefined) assert.equal(take, 'rate', name)
})
