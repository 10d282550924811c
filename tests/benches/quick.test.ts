import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { attacks } from '../../benches/neighbours/attacks.ts'

const execute = promisify(execFile)
const command = fileURLToPath(new URL('../../benches/run.ts', import.meta.url))

const missing = await execute('pgbench', ['--version']).then(
  () => false,
  () => "there is no pgbench here; Debian's package postgresql brings it",
)

/** A second of each part on a server of its own. Its figures are worth nothing; that there are some is what is tested. */
async function runQuickly(name: string) {
  const { stdout } = await execute(process.execPath, [command, name, '--quick'], { maxBuffer: 2 ** 24 })
  return JSON.parse(stdout)
}

test('a bench of whole payments runs, every webhook is verified, and nothing is left over', {
  skip: missing,
}, async () => {
  const { tpcb, left_over, as_many_as_it_carries: most, at_200_a_second: calm } = await runQuickly('whole-payment')
  assert.ok(tpcb.per_second > 0)
  assert.equal(left_over, 0)
  for (const part of [most, calm]) {
    assert.ok(part.per_second > 0)
    assert.equal(part.delivery.wrongly_signed, 0)
    assert.equal(part.backlog.never, 0)
    assert.equal(part.left_over, 0)
    const { disk_bytes: _may_shrink, ...costs } = part.per_operation
    for (const [name, cost] of Object.entries(costs)) assert.ok(Number(cost) >= 0, name)
  }
})

test('the bench of prices finds every stand-in in its place', { skip: missing }, async () => {
  const { prices } = await runQuickly('price')
  assert.deepEqual(Object.keys(prices), [
    'without_idempotency',
    'without_limits',
    'without_request_log',
    'without_all_three',
  ])
})

test('the bench of neighbours times a calm merchant alone and under every attack', async () => {
  const found = await runQuickly('neighbours')
  assert.deepEqual(Object.keys(found.attacks), Object.keys(attacks))
  for (const name of Object.keys(attacks)) {
    const { alone, under_attack, survived, attack } = found.attacks[name]
    assert.ok(survived, name)
    for (const phase of [alone, under_attack]) {
      for (const figure of ['payments', 'payouts', 'healthz', 'whole_payments', 'whole_payouts']) {
        assert.ok(phase[figure].count > 0, `${name}: ${figure}`)
      }
    }
    // A dead endpoint is attacked by nobody: its events are due.
    if (name !== 'dead-endpoint') assert.ok(Object.keys(attack.statuses).some(isAnswer), name)
  }
})

function isAnswer(status: string): boolean {
  return /^\d+$/.test(status)
}

test('the bench of the console times every kind of page beside payments, and both exports', {
  skip: missing,
}, async () => {
  const { accepted_beside, pages, exports } = await runQuickly('console')
  assert.ok(accepted_beside.per_second > 0)
  assert.deepEqual(Object.keys(pages), ['lists', 'search', 'details', 'charts'])
  for (const { pages: read, p95_ms } of Object.values<{ pages: number; p95_ms: number }>(pages))
    assert.ok(read > 0 && p95_ms > 0)
  for (const format of ['csv', 'xlsx']) assert.ok(exports[format].seconds >= 0, format)
})
