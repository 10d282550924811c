import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog } from '../../platform/log.ts'
import {
  admits,
  afterBeginning,
  afterSend,
  afterUndoing,
  type Circuit,
  closedCircuit,
  createCircuits,
  isGoodSend,
} from './circuit.ts'

/** The circuit after sends with these ends, `step` milliseconds apart: `b` for bad, `g` for good. */
function after(ends: string, { circuit = closedCircuit, at = 0, step = 0 } = {}): Circuit {
  return [...ends].reduce((one, end, index) => afterSend(one, `op${index}`, end === 'g', at + index * step), circuit)
}

/** The circuit after one probe at this moment. */
function probed(circuit: Circuit, isGood: boolean, at: number): Circuit {
  assert.ok(admits(circuit, 'probe', at))
  return afterSend(afterBeginning(circuit, 'probe', at), 'probe', isGood, at)
}

test('a circuit opens at five bad sends in a row, and not at fewer', () => {
  for (const [ends, state] of [
    ['bbbb', 'closed'],
    ['bbbbb', 'open'],
    ['bbbbgbbbb', 'closed'],
    ['gbbbbb', 'open'],
  ] as const) {
    assert.equal(after(ends).state, state, ends)
  }
})

test('a circuit opens when half of at least twenty sends within a minute ended badly', () => {
  assert.equal(after(`${'bg'.repeat(9)}b`).state, 'closed', 'nineteen are too few')
  assert.equal(after('gb'.repeat(10)).state, 'open')
  assert.equal(after('gbg'.repeat(40)).state, 'closed', 'a third is less than half')
  assert.equal(after('gb'.repeat(100), { step: 4_000 }).state, 'closed', 'fifteen in a minute are too few')
  const nineteen = after(`${'gb'.repeat(9)}g`)
  for (const [at, state] of [
    [59_999, 'open'],
    [60_000, 'closed'],
  ] as const)
    assert.equal(afterSend(nineteen, 'last', false, at).state, state, `the last one after ${at} ms`)
})

test('an open circuit admits no operation for thirty seconds, then one at a time, and three good probes close it', () => {
  const open = after('bbbbb', { at: 1_000 })
  assert.equal(admits(open, 'one', 30_999), false)
  assert.equal(admits(open, 'one', 31_000), true)
  const trying = afterBeginning(open, 'one', 31_000)
  assert.equal(trying.state, 'half_open')
  assert.equal(admits(trying, 'two', 31_000), false)
  assert.equal(admits(trying, 'one', 31_000), true, 'its beginning was undone, and begins again')
  assert.equal(afterBeginning(trying, 'two', 31_000), trying)
  const first = afterSend(trying, 'one', true, 32_000)
  const second = probed(first, true, 33_000)
  assert.deepEqual(
    [first.state, second.state, probed(second, true, 34_000).state],
    ['half_open', 'half_open', 'closed'],
  )
})

test('a bad probe opens the circuit for thirty seconds more, and the good probes before it no longer count', () => {
  const open = after('bbbbb')
  const again = probed(probed(probed(open, true, 30_000), true, 31_000), false, 32_000)
  assert.deepEqual([again.state, admits(again, 'x', 61_999), admits(again, 'x', 62_000)], ['open', false, true])
  const twice = probed(probed(again, true, 62_000), true, 63_000)
  assert.equal(twice.state, 'half_open')
})

test('sends that left before the circuit opened do not count, and a probe without an outcome gives way', () => {
  const open = after('bbbbb')
  assert.equal(afterSend(open, 'late', true, 1_000), open)
  const trying = afterBeginning(open, 'lost', 30_000)
  assert.equal(afterSend(trying, 'late', false, 31_000), trying)
  assert.equal(admits(trying, 'next', 149_999), false)
  assert.equal(admits(trying, 'next', 150_000), true)
  const next = afterBeginning(trying, 'next', 150_000)
  assert.equal(afterSend(next, 'lost', false, 150_001), next)
})

test('each answer of an operator is good, except that it is unavailable', () => {
  const evidence = {}
  for (const [answer, good] of [
    [{ kind: 'accepted', evidence }, true],
    [{ kind: 'duplicate', evidence }, true],
    [{ kind: 'settled', amount: 100, currency: 'XOF', evidence }, true],
    [{ kind: 'refused', failure_code: 'payer_declined', evidence }, true],
    [{ kind: 'refused', failure_code: 'operator_unavailable', evidence }, false],
    [{ kind: 'not_sent', evidence }, false],
    [{ kind: 'unknown', evidence }, false],
  ] as const) {
    assert.equal(isGoodSend(answer), good, JSON.stringify(answer))
  }
})

test('a circuit states for how long it admits nothing, without a probe and with one', () => {
  let now = 1_000
  const circuits = createCircuits(createLog('silent', 'test'), () => now)
  assert.deepEqual(circuits.refusing(), [])
  for (let send = 0; send < 5; send += 1) circuits.ended('one', `op${send}`, { kind: 'unknown', evidence: {} })
  now = 2_000
  assert.deepEqual(circuits.refusing(), [{ connector: 'one', until: 31_000, ms: 29_000 }])
  now = 31_000
  assert.deepEqual(circuits.refusing(), [], 'it admits one')
  circuits.began('one', 'x')
  assert.deepEqual(
    circuits.refusing().map(({ connector }) => connector),
    ['one'],
  )
  circuits.ended('one', 'x', { kind: 'accepted', evidence: {} })
  assert.deepEqual(circuits.refusing(), [])
})

test('a probe that was not begun after all gives way at once, and other sends change nothing', () => {
  const trying = afterBeginning(after('bbbbb'), 'one', 30_000)
  assert.equal(afterUndoing(trying, 'two'), trying)
  const free = afterUndoing(trying, 'one')
  assert.deepEqual([free.state, admits(free, 'two', 30_001)], ['half_open', true])
})

test('an operator is silent from its first bad send until its next good one', () => {
  const circuits = createCircuits(createLog('silent', 'test'), () => 0)
  const saidBy = (kind: 'not_sent' | 'accepted') => {
    circuits.ended('one', 'op', { kind, evidence: {} })
    return [circuits.isSilent('one'), circuits.hasAnswered('one'), circuits.admits('one', 'another')]
  }
  assert.deepEqual([circuits.isSilent('one'), circuits.hasAnswered('one')], [false, false], 'nothing was sent')
  assert.deepEqual(saidBy('not_sent'), [true, false, true])
  assert.deepEqual(saidBy('accepted'), [false, true, true])
  for (let send = 0; send < 5; send += 1) assert.equal(saidBy('not_sent')[1], false)
  assert.deepEqual(saidBy('accepted'), [true, true, false], 'the circuit is open, and its probes decide')
})

test('each connector has a circuit of its own', () => {
  let now = 0
  const circuits = createCircuits(createLog('silent', 'test'), () => now)
  for (let send = 0; send < 5; send += 1) circuits.ended('one', `op${send}`, { kind: 'unknown', evidence: {} })
  assert.deepEqual([circuits.admits('one', 'x'), circuits.admits('two', 'x')], [false, true])
  now = 30_000
  circuits.began('one', 'x')
  assert.deepEqual([circuits.admits('one', 'x'), circuits.admits('one', 'y')], [true, false])
  circuits.undone('x')
  assert.equal(circuits.admits('one', 'y'), true, 'the probe was not begun after all')
})
