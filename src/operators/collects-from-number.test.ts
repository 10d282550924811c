import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCollectsFromNumber } from './collects-from-number.ts'
import type { Capabilities, Connector } from './port.ts'

const byNumber: Capabilities = { collect: true, collect_without_number: false, payout: true, refund: 'none' }
const ownPage: Capabilities = { ...byNumber, collect_without_number: true }
const boundPage: Capabilities = { ...ownPage, collects_from_number: true }

const connector = (name: string, capabilities: Capabilities) =>
  ({ name, capabilitiesOf: () => capabilities }) as unknown as Connector

const collection = { merchant_id: 1, livemode: true, operator: 'orange_ci', connector: null }

test('the page of an operator proves no number, unless the operator binds it; before a send, the route says', () => {
  for (const [capabilities, proves] of [
    [byNumber, true],
    [ownPage, false],
    [boundPage, true],
  ] as const) {
    const registry = { connectorFor: () => connector('route', capabilities), connectorNamed: () => null }
    assert.equal(createCollectsFromNumber(registry)(collection), proves)
  }
})

test('the connector that collected says it, whatever the route says now, and one that is gone proves nothing', () => {
  const collectsFromNumber = createCollectsFromNumber({
    connectorFor: () => connector('route', byNumber),
    connectorNamed: (name) => (name === 'page' ? connector('page', ownPage) : null),
  })
  assert.equal(collectsFromNumber({ ...collection, connector: 'page' }), false)
  assert.equal(collectsFromNumber({ ...collection, connector: 'gone' }), false)
})
