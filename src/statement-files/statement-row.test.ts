import assert from 'node:assert/strict'
import { test } from 'node:test'
import { identityOf, type StatementRow } from './statement-row.ts'

const owner = { livemode: true, account: 'wave', kind: 'wallet' } as const
const row = (changes: Partial<StatementRow> = {}): StatementRow => ({
  ...{ row: 1, class: 'operation', fault: null, direction: 'in', gross: 1_000, fee: 10, tax: 0, effect: 990 },
  ...{ is_fee_known: true, balance: null, currency: 'XOF', occurred_at: '2026-11-09T08:00:00Z', reference: null },
  ...{ our_reference: 'order-1', state: null, text: null, party: null },
  ...changes,
})

test('a wallet’s line without a number is known by our reference, also with another fee or on another day', () => {
  const identity = identityOf(owner, row())
  assert.equal(identityOf(owner, row({ fee: 20, effect: 980, occurred_at: '2026-11-10T08:00:00Z' })), identity)
  for (const changes of [
    { our_reference: 'order-2' },
    { direction: 'out' },
    { class: 'fee' },
    { reference: 'order-1' },
  ])
    assert.notEqual(identityOf(owner, row(changes as Partial<StatementRow>)), identity)
  const bank = { ...owner, kind: 'bank' } as const
  assert.notEqual(identityOf(bank, row({ effect: 980 })), identityOf(bank, row()))
})
