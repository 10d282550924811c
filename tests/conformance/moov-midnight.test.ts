import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openContract } from './contract.ts'
import { moovGatewayContract } from './moov-gateway.ts'

test('an order that Moov has forgotten overnight stays open, and is never sent again', async () => {
  await using contract = await openContract({ ...moovGatewayContract, twin_settings: {} })
  const one = await contract.order('payout', 'moov_ci')
  contract.twin.script({ outcome: 'succeed', reference: one.reference })
  contract.twin.fault({ fault: 'lose_answer', reference: one.reference, times: 1 })
  assert.equal((await contract.connector.send(one)).kind, 'unknown')
  await contract.twin.advance(86_400)
  assert.equal((await contract.connector.read(one)).kind, 'not_found')
  assert.equal(contract.connector.promises.payout.same_reference, 'unknown')
  assert.equal(contract.twin.journal().length, 1)
})
