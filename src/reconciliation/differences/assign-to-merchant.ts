import { post } from '../../ledger/post.ts'
import { lineAssigned } from '../../ledger/postings.ts'
import { isBooked } from '../../ledger/store.ts'
import { defineEffect } from '../../platform/commands/effects.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { defineJob, enqueue } from '../../platform/queue/jobs.ts'
import { lockDifference } from './decision-store.ts'

/** The merchant's half of a decision: its balance gets the francs of the line, which its share of the external account holds. */
export type MerchantsHalf = {
  readonly difference_id: string
  readonly livemode: boolean
  readonly account: string
  readonly merchant_id: number
  readonly balance: 'available' | 'transfer'
  readonly amount: number
}

export const assignLineJob = defineJob<MerchantsHalf>('assign-line', 'money')

/** Has the merchant's half booked, in the transaction that books the house's. */
export const assignToMerchant = defineEffect<MerchantsHalf>('job', (tx, halves) => {
  enqueue(
    tx,
    assignLineJob,
    halves.map((payload) => ({ payload, owner: String(payload.merchant_id) })),
  )
})

/** Books the merchant's half once: a repeated job finds it, and two at once take turns by the difference. */
export async function assignLine(sql: Sql, half: MerchantsHalf): Promise<void> {
  const { difference_id: subject_id, livemode, account, merchant_id, balance, amount: gross } = half
  const transaction = { merchant_id, livemode, subject_id, operation: 'line_assigned' as const }
  await sql.begin(async (tx) => {
    await lockDifference(tx, subject_id)
    if (await isBooked(tx, transaction)) return
    await post(tx, [{ ...transaction, legs: lineAssigned({ account, gross, balance }) }])
  })
}
