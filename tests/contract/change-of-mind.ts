import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { derivedKey } from '../../src/platform/config.ts'
import { Secret } from '../../src/values/secret.ts'
import type { Installation } from '../harness/installation.ts'
import type { Answer } from './ask.ts'

/** Sends a callback of the simulator about a reference, with its signature unless another is given. */
export function simulatorCalls(
  { services, ask }: Installation,
  reference: string,
  time: number,
  signed = true,
): Promise<Answer> {
  const text = JSON.stringify({ reference, time })
  const key = derivedKey(new Secret(services[0]!.secret_key), 'simulator callbacks')
  const signature = createHmac('sha256', signed ? key : 'another key')
    .update(text)
    .digest('hex')
  return ask({ path: '/operators/simulator/callbacks', text, headers: { 'X-Simulator-Signature': signature } })
}

/** The operator sends a callback about an ended order. @param time makes this callback differ from earlier ones, because equal bytes count once */
export async function callAgain(installation: Installation, reference: string, time = 7): Promise<void> {
  if (installation.twin !== null) {
    const { api, kind } = orderOf(installation, reference)
    // The content of a callback does not count, so its amount can make it differ from another.
    installation.twin.fault({ fault: 'callback_amount', claimed_amount: time, reference, times: 1 })
    assert.deepEqual(installation.twin.act(api, 'call-back', { kind, reference }), { sent: true })
    return
  }
  assert.equal((await simulatorCalls(installation, reference, time)).status, 200)
}

/** From now on the operator reports an order as paid, and sends a callback. @param amount the amount that it reports */
export async function proveOrder(installation: Installation, reference: string, amount?: number): Promise<void> {
  const { twin, db } = installation
  if (twin === null) {
    // The simulator decides by the end of the number. This one pays.
    await db.sql`update simulator_orders set msisdn_end = '1234', amount = coalesce(${amount ?? null}::bigint, amount)
                  where reference = ${reference}`
  } else {
    const has_failed = orderOf(installation, reference).state === 'failed'
    assert.ok(!has_failed || amount === undefined, 'the twin tells one untruth at a time')
    const about = { on: 'read', reference } as const
    if (has_failed) twin.fault({ ...about, fault: 'read_opposite' })
    else if (amount !== undefined) twin.fault({ ...about, fault: 'states_amount', claimed_amount: amount })
    // The newest matching fault applies. A late answer without delay is no fault, so it cancels the older ones.
    else twin.fault({ ...about, fault: 'late_answer', after_seconds: 0 })
  }
  await callAgain(installation, reference)
}

const orderOf = ({ twin }: Installation, reference: string) =>
  twin!.operations().find((one) => one.reference === reference)!
