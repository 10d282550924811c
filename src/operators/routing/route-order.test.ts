import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Bounds, Capabilities, Connector } from '../port.ts'
import type { Registry } from './registry.ts'
import { routeOrder } from './route-order.ts'

const everything: Capabilities = { collect: true, collect_without_number: false, payout: true, refund: 'full' }

function connector(name: string, capabilities: Capabilities | null = everything, bounds: Bounds | null = null) {
  return { name, capabilitiesOf: () => capabilities, boundsOf: () => bounds } as unknown as Connector
}

/** Makes a registry whose route leads to `chosen`, within `bounds`, and that knows `others` by name. */
function registryOf(chosen: Connector | null, bounds: Bounds | null = null, others: readonly Connector[] = []) {
  const named = new Map(others.map((one) => [one.name, one]))
  return {
    connectorFor: () => chosen,
    connectorNamed: (name: string) => named.get(name) ?? null,
    boundsFor: () => bounds,
    admits: ({ name }: Connector) => name !== 'down',
    isSilent: (name: string) => name === 'down' || name === 'tried',
  } as unknown as Registry
}

const order = {
  ...{
    merchant_id: 1,
    livemode: true,
    subject_id: 'txn_1',
    direction: 'collect' as const,
    operator: 'mtn_ci',
    amount: 1_000,
  },
  ...{ msisdn: '+2250500000000', simulate: null, connector: null, attempts: 1 },
}
const whyNot = (registry: Registry, changed: Partial<Parameters<typeof routeOrder>[1]> = {}) => {
  const route = routeOrder(registry, { ...order, ...changed })
  return route.kind === 'routed' ? null : route.failure_code
}

test('an order that begins goes to the connector of its route', () => {
  assert.deepEqual(routeOrder(registryOf(connector('one')), order), { kind: 'routed', connector: 'one' })
})

test('a refund goes back through the connector that collected, whatever the route says', () => {
  const registry = registryOf(connector('route'), null, [connector('collected')])
  const refund = { ...order, direction: 'refund' as const, connector: 'collected' }
  assert.deepEqual(routeOrder(registry, refund), { kind: 'routed', connector: 'collected' })
  assert.equal(whyNot(registryOf(connector('route')), refund), 'operator_configuration', 'it is there no more')
})

test('an order that never left keeps its connector while that operator answers, and moves to the next of its route otherwise', () => {
  const begun = { ...order, connector: 'one', attempts: 2 }
  const next = connector('next')
  assert.deepEqual(routeOrder(registryOf(next), begun), { kind: 'routed', connector: 'one' }, 'one that is not set up')
  assert.deepEqual(routeOrder(registryOf(next, null, [connector('one')]), begun), { kind: 'routed', connector: 'one' })
  const down = { ...begun, connector: 'down' }
  assert.deepEqual(routeOrder(registryOf(next, null, [connector('down')]), down), { kind: 'routed', connector: 'next' })
  const tried = { ...begun, connector: 'tried' }
  const known = [connector('tried')]
  assert.deepEqual(routeOrder(registryOf(next, null, known), tried), { kind: 'routed', connector: 'next' })
  assert.deepEqual(
    routeOrder(registryOf(null, null, known), tried),
    { kind: 'routed', connector: 'tried' },
    'as a probe',
  )
})

test('after two sends that never left, an order moves to another connector, also in a process that has not seen its operator silent', () => {
  const begun = { ...order, connector: 'one', attempts: 3 }
  const one = connector('one')
  assert.deepEqual(routeOrder(registryOf(connector('next'), null, [one]), begun), { kind: 'routed', connector: 'next' })
  assert.deepEqual(routeOrder(registryOf(one, null, [one]), begun), { kind: 'routed', connector: 'one' })
  assert.deepEqual(routeOrder(registryOf(null, null, [one]), begun), { kind: 'routed', connector: 'one' })
  const refund = { ...begun, direction: 'refund' as const }
  assert.deepEqual(routeOrder(registryOf(connector('next'), null, [one]), refund), { kind: 'routed', connector: 'one' })
})

test('an order that never left waits when no other connector can carry it: none open, other amounts, or a refund', () => {
  const down = connector('down')
  const begun = { connector: 'down', attempts: 2 }
  assert.equal(whyNot(registryOf(down, null, [down]), begun), 'operator_unavailable')
  assert.equal(whyNot(registryOf(null, null, [down]), begun), 'operator_unavailable')
  const narrow = registryOf(connector('next'), { min: 5_000, max: 9_000, step: 1 }, [down])
  assert.equal(whyNot(narrow, begun), 'operator_unavailable')
  const refund = { ...begun, direction: 'refund' as const }
  assert.equal(whyNot(registryOf(connector('next'), null, [down]), refund), 'operator_unavailable')
})

test('an order whose connector is not open is not routable', () => {
  const down = connector('down')
  assert.equal(whyNot(registryOf(down)), 'operator_unavailable')
  assert.equal(
    whyNot(registryOf(null, null, [down]), { direction: 'refund', connector: 'down' }),
    'operator_unavailable',
  )
})

test('a simulated order gets no connector', () => {
  assert.deepEqual(routeOrder(registryOf(null), { ...order, simulate: 'succeed' }), { kind: 'routed', connector: null })
})

test('an order without a connector, or with one that does not offer the operation, is not routable', () => {
  assert.equal(whyNot(registryOf(null)), 'operator_configuration')
  assert.equal(whyNot(registryOf(connector('one', null))), 'operator_configuration')
  for (const [direction, lacks] of [
    ['collect', { collect: false }],
    ['payout', { payout: false }],
    ['refund', { refund: 'none' }],
  ] as const) {
    const one = registryOf(connector('one', { ...everything, ...lacks }))
    assert.equal(whyNot(one, { direction }), 'operator_configuration', direction)
  }
})

test('a payment without a number needs a named operator that sends payers to a link', () => {
  const byLink = registryOf(connector('one', { ...everything, collect_without_number: true }))
  assert.equal(whyNot(byLink, { msisdn: null }), null)
  assert.equal(whyNot(byLink, { msisdn: null, operator: null }), 'operator_configuration')
  assert.equal(whyNot(registryOf(connector('one')), { msisdn: null }), 'operator_configuration')
})

test('an amount is accepted within the bounds, both ends included, in multiples of their step', () => {
  const bounds = { min: 100, max: 2_000, step: 5 }
  const ofRoute = registryOf(connector('one'), bounds)
  const ofCollector = registryOf(null, null, [connector('one', everything, bounds)])
  for (const [amount, code] of [
    [99, 'amount_out_of_bounds'],
    [100, null],
    [101, 'amount_out_of_bounds'],
    [2_000, null],
    [2_005, 'amount_out_of_bounds'],
  ] as const) {
    assert.equal(whyNot(ofRoute, { amount }), code, `${amount}`)
    assert.equal(whyNot(ofCollector, { amount, direction: 'refund', connector: 'one' }), code, `refund of ${amount}`)
  }
})
