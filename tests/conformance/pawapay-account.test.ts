import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { createOperatorHttp, type OperatorReply } from '../../src/operators/operator-api/operator-http.ts'
import { createPawapayClient } from '../../src/operators/pawapay/client.ts'
import type { PawapaySettings } from '../../src/operators/pawapay/settings.ts'
import { englishOf } from '../harness/in-both-languages.ts'
import { carryThrough, openContract } from './contract.ts'
import { pawapayContract } from './pawapay.ts'

// The parts of the contract that only pawaPay has, on its twin.

for (const signing_form of ['der', 'raw'] as const) {
  test(`an account that requires signatures accepts our requests, ${signing_form}, and no others`, async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const signing_private_key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    const registered = publicKey.export({ type: 'spki', format: 'pem' }).toString()
    await using open = await openContract(pawapayContract)
    open.twin.change('pawapay', { signed_requests_only: true, request_public_keys: { 'OURS:1': registered } })
    const signed = open.withSettings({ signing_key_id: 'OURS:1', signing_private_key, signing_form })
    for (const direction of ['collect', 'payout'] as const) {
      assert.equal((await signed.send(await open.order(direction, 'mtn_ci'))).kind, 'accepted', direction)
      const order = await open.order(direction, 'mtn_ci')
      const unsigned = await open.connector.send(order)
      assert.ok(unsigned.kind === 'refused')
      assert.equal(unsigned.failure_code, 'operator_configuration')
    }
    assert.deepEqual(await signed.check!(), { kind: 'works' })
    const unchecked = await open.connector.check!()
    assert.match(unchecked.kind === 'fails' ? englishOf(unchecked.problem) : '', /signed requests only/)
  })
}

test('callbacks are verified in both forms of a signature, and with a new key as soon as it exists', async () => {
  await using open = await openContract(pawapayContract)
  for (const [at, signature_encoding] of (['raw', 'der'] as const).entries()) {
    open.twin.change('pawapay', { signature_encoding })
    open.twin.act('pawapay', 'rotate-keys', { forget_old: true })
    const order = await open.order('collect', 'mtn_ci')
    open.twin.script({ outcome: 'succeed', reference: order.reference })
    await carryThrough(open, order)
    const readings = await open.called(at + 1)
    assert.equal(readings.at(-1)?.kind, 'about', signature_encoding)
  }
})

test('callbacks of an account without signatures are only hints', async () => {
  await using open = await openContract({ ...pawapayContract, settings: { require_signed_callbacks: false } })
  open.twin.change('pawapay', { sign_callbacks: false })
  assert.equal(open.connector.callbacks, 'unsigned')
  assert.deepEqual(await open.connector.check!(), { kind: 'works' })
  const order = await open.order('collect', 'mtn_ci')
  open.twin.script({ outcome: 'succeed', reference: order.reference })
  await carryThrough(open, order)
  const [reading] = await open.called(1)
  assert.equal(reading?.kind === 'about' && reading.evidence.signed, false)
})

test('a payout to an operator in trouble is enqueued, stays open, and can be cancelled', async () => {
  await using open = await openContract(pawapayContract)
  open.twin.change('pawapay', { payout_status: { ORANGE_CIV: 'DELAYED' } })
  const order = await open.order('payout', 'orange_ci')
  assert.equal((await open.connector.send(order)).kind, 'accepted')
  await open.twin.advance(3_600)
  const waiting = await open.connector.read(order)
  assert.deepEqual([waiting.kind, waiting.evidence.status], ['pending', 'ENQUEUED'])
  assert.equal(
    statusOf(await clientOf(open.twin.connectors().pawapay!.settings).failEnqueued(order.reference)),
    'ACCEPTED',
  )
  const cancelled = await open.connector.read(order)
  assert.equal(cancelled.kind === 'refused' && cancelled.failure_code, 'cancelled')
})

test('a closed operator refuses, and the account reports it as closed', async () => {
  await using open = await openContract(pawapayContract)
  open.twin.change('pawapay', { deposit_status: { MTN_MOMO_CIV: 'CLOSED' } })
  const outcome = await open.connector.send(await open.order('collect', 'mtn_ci'))
  assert.equal(outcome.kind === 'refused' && outcome.failure_code, 'operator_unavailable')
  const told = await clientOf(open.twin.connectors().pawapay!.settings).availability()
  assert.match(told.kind === 'answered' ? told.body : '', /CLOSED/)
})

test('the callback of an operation that has ended can be sent again', async () => {
  await using open = await openContract(pawapayContract)
  const client = clientOf(open.twin.connectors().pawapay!.settings)
  const order = await open.order('collect', 'mtn_ci')
  open.twin.script({ outcome: 'succeed', reference: order.reference })
  await open.connector.send(order)
  assert.equal(statusOf(await client.resendCallback('deposit', order.reference)), 'REJECTED')
  await open.twin.advance(30)
  assert.equal(statusOf(await client.resendCallback('deposit', order.reference)), 'ACCEPTED')
  await open.twin.advance(1)
  const readings = await open.called(2)
  assert.deepEqual(readings[0], readings[1])
})

function clientOf(settings: Record<string, unknown>) {
  const http = createOperatorHttp({ base_url: String(settings.base_url) })
  return createPawapayClient(settings as PawapaySettings, http, () => new Date(0))
}

function statusOf(reply: OperatorReply): unknown {
  return reply.kind === 'answered' ? (reply.json as { status?: unknown } | undefined)?.status : reply
}
