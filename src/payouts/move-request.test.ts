import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertMovesAsTable } from '../../tests/harness/effects.ts'
import { decideRequest, transitionRequest } from './move-request.ts'
import { requestStatuses } from './payout-request.ts'
import { requestTransitions } from './request-states.ts'
import type { LockedRequest } from './request-store.ts'

const now = new Date('2026-11-24T10:00:05.000Z')

function requestOf(changes: Partial<LockedRequest> = {}): LockedRequest {
  return {
    merchant_id: 1,
    livemode: false,
    id: 'por_1',
    status: 'pending_approval',
    reason: 'plafond_24h',
    cap: 500,
    amount: 1_000,
    currency: 'XOF',
    beneficiary_id: '7f0c4a52-4a57-4c1b-8f0e-6f2a54f5a001',
    is_inline: false,
    name: 'Awa Koné',
    label: null,
    msisdn: '+2250500000010',
    operator: 'mtn_ci',
    reference: null,
    made_by: 'key:key_1',
    order_key: null,
    payout_id: null,
    created_at: new Date('2026-11-24T10:00:00.000Z'),
    decided_at: null,
    decided_by: null,
    decline_reason: null,
    is_over: false,
    ...changes,
  }
}

test('in every state each trigger moves a request as the table of transitions says, or changes nothing', () => {
  assertMovesAsTable(
    'payout request',
    requestStatuses,
    requestTransitions,
    (status) => requestOf({ status }),
    (request, trigger, moment) => transitionRequest(request, { ...trigger, decided_by: 'time' }, moment),
  )
})

for (const [why, request, decided_by, expected] of [
  ['by another person', requestOf(), 'awa', 'decided'],
  ['by its maker', requestOf(), 'key:key_1', 'same_person'],
  ['when its time has passed, before the sweep', requestOf({ is_over: true }), 'awa', 'already_decided'],
  ['when its time has passed, by its maker', requestOf({ is_over: true }), 'key:key_1', 'already_decided'],
  ...requestStatuses
    .filter((status) => status !== 'pending_approval')
    .map((status) => [`when it is ${status}`, requestOf({ status }), 'awa', 'already_decided'] as const),
] as const) {
  test(`a request approved or rejected ${why}: ${expected}`, () => {
    for (const [trigger, payout_id] of [
      ['approved', 'txn_1'],
      ['rejected', null],
    ] as const) {
      const decision = payout_id === null ? { trigger, decided_by } : { trigger, decided_by, payout_id }
      const decided = decideRequest(request, decision as Parameters<typeof decideRequest>[1], now)
      if (decided.kind === 'refused') assert.equal(decided.code, expected)
      else
        assert.deepEqual(
          [expected, decided.row.status, decided.row.decided_by, decided.row.payout_id, decided.row.decided_at],
          ['decided', trigger, decided_by, payout_id, now],
        )
    }
  })
}
