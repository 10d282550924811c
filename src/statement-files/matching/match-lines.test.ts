import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from '../../../tests/harness/property.ts'
import type { OurSide } from '../../operators/statement-orders.ts'
import { type CarriedBy, type LineToMatch, matchAlone, matchGroup } from './match-lines.ts'

const wallet = (code: string, connector: string, directions: CarriedBy[number]['directions'] = [], from = 0) => ({
  ...{ livemode: true, code, connector, directions, orders_from: new Date(from) },
})
const OPENED = Date.parse('2026-11-20T00:00:00Z')
const carried: CarriedBy = [
  wallet('wave', 'wave'),
  wallet('wave-out', 'wave', ['payout'], OPENED),
  wallet('mtn', 'mtn'),
]
const sent_at = new Date('2026-11-09T08:00:00Z')

function order(changes: Partial<OurSide> = {}): OurSide {
  return {
    ...{ merchant_id: 1, livemode: true, subject_id: 'txn_1', direction: 'collect', amount: 2_000, state: 'confirmed' },
    ...{
      connector: 'wave',
      msisdn: '+2250700000001',
      created_at: sent_at,
      sent_at,
      moved_at: new Date('2026-11-09T08:00:05Z'),
      charge: 20,
    },
    ...{ reference: 'ours', collection: null, number: null },
    ...changes,
  }
}

function line(changes: Partial<LineToMatch> = {}): LineToMatch {
  return {
    ...{ id: 'lin_1', month: '2026-11-01', account: 'wave', class: 'operation', direction: 'in', gross: 2_000 },
    ...{
      occurred_at: new Date('2026-11-09T08:00:03Z'),
      reference: null,
      our_reference: 'ours',
      party: null,
      is_changed: false,
    },
    ...changes,
  }
}

