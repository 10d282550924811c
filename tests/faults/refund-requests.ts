import assert from 'node:assert/strict'
import { createClock } from '../../src/platform/clock.ts'
import type { Sql } from '../../src/platform/postgres/database.ts'
import { ask } from '../contract/ask.ts'
import { actor } from '../harness/actor.ts'
import { payment } from '../harness/installation.ts'
import { createRefund } from '../harness/refunds.ts'
import { waitFor } from '../harness/wait-for.ts'

/** The ends of numbers that meet every end of a refund but the silent one, whose hour would have to be waited for. */
const ENDS = ['0000', '0001', '0004', '0005', '0006', '0000']

/**
 * Payments of 1 000 francs that are paid at once, from numbers whose ends say how their refunds go. Returns their ids when
 * all have succeeded.
 */
export async function collectMany(
  address: string,
  { key }: { key: string },
  sql: Sql,
  count: number,
): Promise<string[]> {
  const ids = await Promise.all(
    Array.from({ length: count }, async (_, at) => {
      const msisdn = `07${String(at).padStart(4, '0')}${ENDS[at % ENDS.length]}`
      const body = { amount: 1_000, counterparty: { msisdn }, simulate: 'succeed' }
      const answer = await ask(address, payment(key, body))
      assert.equal(answer.status, 201, answer.text)
      return (answer.json() as { id: string }).id
    }),
  )
  await waitFor(
    async () =>
      (await sql`select from payments where status in ('created', 'pending') limit 1`).length === 0 && ids.length > 0,
    { what: 'every payment to succeed' },
  )
  return ids
}

/** Requests a refund of part of a payment, in francs, as staff do. */
export async function askRefund(sql: Sql, payment_id: string, amount: number): Promise<string> {
  const result = await createRefund(
    { sql, clock: createClock(), canRefund: () => true },
    {
      payment_id,
      livemode: null,
      amount,
      key: null,
      given_seen: null,
      requested_by: actor('ama@example.com'),
      reason: null,
      by_hand: false,
    },
  )
  assert.ok(result.kind !== 'refused', JSON.stringify(result))
  return result.refund.id
}
