import { randomUUID } from 'node:crypto'
import type { Sql } from '../../src/platform/postgres/database.ts'
import type { Asked } from '../contract/ask.ts'
import { IBAN } from '../contract/book.ts'
import { type Installation, payment } from '../harness/installation.ts'
import { newMerchant } from '../harness/merchant.ts'
import { livemode, mode } from '../harness/mode.ts'
import { waitFor } from '../harness/wait-for.ts'

/** A merchant that is owed money, its keys, and the account it is paid to. */
export type SettlementMerchant = {
  merchant_id: number
  livemode: boolean
  key: string
  collect_key: string
  destination: string
}

/** @param available francs that a payer has paid, in one payment */
export async function newSettlementMerchant(
  installation: Installation,
  { available }: { available: number },
): Promise<SettlementMerchant> {
  const { sql } = installation.db
  const { merchant_id, newKey, key: collect_key } = await newMerchant(sql)
  const [row] = await sql<{ id: string }[]>`
    insert into beneficiaries (merchant_id, livemode, kind, name, iban, last4, designated_at)
    values (${merchant_id}, ${livemode}, 'settlement', 'Boutique', ${IBAN}, ${IBAN.slice(-4)}, clock_now() - interval '9 days')
    returning id`
  const { key } = await newKey(mode, 'payout')
  const merchant = { merchant_id, livemode, key, collect_key, destination: row!.id }
  if (available > 0) await collect(installation, merchant, available)
  return merchant
}

/** A payer pays so many francs, and they are credited. */
export async function collect(
  installation: Installation,
  merchant: Pick<SettlementMerchant, 'merchant_id' | 'collect_key'>,
  amount: number,
): Promise<void> {
  const { sql } = installation.db
  const before = await availableOf(sql, merchant)
  const answer = await installation.ask(payment(merchant.collect_key, { amount, simulate: 'succeed' }))
  if (answer.status !== 201) throw new Error(answer.text)
  await waitFor(async () => (await availableOf(sql, merchant)) === before + amount, {
    what: 'the payment to be credited',
  })
}

async function balanceOf(sql: Sql, merchant_id: number, account: string): Promise<number> {
  const [row] = await sql<{ balance: number }[]>`
    select balance
      from accounts
     where merchant_id = ${merchant_id} and livemode = ${livemode} and account = ${account}`
  return row!.balance
}

export const availableOf = (sql: Sql, { merchant_id }: { merchant_id: number }) =>
  balanceOf(sql, merchant_id, 'available')
export const inFlightOf = (sql: Sql, { merchant_id }: { merchant_id: number }) =>
  balanceOf(sql, merchant_id, 'settlements_in_flight')
export const bankOf = (sql: Sql, { merchant_id }: { merchant_id: number }) => balanceOf(sql, merchant_id, 'held:bank')

/** The request that asks for a settlement, with an idempotency key of its own unless it is given one. */
export function settlement(
  { key, destination }: SettlementMerchant,
  amount: number,
  idempotency_key: string = randomUUID(),
): Asked & { idempotency_key: string } {
  return { method: 'POST', path: '/v1-settlements', key, idempotency_key, body: { amount, beneficiary: destination } }
}
