import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NumberInBook } from '../beneficiaries/find-beneficiaries.ts'
import { type BookEntry, createPayoutBook } from '../beneficiaries/payout-book.ts'
import type { WantedDestination } from '../payouts/order-payout.ts'
import type { LockedSpending } from '../payouts/spending-limits.ts'
import { Msisdn } from '../values/msisdn.ts'
import type { BatchRow, LineRow } from './batch.ts'
import { type BatchCaller, createBatchCommand } from './create-batch.ts'

const now = new Date('2026-11-24T10:00:00.000Z')
const caller: BatchCaller = { merchant_id: 1, livemode: false, merchant_active: true, maker: { key_id: 'key_1' } }
const rent: BookEntry = {
  beneficiary_id: '7f0c4a52-4a57-4c1b-8f0e-6f2a54f5a001',
  name: 'Awa Koné',
  label: 'Rent',
  msisdn: '+2250500000010',
  operator: 'mtn_ci',
}
const inBook: WantedDestination = { kind: 'book', beneficiary_id: rent.beneficiary_id.toUpperCase() }
const unknown: WantedDestination = { kind: 'book', beneficiary_id: '00000000-0000-4000-8000-000000000000' }
const inline: WantedDestination = { kind: 'inline', msisdn: Msisdn.parse('0700000001')!, operator: null, name: 'Yao' }

const command = createBatchCommand({ payout_cap_operation: 100, payout_cap_day: 500, unchecked_day_max: 200_000 })

/** Decides a batch of lines with these amounts and destinations. */
function decide(lines: readonly [number, WantedDestination][], { used = 0, active = true } = {}) {
  const nothing = { read_at: '', until: '', clock_came_back: false, operation: null, day: null, unchecked: false }
  const spending: LockedSpending = {
    transfer: 0,
    used,
    caps: { operation: 100, day: 500 },
    cap_total: { merchant_id: 1, livemode: false, used: String(used), ...nothing },
  }
  const number: NumberInBook = { msisdn: '+2250700000001', active: true, label: 'Wages', archived: 2 }
  const call = {
    caller: { ...caller, merchant_active: active },
    idempotency: { key: 'key-of-a-test', fingerprint: Buffer.alloc(32) },
    order: {
      reference: 'week 47',
      lines: lines.map(([amount, destination]) => ({ amount, destination, reference: null })),
    },
    fee_amounts: lines.map((_, at) => at),
    order_key: Buffer.alloc(32),
  }
  const loaded = {
    spending: new Map([['1/false', spending]]),
    book: createPayoutBook(new Map([[`1/false/${rent.beneficiary_id}`, rent]])),
    numbers: new Map([[number.msisdn, number]]),
  }
  return command.decide(call, loaded, now)
}

function madeBy(decision: ReturnType<typeof decide>) {
  assert.ok(decision.kind === 'accepted')
  const rows = decision.effects.map(({ kind, row }): [string, unknown] => [kind.rank, row])
  const { batch, lines } = new Map(rows).get('batch line') as { batch: BatchRow; lines: LineRow[] }
  return { batch, lines, usage: new Map(rows).get('payout cap usage') as { subject_id: string; amount: number } }
}

test('a line with an unknown destination refuses the whole batch with its rank, before an inactive merchant does', () => {
  const message = 'Line 2: This entry is not in the book, or is archived.'
  const lines: [number, WantedDestination][] = [
    [10, inline],
    [10, unknown],
    [10, unknown],
  ]
  for (const active of [true, false]) {
    assert.deepEqual(decide(lines, { active }), { kind: 'refused', code: 'invalid_beneficiary', message })
  }
  assert.deepEqual(decide([[10, inBook]], { active: false }), { kind: 'refused', code: 'merchant_inactive' })
})

for (const [why, used, status] of [
  ['exactly the cap of 24 hours', 300, 'brouillon'],
  ['a franc above it', 301, 'en_attente_validation'],
] as const) {
  test(`a batch that reaches ${why} is ${status}, and counts either way`, () => {
    const lines: [number, WantedDestination][] = [
      [150, inBook],
      [50, inline],
    ]
    const { batch, usage } = madeBy(decide(lines, { used }))
    assert.deepEqual([batch.status, batch.total_amount, batch.line_count], [status, 200, 2])
    assert.deepEqual([usage.subject_id, usage.amount], [batch.id, 200])
  })
}

test('lines keep their ranks, their fees, and the names of their destinations in the book', () => {
  const { lines } = madeBy(
    decide([
      [10, inBook],
      [20, inline],
    ]),
  )
  assert.deepEqual(
    lines.map((line) => [line.rank, line.amount, line.fee_amount, line.beneficiary_id, line.name, line.label]),
    [
      [1, 10, 0, rent.beneficiary_id, 'Awa Koné', 'Rent'],
      [2, 20, 1, null, 'Yao', 'Wages'],
    ],
  )
  assert.deepEqual(
    lines.map(({ is_inline, archived_before }) => [is_inline, archived_before]),
    [
      [false, null],
      [true, 2],
    ],
  )
})
