import { randomUUID } from 'node:crypto'
import type { Sql } from '../../src/platform/postgres/database.ts'
import type { Answer, Asked } from '../contract/ask.ts'
import { newMerchant } from '../harness/merchant.ts'
import { livemode, mode } from '../harness/mode.ts'

/** A merchant that pays out, and its key. */
export type PayoutMerchant = { merchant_id: number; livemode: boolean; key_id: string; key: string }

/** The fee of every payout of these merchants, in francs, so that funds are decided on more than the amount. */
export const FEE = 10

/** Caps in francs that no test reaches by accident. */
const FAR = 1_000_000_000_000

/** Creates a merchant with these funds for payouts, in francs, and with caps out of reach unless a test sets them. */
export async function newPayoutMerchant(
  sql: Sql,
  { funds, operation = FAR, day = FAR }: { funds: number; operation?: number; day?: number },
): Promise<PayoutMerchant> {
  const options = { name: 'Employeur', payout_fee: FEE, caps: { operation, day }, funds }
  const { merchant_id, newKey } = await newMerchant(sql, options)
  return { merchant_id, livemode, ...(await newKey(mode, 'payout')) }
}

/** A destination of a payout. The end of its number chooses the result; `0000` succeeds. */
export function beneficiary(msisdn: string) {
  return { msisdn, name: 'Awa Kone' }
}

/** The request that asks for a payout, with an idempotency key of its own unless it is given one. */
export function payout(
  { key }: Pick<PayoutMerchant, 'key'>,
  {
    amount,
    msisdn = '0700000000',
    idempotency_key = randomUUID() as string,
    reference = idempotency_key,
  }: {
    amount: number
    msisdn?: string
    idempotency_key?: string
    reference?: string
  },
): Asked & { idempotency_key: string } {
  return {
    method: 'POST',
    path: '/v1-payouts',
    key,
    idempotency_key,
    body: { amount, beneficiary: beneficiary(msisdn), reference },
  }
}

/** The request that asks for a batch of one line for each number. */
export function batch(
  { key }: PayoutMerchant,
  {
    amount,
    msisdns,
    idempotency_key = randomUUID() as string,
  }: {
    amount: number
    msisdns: readonly string[]
    idempotency_key?: string
  },
): Asked & { idempotency_key: string } {
  const lines = msisdns.map((msisdn) => ({ amount, beneficiary: beneficiary(msisdn) }))
  return {
    method: 'POST',
    path: '/v1-payout-batches',
    key,
    idempotency_key,
    body: { lines, reference: idempotency_key },
  }
}

/** The request that executes or cancels a batch. */
export function act({ key }: PayoutMerchant, batch_id: string, what: 'execute' | 'cancel'): Asked {
  return { method: 'POST', path: `/v1-payout-batches/${batch_id}/${what}`, key }
}

/** A summary of an answer: its status, and the code of a refusal. */
export function outcome(answer: Answer): string {
  if (answer.status < 300) return String(answer.status)
  const { error } = answer.json() as { error: { code: string } }
  return `${answer.status} ${error.code}`
}

/** The number of answers with each outcome. */
export function tally(answers: readonly Answer[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const answer of answers) counts[outcome(answer)] = (counts[outcome(answer)] ?? 0) + 1
  return counts
}

/** The `id` of an answer 2xx. */
export function idOf(answer: Answer): string {
  return (answer.json() as { id: string }).id
}