const matchOf = (one: LineToMatch, orders: readonly OurSide[]) => {
  const { state, kind, subject_id, charge } = matchGroup(carried, [one], orders).get(one.id)!
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
  [
    'the wallet from before another one of the connector was opened',
    line({ direction: 'out' }),
    [order({ direction: 'payout' })],
    ['matched', null, 'txn_1', 20],
  ],
  [
    'a payout after a wallet for payouts was opened',
    line({ account: 'wave-out', direction: 'out' }),
    [order({ direction: 'payout', created_at: new Date(OPENED) })],
    ['matched', null, 'txn_1', 20],
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
      const matches = matchGroup(carried, shuffled, [order()])
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

test('of several lines with the amount, the one with the number that the operator told us wins', () => {
  const copy = line({ id: 'lin_1', reference: 'T_1D' })
  const own = line({ id: 'lin_2', reference: 'T_1' })
  const matches = matchGroup(carried, [copy, own], [order({ number: 'T_1' })])
  assert.deepEqual([matches.get('lin_2')!.state, matches.get('lin_1')!.kind], ['matched', 'duplicate'])
})

test('two refunds of one collection take the lines of their amounts', () => {
  const other = { ...refund, subject_id: 'rfd_2', amount: 300, reference: 'other' }
  const of = (id: string, gross: number) => line({ id, gross, direction: 'out' })
  const matches = matchGroup(
    carried,
    [of('lin_2', 300), of('lin_3', 500), of('lin_4', 500), line()],
    [refund, other, order()],
  )
  const found = ['lin_1', 'lin_2', 'lin_3', 'lin_4'].map((id) => [matches.get(id)!.subject_id, matches.get(id)!.kind])
  assert.deepEqual(found, [
    ['txn_1', null],
    ['rfd_2', null],
    ['rfd_1', null],
    ['rfd_1', 'duplicate'],
  ])
})

const at = (seconds: number) => new Date(sent_at.getTime() + seconds * 1_000)
const out = (id: string, our_reference: string | null, changes: Partial<LineToMatch> = {}) =>
  line({ id, our_reference, direction: 'out', gross: 500, ...changes })
const refundOf = (id: string, changes: Partial<OurSide> = {}) => ({
  ...refund,
  subject_id: id,
  reference: `of ${id}`,
  ...changes,
})
const resultsOf = (lines: readonly LineToMatch[], orders: readonly OurSide[]) => {
  const matches = matchGroup(carried, lines, orders)
  return Object.fromEntries(
    [...matches].map(([id, { state, kind, subject_id, matched_by }]) => [id, [state, kind, subject_id, matched_by]]),
  )
}

test('a line that names a refund is of that refund alone, and never of another one or of the collection', () => {
  const orders = [refundOf('rfd_1'), refundOf('rfd_2'), order()]
  assert.deepEqual(resultsOf([out('lin_1', 'of rfd_2')], orders), {
    lin_1: ['matched', null, 'rfd_2', 'reference'],
  })
  const lines = [out('lin_1', 'of rfd_2'), out('lin_2', 'of rfd_2'), out('lin_3', 'OURS')]
  assert.deepEqual(resultsOf(lines, orders), {
    lin_1: ['matched', null, 'rfd_2', 'reference'],
    lin_2: ['unmatched', 'duplicate', 'rfd_2', 'reference'],
    lin_3: ['matched', null, 'rfd_1', 'reference'],
  })
  assert.deepEqual(resultsOf([line({ our_reference: 'of rfd_1' })], orders), {
    lin_1: ['unmatched', 'reversed', 'rfd_1', 'reference'],
  })
})

test('under the reference of the collection, the refund that moved comes before one that was refused', () => {
  const orders = [refundOf('rfd_1', { state: 'refused' }), refundOf('rfd_2', { state: 'sent' }), refundOf('rfd_3')]
  assert.deepEqual(resultsOf([out('lin_1', 'ours')], orders), { lin_1: ['matched', null, 'rfd_3', 'reference'] })
  assert.deepEqual(resultsOf([out('lin_1', 'ours'), out('lin_2', 'ours', { occurred_at: at(9) })], orders), {
    lin_1: ['matched', null, 'rfd_3', 'reference'],
    lin_2: ['unmatched', 'order_open', 'rfd_2', 'reference'],
  })
})

test('a line keeps the key by which it names its order, beside lines with another one', () => {
  const lines = [out('lin_1', 'order-1', { reference: 'T_9' }), out('lin_2', 'of rfd_1', { occurred_at: at(9) })]
  assert.deepEqual(resultsOf(lines, [refundOf('rfd_1', { number: 'T_9' }), order()]), {
    lin_1: ['matched', null, 'rfd_1', 'number'],
    lin_2: ['unmatched', 'duplicate', 'rfd_1', 'reference'],
  })
})

const states = ['confirmed', 'refused', 'unknown'] as const
const someRefunds = fc.array(
  fc.record({ amount: fc.constantFrom(300, 500), state: fc.constantFrom(...states), number: fc.boolean() }),
  { minLength: 1, maxLength: 4 },
)
const someLines = fc.array(
  fc.record({
    names: fc.constantFrom('collection', 'own', 'number', 'both'),
    of: fc.nat(3),
    gross: fc.constantFrom(300, 500, 2_000),
    direction: fc.constantFrom('in', 'out'),
    party: fc.constantFrom(null, '+2250700000001', '+2250700000009'),
    is_changed: fc.boolean(),
  }),
  { minLength: 1, maxLength: 6 },
)

test('each line is about the order that it names, beside any lines and refunds of a collection, in any order', () => {
  fc.assert(
    fc.property(someRefunds, someLines, fc.infiniteStream(fc.nat()), (refunds, drawn, shuffle) => {
      const its = refunds.map(({ amount, state, number }, nth) =>
        refundOf(`rfd_${nth}`, { amount, state, number: number ? `N_${nth}` : null }),
      )
      const orders = [order({ number: 'N_in' }), ...its]
      const lines = drawn.map(({ names, of, ...rest }, nth) => {
        const nthOf = of % its.length
        const our_reference =
          names === 'collection' || names === 'both' ? 'ours' : names === 'own' ? its[nthOf]!.reference : null
        const number = rest.direction === 'in' ? 'N_in' : `N_${nthOf}`
        const reference = names === 'number' || names === 'both' ? number : null
        return line({ ...rest, id: `lin_${nth}`, our_reference, reference, occurred_at: at(nth) })
      })
      const results = resultsOf(lines, orders)
      const places = lines
        .map((_, nth) => [shuffle.next().value, nth] as const)
        .toSorted(([one], [other]) => one - other)
      assert.deepEqual(
        resultsOf(
          places.map(([, nth]) => lines[nth]!),
          orders.toReversed(),
        ),
        results,
      )
      const matched = Object.values(results).filter(([state]) => state === 'matched')
      assert.equal(new Set(matched.map(([, , subject]) => subject)).size, matched.length, 'one order, two lines')
      for (const [nth, one] of lines.entries()) {
        const [state, , subject, by] = results[one.id]!
        const named = its.find(
          ({ reference, number }) =>
            [one.our_reference, one.direction === 'out' && one.reference].includes(number ?? reference) ||
            reference === one.our_reference,
        )
        if (named !== undefined) assert.equal(subject, named.subject_id)
        if (state === 'matched') {
          const own = orders.find(({ subject_id }) => subject_id === subject)!
          assert.deepEqual([own.state, own.amount], ['confirmed', one.gross])
          assert.equal(by, drawn[nth]!.names === 'number' ? 'number' : 'reference')
        }
      }
      // No confirmed refund stays without a line while one of its collection, with its amount, waits.
      const isNamed = ({ reference, number }: OurSide) =>
        lines.some(
          (one) =>
            one.direction === 'out' &&
            (one.our_reference === reference || (number !== null && one.reference === number)),
        )
      for (const lost of its.filter(
        (own) => own.state === 'confirmed' && !isNamed(own) && !matched.some(([, , id]) => id === own.subject_id),
      ))
        for (const [nth, one] of lines.entries())
          if (
            one.direction === 'out' &&
            one.gross === lost.amount &&
            !one.is_changed &&
            drawn[nth]!.names === 'collection'
          )
            assert.equal(results[one.id]![0], 'matched')
    }),
  )
})
