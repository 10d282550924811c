import { randomUUID } from 'node:crypto'
import { createKey } from '../../src/api-keys/create-key.ts'
import { depositToTransfer } from '../../src/ledger/fill-transfer.ts'
import { openAccounts } from '../../src/ledger/open-accounts.ts'
import { createMerchant } from '../../src/merchants/create-merchant.ts'
import { setFees } from '../../src/merchants/set-fees.ts'
import { setCaps } from '../../src/payouts/set-caps.ts'
import { createClock } from '../../src/platform/clock.ts'
import { createEgress } from '../../src/platform/egress/post.ts'
import type { Sql } from '../../src/platform/postgres/database.ts'
import { createEndpoint } from '../../src/webhooks/create-endpoint.ts'
import { Secret } from '../../src/words/secret.ts'
import type { Answer, Asked } from '../contract/ask.ts'

/** A merchant in test mode that pays out, and its key. */
export type PayoutMerchant = { merchant_id: number; livemode: false; key_id: string; key: string }

/** What every payout of these merchants costs, in francs, so that funds are decided on more than the amount. */
export const FEE = 10

/** Caps that no test reaches by accident, in francs. */
const FAR = 1_000_000_000_000

/** A merchant with this much to pay out from, in francs, and caps far away unless a test is about them. */
export async function newPayoutMerchant(
  sql: Sql,
  { funds, operation = FAR, day = FAR }: { funds: number; operation?: number; day?: number },
): Promise<PayoutMerchant> {
  const merchant_id = await createMerchant(sql, { name: 'Employeur', openAccounts })
  const tenant = { merchant_id, livemode: false as const }
  const fee = { basis_points: 0, fixed: FEE, minimum: 0, maximum: null, bearer: 'merchant' as const }
  await setFees(sql, { merchant_id, service: 'payout', ...fee, effective_from: null })
  await setCaps(sql, tenant, { operation, day })
  if (funds > 0) await addFunds(sql, tenant, funds)
  const { key_id, key } = await createKey(sql, tenant, { key_prefix: 'bdm', scope: 'payout' })
  return { ...tenant, key_id, key: key.reveal() }
}

/** Francs to the transfer balance. */
export async function addFunds(
  sql: Sql,
  { merchant_id, livemode }: Omit<PayoutMerchant, 'key' | 'key_id'>,
  amount: number,
) {
  await depositToTransfer(sql, { merchant_id, livemode }, amount, createClock())
}

/** Has every event of the merchant sent to `url`. @param secret_key of the service, which seals the endpoint's secret */
export async function addEndpoint(
  sql: Sql,
  { merchant_id, livemode }: PayoutMerchant,
  { url, secret_key }: { url: string; secret_key: string },
): Promise<void> {
  const egress = createEgress({ allow: ['127.0.0.0/8'] })
  try {
    const deps = { sql, egress, secretKey: new Secret(secret_key), clock: createClock() }
    const endpoint = await createEndpoint(deps, { merchant_id, livemode }, { url, event_types: [], test: false })
    if (endpoint.kind === 'refused') throw new Error(`The endpoint was refused: ${endpoint.code}.`)
  } finally {
    await egress.close()
  }
}

/** A destination of a payout. The end of its number chooses what the simulator does; `0000` succeeds. */
export function beneficiary(msisdn: string) {
  return { msisdn, name: 'Awa Kone' }
}

/** The request that asks for a payout, with an idempotency key of its own unless it is given one. */
export function payout(
  { key }: PayoutMerchant,
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

/** What an answer says in one word: its status, and the code of a refusal. */
export function outcome(answer: Answer): string {
  if (answer.status < 300) return String(answer.status)
  const { error } = answer.json() as { error: { code: string } }
  return `${answer.status} ${error.code}`
}

/** How many answers say each. */
export function tally(answers: readonly Answer[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const answer of answers) counts[outcome(answer)] = (counts[outcome(answer)] ?? 0) + 1
  return counts
}

/** The `id` of an answer 2xx. */
export function idOf(answer: Answer): string {
  return (answer.json() as { id: string }).id
}
