import assert from 'node:assert/strict'
import { test } from 'node:test'
import { besideLastBatch, besideUsual, capAfter, fundsAfter, type Line, lookAtLines } from './differences.ts'

test('an amount is unusual from one and a half times the mean of the last twenty', () => {
  assert.deepEqual(besideUsual(250_000, [118_000, 122_000, 117_000]), {
    mean: 119_000,
    payouts: 3,
    times: 2.1,
    unusual: true,
  })
  assert.deepEqual(besideUsual(149, [100, 100, 100]), { mean: 100, payouts: 3, times: 1.5, unusual: false })
  assert.equal(besideUsual(150, [100, 100, 100])?.unusual, true)
  assert.equal(besideUsual(1_000, [...Array(20).fill(1_000), 1, 1, 1])?.mean, 1_000, 'older ones do not count')
})

test('fewer than three payouts are too few to compare an amount', () => {
  assert.equal(besideUsual(1_000_000, [10, 10]), null)
})

test('the balance after an approval is the remainder, and the missing amount is never negative', () => {
  assert.deepEqual(fundsAfter(1_000, 1_000), { transfer: 1_000, taken: 1_000, after: 0, missing: 0 })
  assert.deepEqual(fundsAfter(1_000, 1_001), { transfer: 1_000, taken: 1_001, after: -1, missing: 1 })
})

test('a request counts once towards the 24 hours, whether or not it counts already', () => {
  assert.deepEqual(capAfter({ used: 400, cap: 500, counted: true, amount: 300 }), {
    used: 400,
    cap: 500,
    exceeded: false,
  })
  assert.deepEqual(capAfter({ used: 400, cap: 500, counted: false, amount: 300 }), {
    used: 700,
    cap: 500,
    exceeded: true,
  })
})

test('a batch is compared with the last one that was executed', () => {
  const made_at = new Date('2026-10-29T18:00:00Z')
  assert.equal(besideLastBatch(1_000, null), null)
  assert.deepEqual(besideLastBatch(687_000, { total_amount: 672_500, created_at: made_at }), {
    total: 672_500,
    percent: 2,
    made_at,
  })
})

const line = (rank: number, name: string, msisdn: string): Line => ({
  rank,
  name,
  label: null,
  msisdn,
  operator: 'orange_ci',
  amount: 1_000,
  fee_amount: 0,
})
const sentTo = (...ranks: number[]) =>
  new Map(ranks.map((rank) => [rank, { last_sent_at: new Date(0), same_amount_at: null }]))
const none = { earlier: sentTo(1, 2, 3), checks: new Map(), last: [] }

test('a usual line has no marks, and unusual lines come first', () => {
  const lines = [line(1, 'Awa', '+2250700000001'), line(2, 'Yves', '+2250700000002'), line(3, 'Ali', '+2250700000003')]
  const seen = lookAtLines(lines, { ...none, earlier: sentTo(1, 3) })
  assert.deepEqual(
    seen.map(({ rank, unusual, new_number }) => [rank, unusual, new_number]),
    [
      [2, true, true],
      [1, false, false],
      [3, false, false],
    ],
  )
})

test('a name with another number than in the last batch has changed, in every spelling of the name', () => {
  const last = [{ name: 'Aminata  DIABY', msisdn: '+2250100003308' }]
  const [changed] = lookAtLines([line(1, 'aminata diaby', '+2250153208417')], { ...none, last })
  assert.equal(changed?.changed_from, '3308')
  const [same] = lookAtLines([line(1, 'Aminata Diaby', '+2250100003308')], { ...none, last })
  assert.equal(same?.changed_from, null)
  assert.equal(same?.unusual, false)
})

test('the second line to a number names the first', () => {
  const seen = lookAtLines([line(1, 'Awa', '+2250700000001'), line(2, 'Awa', '+2250700000001')], none)
  assert.deepEqual(
    seen.map(({ rank, same_number_as }) => [rank, same_number_as]),
    [
      [2, 1],
      [1, null],
    ],
  )
})

test('a similar or different name is unusual; an unknown or unchecked one is not', () => {
  const unusual = (word: 'match' | 'close' | 'no_match' | 'unknown' | null) =>
    lookAtLines([line(1, 'Awa', '+2250700000001')], { ...none, checks: new Map([[1, word]]) })[0]!.unusual
  assert.deepEqual((['match', 'unknown', null, 'close', 'no_match'] as const).map(unusual), [
    false,
    false,
    false,
    true,
    true,
  ])
})

test('the same amount to the same number some days ago is unusual', () => {
  const same_amount_at = new Date('2026-11-24T09:00:00Z')
  const earlier = new Map([[1, { last_sent_at: same_amount_at, same_amount_at }]])
  assert.equal(lookAtLines([line(1, 'Awa', '+2250700000001')], { ...none, earlier })[0]!.unusual, true)
})
