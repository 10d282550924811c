import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertBehind, assertMovesAsTable, rowsOf } from '../../tests/harness/effects.ts'
import type { LedgerTransaction } from '../ledger/book.ts'
import type { Usage } from '../payouts/store.ts'
import type { Effect } from '../platform/commands/effects.ts'
import { type BatchStatus, batchStatuses, type LineRow, type LineStatus } from './batch.ts'
import { annulBatch, decideBatch } from './decide-batch.ts'
import { executeLines } from './execute-batch.ts'
import { endLinesOf, followLine } from './follow-lines.ts'
import { transitionBatch } from './move-batch.ts'
import { transitions } from './states.ts'
import type { LineOutcome, LockedBatch } from './store.ts'

const now = new Date('2026-11-24T10:00:05.000Z')
const key = { merchant_id: 1, livemode: false, batch_id: 'pob_1' }

function batchOf(changes: Partial<LockedBatch> = {}): LockedBatch {
  return {
    merchant_id: 1,
    livemode: false,
    id: 'pob_1',
    status: 'brouillon',
    reference: null,
    currency: 'XOF',
    total_amount: 1_000,
    line_count: 2,
    cap_day: 500_000,
    made_by: 'key:key_1',
    decided_by: null,
    decline_reason: null,
    executed_by: null,
    approved_at: null,
    created_at: new Date('2026-11-24T10:00:00.000Z'),
    executed_at: null,
    finished_at: null,
    open_lines: 0,
    bad_lines: 0,
    order_key: null,
    ...changes,
  }
}

const batchesIn = (effects: readonly Effect[]) =>
  rowsOf<LockedBatch>(effects, 'batch')
    .filter(({ status }) => status !== undefined)
    .map(({ status, open_lines, bad_lines }) => [status, open_lines, bad_lines])

test('from every state each trigger moves a batch as the table says, or leaves it unchanged', () => {
  assertMovesAsTable('batch', batchStatuses, transitions, (status) => batchOf({ status }), transitionBatch)
})

for (const [status, trigger, decided_by, expected] of [
  ['en_attente_validation', 'approved', 'awa', 'brouillon'],
  ['en_attente_validation', 'refused', 'awa', 'annule'],
  ['en_attente_validation', 'approved', 'key:key_1', 'same_person'],
  ['en_attente_validation', 'refused', 'key:key_1', 'same_person'],
  ...(['brouillon', 'en_cours', 'termine', 'termine_avec_erreurs', 'annule'] as const).flatMap(
    (ended) =>
      [
        [ended, 'approved', 'awa', 'already_decided'],
        [ended, 'refused', 'key:key_1', 'already_decided'],
      ] as const,
  ),
] as const) {
  test(`a batch that is ${status}, ${trigger} by ${decided_by}: ${expected}`, () => {
    const decided = decideBatch(batchOf({ status }), { trigger, decided_by }, now, decided_by === 'key:key_1')
    if (decided.kind === 'refused') return assert.equal(decided.code, expected)
    assert.deepEqual([decided.row.status, decided.row.decided_by], [expected, decided_by])
    assert.deepEqual(decided.row.approved_at, trigger === 'approved' ? now : null)
    const released =
      trigger === 'refused' ? [{ merchant_id: 1, livemode: false, subject_id: 'pob_1', amount: 1_000 }] : []
    assert.deepEqual(rowsOf<Usage>(decided.effects, 'payout cap usage'), released)
    assert.deepEqual(rowsOf(decided.effects, 'batch line'), trigger === 'refused' ? [key] : [])
  })
}

test('a batch is cancelled before anything was sent, and never afterwards', () => {
  const outcomes = batchStatuses.map((status): [BatchStatus, string | undefined] => [
    status,
    annulBatch(batchOf({ status }), { trigger: 'cancelled' }, now)?.row.status,
  ])
  assert.deepEqual(
    outcomes.filter(([, to]) => to !== undefined),
    [
      ['brouillon', 'annule'],
      ['en_attente_validation', 'annule'],
    ],
  )
})

const line: LineRow = {
  rank: 1,
  status: 'pending',
  amount: 500,
  fee_amount: 10,
  beneficiary_id: '7f0c4a52-4a57-4c1b-8f0e-6f2a54f5a001',
  archived_before: null,
  is_inline: false,
  name: 'Awa Koné',
  label: null,
  msisdn: '+2250500000010',
  operator: 'mtn_ci',
  reference: null,
  payout_id: null,
  failure_code: null,
}
const sent = { line, total_debited: 510, beneficiary_id: line.beneficiary_id! }
const failed = { line: { ...line, rank: 2 }, failure_code: 'insufficient_funds' as const }

