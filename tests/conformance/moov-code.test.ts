import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Order, ReadOutcome } from '../../src/operators/port.ts'
import { Secret } from '../../src/values/secret.ts'
import { keeping, NUMBER, type OpenContract, openContract } from './contract.ts'
import { moovGatewayContract } from './moov-gateway.ts'

// Moov's payment by a code that Moov sends and the payer types. It takes two calls, of which only the second can move money.

const openCode = () => openContract({ ...moovGatewayContract, settings: { collection: 'code' } })

async function ask(open: OpenContract): Promise<{ order: Order; digits: string }> {
  const order = await open.order('collect', 'moov_ci')
  const sent = await open.connector.send(order)
  assert.equal(sent.kind === 'accepted' && sent.next_action?.type, 'enter_code')
  return { order: keeping(order, sent), digits: open.twin.phone(NUMBER).now().code!.digits }
}

const pay = ({ connector }: OpenContract, order: Order, digits: string): Promise<ReadOutcome> =>
  connector.submitCode!(order, new Secret(digits))

test('a code pays once, an inquiry proves it, and no evidence holds the code', async () => {
  await using open = await openCode()
  const { order, digits } = await ask(open)
  assert.equal((await open.connector.read(order)).kind, 'not_found', 'nothing is paid before the code')
  const taken = await pay(open, order, digits)
  assert.equal(taken.kind, 'pending')
  await open.twin.advance(5)
  const asked = await open.connector.read(keeping(order, taken))
  assert.deepEqual([asked.kind, asked.kind === 'settled' && asked.amount], ['settled', order.amount])
  assert.equal(open.twin.journal().length, 1)
  assert.doesNotMatch(JSON.stringify([taken, asked]), new RegExp(`${digits}|${NUMBER.slice(1)}`))
})

test('a wrong code is refused, and nothing moves', async () => {
  await using open = await openCode()
  const { order, digits } = await ask(open)
  const refused = await pay(open, order, digits === '000000' ? '000001' : '000000')
  assert.equal(refused.kind, 'refused')
  assert.equal(open.twin.journal().length, 0)
})

/** The faults of the payment, the number of executions despite it, and the answer to a later inquiry. */
for (const [fault, times, says] of [
  ['lose_answer', 1, 'settled'],
  ['say_500', 1, 'settled'],
  ['say_html', 1, 'settled'],
  ['hang', 0, 'not_found'],
  ['cut', 0, 'not_found'],
  ['say_503', 0, 'not_found'],
] as const) {
  test(`a payment by code stays open after the fault "${fault}", until an inquiry`, async () => {
    await using open = await openCode()
    const { order, digits } = await ask(open)
    open.twin.fault({ fault, kind: 'code', times: 1 })
    assert.equal((await pay(open, order, digits)).kind, 'unknown')
    await open.twin.advance(5)
    assert.equal((await open.connector.read(order)).kind, says)
    assert.equal(open.twin.journal().length, times)
  })
}

test('an order for a code whose answer was lost can be paid by nobody, and has failed after two minutes', async () => {
  await using open = await openCode()
  const order = await open.order('collect', 'moov_ci')
  open.twin.fault({ fault: 'lose_answer', api: 'moov', on: 'other', times: 1 })
  assert.equal((await open.connector.send(order)).kind, 'unknown')
  // The age counts, as the database knows it. This machine's clock may be wrong.
  const sent = { ...order, sent_at: new Date(open.twin.now()), sent_ms_ago: 121_000 }
  const sending = { ...sent, sent_ms_ago: 120_000 }
  await open.twin.advance(600)
  assert.equal((await open.connector.read(sending)).kind, 'unknown', 'the reply may still come')
  const prompting = open.withSettings({ collection: 'prompt' })
  for (const connector of [open.connector, prompting]) {
    const read = await connector.read(sent)
    assert.equal(read.kind === 'refused' && read.failure_code, 'operator_unavailable')
  }
  assert.equal((await prompting.send(order)).kind, 'refused', 'an order leaves as it was recorded, or not at all')
  assert.equal(open.twin.journal().length, 0)
})
