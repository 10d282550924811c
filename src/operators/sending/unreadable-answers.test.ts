import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { test } from 'node:test'
import { createLog } from '../../platform/log.ts'
import { evidenceOf } from '../operator-api/answer-evidence.ts'
import type { Answer } from './answer.ts'
import { createUnreadableAnswers } from './unreadable-answers.ts'

const reply = { kind: 'answered', status: 200, headers: {}, body: '<html>' } as const

/** The answers by a letter: in another form, compressed, lost, not sent, and four that can be read. */
const answers: Readonly<Record<string, Answer>> = {
  h: { kind: 'unknown', evidence: evidenceOf(reply) },
  z: { kind: 'unknown', evidence: evidenceOf({ ...reply, compressed: 'gzip' }) },
  l: { kind: 'unknown', evidence: evidenceOf({ kind: 'lost', reason: 'reset' }) },
  n: { kind: 'not_sent', evidence: evidenceOf({ kind: 'not_sent', reason: 'refused' }) },
  // Some operators accept with an empty answer.
  a: { kind: 'accepted', evidence: evidenceOf({ ...reply, status: 202, body: '' }) },
  s: { kind: 'settled', amount: 5, currency: 'XOF', evidence: {} },
  f: { kind: 'refused', failure_code: 'payer_declined', evidence: {} },
  p: { kind: 'pending', evidence: {} },
}

for (const [row, counts, said] of [
  ['hh', [1, 2], []],
  ['hhh', [1, 2, 3], ['warn no JSON']],
  ['zzzz', [1, 2, 3, 4], ['warn the answer is gzip, although we asked for none']],
  ['hlhnz', [1, 2, 3], ['warn the answer is gzip, although we asked for none']],
  ['hhahhs', [1, 2, 0, 1, 2, 0], []],
  ['hhhfhhhp', [1, 2, 3, 0, 1, 2, 3, 0], ['warn no JSON', 'info', 'warn no JSON', 'info']],
  ['lnlnasfp', [], []],
] as const) {
  test(`answers ${row} of a connector ${said.length === 0 ? 'tell nobody' : 'tell of it once'}`, () => {
    const lines: string[] = []
    const out = new Writable({
      write(line, _, done) {
        lines.push(String(line))
        done()
      },
    })
    const counted: number[] = []
    const note = createUnreadableAnswers(createLog('info', 'test', out), (connector, in_a_row) => {
      assert.equal(connector, 'moov')
      counted.push(in_a_row)
    })
    for (const letter of row) note({ key: { connector: 'moov' } as never, answer: answers[letter]! })
    const told = lines.map((line) => JSON.parse(line) as { level: string; form?: string })
    assert.deepEqual([counted, told.map(({ level, form }) => [level, form].join(' ').trim())], [counts, said])
  })
}

test('each connector is counted apart, and a test order without one is not', () => {
  const counted: string[] = []
  const note = createUnreadableAnswers(createLog('silent', 'test'), (connector, in_a_row) =>
    counted.push(`${connector} ${in_a_row}`),
  )
  for (const connector of ['moov', 'wave', null, 'moov']) note({ key: { connector } as never, answer: answers.h! })
  assert.deepEqual(counted, ['moov 1', 'wave 1', 'moov 2'])
})