test('an executed draft has a payout for each sent line, and releases the usage of the others', () => {
  const effects = executeLines(batchOf(), [sent], [failed], now)
  const [payout, started] = rowsOf(effects, 'new row')
  assert.deepEqual([payout!.batch_id, payout!.rank, payout!.total_debited], ['pob_1', 1, 510])
  assert.deepEqual([started!.rank, started!.status, started!.payout_id], [1, 'processing', payout!.id])
  assert.deepEqual(rowsOf(effects, 'batch line'), [
    { ...key, rank: 2, status: 'failed', failure_code: 'insufficient_funds' },
  ])
  assert.deepEqual(
    rowsOf<LedgerTransaction>(effects, 'account').map(({ subject_id }) => subject_id),
    [payout!.id],
  )
  assert.deepEqual(rowsOf<Usage>(effects, 'payout cap usage')[0]!.amount, 500)
  assert.deepEqual(batchesIn(effects), [['en_cours', 1, 1]])
  assert.deepEqual(rowsOf(effects, 'event'), [])
})

test('a draft of which nothing is sent ends at once, and its merchant is told', () => {
  const effects = executeLines(batchOf(), [], [failed, { ...failed, line }], now)
  assert.deepEqual(batchesIn(effects), [
    ['en_cours', 0, 2],
    ['termine_avec_erreurs', 0, 2],
  ])
  assert.equal(rowsOf(effects, 'batch').at(-1)!.type, 'payout_batch.finished')
})

for (const [before, outcome, lines, bad] of [
  ['processing', 'succeeded', 1, 0],
  ['processing', 'failed', 1, 1],
  ['processing', 'indeterminate', 1, 1],
  ['indeterminate', 'succeeded', 0, -1],
  ['indeterminate', 'failed', 0, 0],
] as const) {
  test(`a line that was ${before} and ${outcome}: ${lines} fewer open, ${bad} more bad`, () => {
    const of = (status: LineStatus): LineOutcome => ({ ...key, rank: 1, status, failure_code: null })
    const effects = followLine(of(before), of(outcome))
    assert.deepEqual(rowsOf(effects, 'batch line'), [of(outcome)])
    assert.deepEqual(rowsOf(effects, 'batch'), [{ ...key, lines, bad }])
    assertBehind('batch line', effects)
  })
}

for (const [why, batch, ended, expected] of [
  ['the last line of a good batch', { open_lines: 1 }, [[1, 0]], ['termine', 0, 0]],
  ['the last line, which is bad', { open_lines: 1 }, [[1, 1]], ['termine_avec_erreurs', 0, 1]],
  ['the last good line after a bad one', { open_lines: 1, bad_lines: 1 }, [[1, 0]], ['termine_avec_erreurs', 0, 1]],
  ['a line that is not the last', { open_lines: 2 }, [[1, 1]], ['en_cours', 1, 1]],
  ['a doubt that proves good before the end', { open_lines: 1, bad_lines: 1 }, [[0, -1]], ['en_cours', 1, 0]],
  [
    'two lines at once',
    { open_lines: 2, bad_lines: 1 },
    [
      [1, 0],
      [1, 1],
    ],
    ['termine_avec_erreurs', 0, 2],
  ],
  [
    'a doubt that proves good with the last line',
    { open_lines: 1, bad_lines: 1 },
    [
      [1, 0],
      [0, -1],
    ],
    ['termine', 0, 0],
  ],
  [
    'a doubt that proves good after the end',
    { status: 'termine_avec_erreurs', bad_lines: 1 },
    [[0, -1]],
    ['termine_avec_erreurs', 0, 0],
  ],
] as const) {
  test(`${why}: ${expected.join(', ')}`, () => {
    const effects = endLinesOf(
      batchOf({ status: 'en_cours', ...batch }),
      ended.map(([lines, bad]) => ({ lines, bad })),
      now,
    )
    assert.deepEqual(batchesIn(effects), [[...expected]])
    assertBehind('batch', effects)
  })
}

test('the maker of a batch is told that it is approved; a program and a refused maker are not', () => {
  const told = (made_by: string, trigger: 'approved' | 'refused') => {
    const batch = batchOf({ status: 'en_attente_validation', made_by })
    const decided = decideBatch(batch, { trigger, decided_by: 'issa@example.ci', decline_reason: null }, now, false)
    assert.ok(decided.kind === 'decided')
    return rowsOf<{ name: string; to: string[] }>(decided.effects, 'job').map(({ name, to }) => [name, to])
  }
  assert.deepEqual(told('aya@example.ci', 'approved'), [['batch_approved', ['aya@example.ci']]])
  assert.deepEqual(told('aya@example.ci', 'refused'), [])
  assert.deepEqual(told('key:key_1', 'approved'), [])
})
