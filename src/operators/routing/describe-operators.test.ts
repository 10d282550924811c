import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Capabilities, Connector } from '../port.ts'
import { noReport } from '../weather/follow-weather.ts'
import { describeOperators, type PayoutStop } from './describe-operators.ts'

const limits = { collection_amount_max: 2_000_000, payout_cap_operation: 100_000, payout_cap_day: 500_000 }
const able: Capabilities = {
  collect: true,
  collect_without_number: false,
  payout: true,
  refund: 'partial',
}

const describe = ({
  livemode = true,
  merchant_active = true,
  stops = [] as PayoutStop[],
  down = [] as string[],
  connected = { orange_ci: able, wave_ci: { ...able, payout: false, refund: 'none' } } as Record<string, Capabilities>,
} = {}) =>
  describeOperators({
    tenant: { merchant_id: 7, livemode },
    merchant_active,
    registry: {
      connectorFor({ operator }) {
        const capabilities = connected[operator ?? '']
        return capabilities === undefined
          ? null
          : ({ name: operator, capabilitiesOf: () => capabilities } as unknown as Connector)
      },
      boundsFor: () => null,
      admits: ({ name }) => !down.includes(name),
    },
    weather: noReport,
    stops,
    limits,
  })

/** The reasons of one operator: collection, payout. */
const reasons = (described: ReturnType<typeof describe>, code: string) => {
  const found = described.find((operator) => operator.code === code)!
  for (const side of [found.collection, found.payout]) {
    assert.equal(side.available, side.unavailable_reason === null)
  }
  return [found.collection.unavailable_reason, found.payout.unavailable_reason]
}

test('an operator offers the capabilities of its connector, and none without one', () => {
  const described = describe()
  assert.deepEqual(
    described.map(({ code, name, refund }) => [code, name, refund]),
    [
      ['orange_ci', 'Orange Money', 'partial'],
      ['mtn_ci', 'MTN MoMo', null],
      ['moov_ci', 'Moov Money', null],
      ['wave_ci', 'Wave', 'none'],
    ],
  )
  assert.deepEqual(reasons(described, 'orange_ci'), [null, null])
  assert.deepEqual(reasons(described, 'mtn_ci'), ['not_connected', 'not_connected'])
  assert.deepEqual(reasons(described, 'wave_ci'), [null, 'not_offered'])
})

test('a stop of payouts stops only payouts, and only those that it names', () => {
  const table: [stop: PayoutStop, stopped: boolean][] = [
    [{ scope: 'all', value: '' }, true],
    [{ scope: 'operator', value: 'orange_ci' }, true],
    [{ scope: 'operator', value: 'wave_ci' }, false],
    [{ scope: 'merchant', value: '7' }, true],
    [{ scope: 'merchant', value: '8' }, false],
  ]
  for (const [stop, stopped] of table) {
    assert.deepEqual(
      reasons(describe({ stops: [stop] }), 'orange_ci'),
      [null, stopped ? 'payouts_stopped' : null],
      JSON.stringify(stop),
    )
  }
})

test('an operator without an open connector is unavailable, and a reason that is certain takes precedence', () => {
  const down = ['orange_ci', 'wave_ci']
  assert.deepEqual(reasons(describe({ down }), 'orange_ci'), ['operator_unavailable', 'operator_unavailable'])
  assert.deepEqual(reasons(describe({ down }), 'wave_ci'), ['operator_unavailable', 'not_offered'])
  const stops: PayoutStop[] = [{ scope: 'all', value: '' }]
  assert.deepEqual(reasons(describe({ down, stops }), 'orange_ci'), ['operator_unavailable', 'payouts_stopped'])
})

test('a deactivated merchant can use no operator, and its limits are shown all the same', () => {
  const described = describe({ merchant_active: false, stops: [{ scope: 'all', value: '' }] })
  for (const { code, collection, payout } of described) {
    assert.deepEqual(reasons(described, code), ['merchant_inactive', 'merchant_inactive'])
    assert.deepEqual([collection.amount_max, payout.cap_operation, payout.cap_day], [2_000_000, 100_000, 500_000])
  }
})
