import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from '../../../tests/harness/property.ts'
import type { LineRow } from './line-store.ts'
import { mergeSighting, type Sighting } from './merge-sighting.ts'

const seen: Sighting = {
  ...{ day: '2026-11-09', occurred_at: new Date('2026-11-09T08:00:00Z'), gross: 2_000, fee: 20, tax: 0, effect: 1_980 },
  ...{ is_fee_known: true, balance: 5_000, our_reference: 'ours', party: null },
}
const line: LineRow = {
  ...seen,
  ...{ id: 'lin_1', month: '2026-11-01', account: 'wave', livemode: true, class: 'operation', direction: 'in' },
  ...{ currency: 'XOF', reference: 'T_1', text: null, file_id: 'stf_1', row: 1, is_changed: false, is_merged: false },
  ...{ state: 'matched', matched_by: 'reference', subject_id: 'txn_1', charge: 20, kind: null },
}

test('the same line again changes nothing', () => {
  assert.deepEqual(mergeSighting(line, seen), { kind: 'known', line })
})

test('a later file fills in what an earlier one left out, and takes nothing away', () => {
  const bare = { balance: null, our_reference: null, party: null }
  assert.deepEqual(mergeSighting({ ...line, ...bare }, seen), { kind: 'known', line })
  assert.deepEqual(mergeSighting(line, { ...seen, ...bare }), { kind: 'known', line })
})

test('a fee that the first file could not show is no other amount', () => {
  const without = { fee: 0, effect: 2_000, is_fee_known: false }
  assert.deepEqual(mergeSighting({ ...line, ...without }, seen), { kind: 'known', line })
  assert.deepEqual(mergeSighting(line, { ...seen, ...without }), { kind: 'known', line })
})

test('another amount loses the order and waits for people', () => {
  const { kind, line: after } = mergeSighting(line, { ...seen, gross: 1_999, effect: 1_979 })
  assert.deepEqual(
    [kind, after.gross, after.state, after.kind, after.is_changed, after.charge],
    ['changed', 1_999, 'unmatched', 'line_changed', true, null],
  )
})

const sighting = fc.record({
  gross: fc.constantFrom(1_999, 2_000),
  fee: fc.constantFrom(10, 20),
  balance: fc.option(fc.constantFrom(5_000, 6_000)),
  our_reference: fc.option(fc.constantFrom('ours', 'others')),
  day: fc.constantFrom('2026-11-08', '2026-11-09'),
})

test('a line ends as the same, whichever of its rows came first', () => {
  fc.assert(
    fc.property(
      fc
        .array(sighting, { minLength: 2, maxLength: 5 })
        .chain((rows) => fc.tuple(fc.constant(rows), fc.shuffledSubarray(rows, { minLength: rows.length }))),
      ([rows, shuffled]) => {
        const endOf = ([first, ...rest]: readonly Partial<Sighting>[]) => {
          const whole = (row: Partial<Sighting>): Sighting => {
            const { gross, fee } = { ...seen, ...row }
            const occurred_at = new Date(`${row.day}T08:00:00Z`)
            return { ...seen, ...row, occurred_at, effect: gross - fee }
          }
          const start = { ...line, ...whole(first!), state: 'unmatched', charge: null } as LineRow
          return rest.reduce<LineRow>((so_far, row) => mergeSighting(so_far, whole(row)).line, start)
        }
        assert.deepEqual(endOf(shuffled), endOf(rows))
      },
    ),
  )
})
