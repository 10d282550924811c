import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from '../../../tests/harness/property.ts'
import type { OurSide } from '../../operators/statement-orders.ts'
import { type CarriedBy, type LineToMatch, matchAlone, matchGroup } from './match-lines.ts'

const carried: CarriedBy = new Map([
  ['wave', { connector: 'wave', directions: null }],
  ['wave-out', { connector: 'wave', directions: ['payout'] }],
  ['mtn', { connector: 'mtn', directions: null }],
])
const sent_at = new Date('2026-11-09T08:00:00Z')

function order(changes: Partial<OurSide> = {}): OurSide {
  return {
    ...{ merchant_id: 1, livemode: true, subject_id: 'txn_1', direction: 'collect', amount: 2_000, state: 'confirmed' },
    ...{ connector: 'wave', msisdn: '+2250700000001', sent_at, moved_at: new Date('2026-11-09T08:00:05Z'), charge: 20 },
    ...{ reference: 'ours', collection: null },
    ...changes,
  }
}

function line(changes: Partial<LineToMatch> = {}): LineToMatch {
  return {
    ...{ id: 'lin_1', month: '2026-11-01', account: 'wave', class: 'operation', direction: 'in', gross: 2_000 },
    ...{ occurred_at: new Date('2026-11-09T08:00:03Z'), our_reference: 'ours', party: null, is_changed: false },
    ...changes,
  }
}

const matchOf = (one: LineToMatch, orders: readonly OurSide[]) => {
  const { state, kind, subject_id, charge } = matchGroup(carried, [one], orders, 'reference').get(one.id)!
  return [state, kind, subject_id, charge]
}

const refund = order({ subject_id: 'rfd_1', direction: 'refund', amount: 500, reference: 'refund', collection: 'ours' })
const cases: readonly (readonly [string, LineToMatch, readonly OurSide[], unknown[]])[] = [
  ['the same movement is matched', line(), [order()], ['matched', null, 'txn_1', 20]],
  ['another amount is not', line({ gross: 1_999 }), [order()], ['unmatched', 'amount_differs', 'txn_1', null]],
  [
    'an order that ended otherwise',
    line(),
    [order({ state: 'refused' })],
    ['unmatched', 'state_differs', 'txn_1', null],
  ],
  ['an order in doubt waits', line(), [order({ state: 'unknown' })], ['unmatched', 'order_open', 'txn_1', null]],
  ['another account', line({ account: 'mtn' }), [order()], ['unmatched', 'wrong_account', 'txn_1', null]],
  [
    'an account of payouts alone',
    line({ account: 'wave-out' }),
    [order()],
    ['unmatched', 'wrong_account', 'txn_1', null],
  ],
  ['an unknown account', line({ account: 'other' }), [order()], ['unmatched', 'wrong_account', 'txn_1', null]],
  ['a success taken back', line({ direction: 'out' }), [order()], ['unmatched', 'reversed', 'txn_1', null]],
  [
    'money against an order that never moved',
    line({ direction: 'out' }),
    [order({ state: 'unknown' })],
    ['unmatched', 'direction_differs', 'txn_1', null],
  ],
  [
    'a refund under the reference of its collection',
    line({ direction: 'out', gross: 500 }),
    [order(), refund],
    ['matched', null, 'rfd_1', 20],
  ],
  ['a payer with another number', line({ party: '+2250700000009' }), [order()], ['matched', null, 'txn_1', 20]],
  [
    'a payout to another number',
    line({ direction: 'out', party: '+2250700000009' }),
    [order({ direction: 'payout' })],
    ['matched', 'party_differs', 'txn_1', 20],
  ],
  [
    'the next day, outside the time of the order',
    line({ occurred_at: new Date('2026-11-10T08:00:00Z') }),
    [order()],
    ['matched', 'wrong_day', 'txn_1', 20],
  ],
  [
    'the other side of midnight, within the time of the order',
    line({ occurred_at: new Date('2026-11-10T00:00:01Z') }),
    [order({ moved_at: new Date('2026-11-11T08:00:00Z') })],
    ['matched', null, 'txn_1', 20],
  ],
  ['a line with two amounts', line({ is_changed: true }), [order()], ['unmatched', 'line_changed', 'txn_1', null]],
]
for (const [name, one, orders, expected] of cases) {
  test(`matching: ${name}`, () => assert.deepEqual(matchOf(one, orders), expected))
}

test('a fee and a tax explain themselves, an own transfer waits', () => {
  const stateOf = (its: string) => matchAlone({ class: its, is_changed: false }).state
  assert.deepEqual(['fee', 'tax', 'own_transfer', 'operation'].map(stateOf), [
    ...['explained', 'explained', 'unmatched', 'unmatched'],
  ])
  assert.equal(matchAlone({ class: 'fee', is_changed: true }).kind, 'line_changed')
})

test('of several lines the exact amount wins, then the earliest, then the smallest id, in any order', () => {
  const lines = [
    line({ id: 'lin_1', gross: 1_000, occurred_at: new Date('2026-11-09T07:00:00Z') }),
    line({ id: 'lin_3', occurred_at: new Date('2026-11-09T08:00:02Z') }),
    line({ id: 'lin_2', occurred_at: new Date('2026-11-09T08:00:02Z') }),
    line({ id: 'lin_4', occurred_at: new Date('2026-11-09T08:00:03Z') }),
    line({ id: 'lin_5', account: 'mtn', occurred_at: new Date('2026-11-09T06:00:00Z') }),
  ]
  fc.assert(
    fc.property(fc.shuffledSubarray(lines, { minLength: lines.length }), (shuffled) => {
      const matches = matchGroup(carried, shuffled, [order()], 'reference')
      const kinds = lines.map(({ id }) => [id, matches.get(id)!.state, matches.get(id)!.kind])
      assert.deepEqual(kinds, [
        ['lin_1', 'unmatched', 'duplicate'],
        ['lin_3', 'unmatched', 'duplicate'],
        ['lin_2', 'matched', null],
        ['lin_4', 'unmatched', 'duplicate'],
        ['lin_5', 'unmatched', 'duplicate'],
      ])
    }),
  )
})

test('two refunds of one collection take the lines of their amounts', () => {
  const other = { ...refund, subject_id: 'rfd_2', amount: 300, reference: 'other' }
  const out = (id: string, gross: number) => line({ id, gross, direction: 'out' })
  const matches = matchGroup(
    carried,
    [out('lin_2', 300), out('lin_3', 500), out('lin_4', 500), line()],
    [refund, other, order()],
    'reference',
  )
  const found = ['lin_1', 'lin_2', 'lin_3', 'lin_4'].map((id) => [matches.get(id)!.subject_id, matches.get(id)!.kind])
  assert.deepEqual(found, [
    ['txn_1', null],
    ['rfd_2', null],
    ['rfd_1', null],
    ['rfd_1', 'duplicate'],
  ])
})
