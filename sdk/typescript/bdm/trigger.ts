import { randomInt } from 'node:crypto'
import { outcomeOf } from '../src/outcome.ts'
import type { Connection } from './connect.ts'
import { type Form, putOne, say } from './print.ts'
import { Sentence } from './sentence.ts'

/** The last digits of a number of test mode, by the event that its payment ends with. */
const ends: Readonly<Record<string, string>> = {
  'payment.pending': '0000',
  'payment.succeeded': '0000',
  'payment.failed': '0002',
  'payment.expired': '0003',
}

/** Makes the test payment that ends with this event, and waits for its end. */
export async function trigger(
  { client, mode }: Connection,
  type: string | undefined,
  { amount = '10000', ...form }: Form & { amount?: string | undefined },
): Promise<void> {
  const end = type !== undefined && Object.hasOwn(ends, type) ? ends[type] : undefined
  if (end === undefined) throw new Sentence(`Which event? One of ${Object.keys(ends).join(', ')}.`)
  if (mode === 'live')
    throw new Sentence('trigger makes test payments: bdm login --profile test with a test key, then --profile test.')
  if (!/^\d{1,12}$/.test(amount)) throw new Sentence('--amount must be whole francs, such as 10000.')
  // Any digits before the last ones: a number is asked five times in ten minutes at most.
  const msisdn = `07${String(randomInt(10_000)).padStart(4, '0')}${end}`
  const made = await client.payments.create({ amount: Number(amount), counterparty: { msisdn } })
  say(`${made.id} created`)
  const ended = await client.payments.wait(made.id)
  if (form.json || form.jsonl) putOne(ended, form)
  else
    say(
      `${ended.id} ${ended.status}${ended.failure_code == null ? '' : ` ${ended.failure_code}`} (${outcomeOf(ended)})`,
    )
}
