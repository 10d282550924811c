import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAccount } from './create-account.ts'
import type { ExternalAccount } from './external-account.ts'

const by = { person: 'awa@example.ci', door: 'console', from: null, step_up_id: null } as const

const wallet = (fields: Partial<ExternalAccount> = {}): ExternalAccount => ({
  ...{ livemode: true, code: 'mtn', kind: 'wallet', connector: 'mtn', directions: [], orders_from: new Date(0) },
  ...{ number_end: null, profile: null, due: 'daily', late_days: 1, opened_on: '2027-01-01' },
  ...{ created_by: 'system', created_at: new Date(0) },
  ...fields,
})

const typed = {
  ...{ code: 'mtn-out', kind: 'wallet', mode: 'live', connector: 'mtn', directions: ['payout'], number: null },
  ...{ profile: null, due: null, late: null },
} as const

function decide(values: object, has: object = {}) {
  const found = {
    about: { merchant_id: 0, livemode: true },
    wallets: [wallet()],
    number: null,
    is_known: false,
    ...has,
  }
  const decision = createAccount.decide(
    { by, within: {}, values: { ...typed, ...values } as never },
    found as never,
    new Date(0),
  )
  if (decision.kind === 'refused') return [decision.code, decision.fillings?.account].filter(Boolean).join(' ')
  assert.equal(decision.kind, 'accepted')
  const { kind, connector, directions, due, late_days } = decision.result
  return { kind, connector, directions: [...directions], due, late_days }
}

test('a second wallet takes the orders that it names, and only those that no other does', () => {
  const made = { kind: 'wallet', connector: 'mtn', directions: ['payout'], due: 'daily', late_days: 1 }
  assert.deepEqual(decide({}), made)
  const others = [wallet(), wallet({ code: 'mtn-back', directions: ['refund', 'payout'] })]
  assert.equal(decide({}, { wallets: others }), 'direction_taken mtn-back')
  assert.deepEqual(decide({ directions: ['collect'] }, { wallets: others }), { ...made, directions: ['collect'] })
  assert.equal(decide({ directions: [] }), 'direction_missing')
  assert.equal(decide({}, { wallets: [] }), 'connector_unknown')
  assert.equal(decide({ connector: null }), 'connector_missing')
  assert.equal(decide({}, { is_known: true }), 'code_taken')
  for (const code of ['fees', 'mtn_ci']) assert.equal(decide({ code }), 'code_reserved')
})

test('an account at a bank has no connector, and its own usual terms', () => {
  const bank = { kind: 'bank', connector: null, directions: [] }
  assert.deepEqual(decide(bank), { ...bank, due: 'business', late_days: 3 })
  assert.deepEqual(decide({ ...bank, kind: 'safeguarding', due: 'daily', late: 0 }), {
    ...{ ...bank, kind: 'safeguarding', due: 'daily', late_days: 0 },
  })
  assert.equal(decide({ ...bank, connector: 'mtn' }), 'connector_of_wallets')
  assert.equal(decide({ ...bank, directions: ['payout'] }), 'connector_of_wallets')
})

test('codes, directions and numbers are read as they are typed, or not at all', () => {
  const { code, directions, late, profile } = createAccount.fields
  assert.deepEqual(['mtn', 'a-b_9', 'Mtn', '9mtn', '', 'a'.repeat(41)].map(code.read), [
    'mtn',
    'a-b_9',
    ...Array(4).fill(undefined),
  ])
  assert.deepEqual(directions.read('payout,collect'), ['collect', 'payout'])
  assert.deepEqual(['payout,payout', 'pay', 'payout,'].map(directions.read), [undefined, undefined, undefined])
  assert.deepEqual(['0', '30', '31', '-1', '1.5', ''].map(late.read), [0, 30, undefined, undefined, undefined, null])
  assert.deepEqual(['wave_csv_fr', 'a-b', ''].map(profile.read), ['wave_csv_fr', undefined, null])
})
