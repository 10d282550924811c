import { findFilling } from '../../ledger/store.ts'
import { defineEffect } from '../../platform/commands/effects.ts'
import type { Tx } from '../../platform/postgres/database.ts'
import { addChangedDays } from '../../statement-files/import/changed-days.ts'
import { type LineRow, markBooked } from '../../statement-files/import/line-store.ts'
import type { DifferenceRow } from './difference.ts'
import type { Resolution } from './resolutions.ts'
import { readDifference } from './store.ts'

/** Reads a difference and locks it until the transaction ends. Null: there is none. */
export async function lockDifference(tx: Tx, id: string): Promise<DifferenceRow | null> {
  await tx`select id from differences where id = ${id} for no key update`
  return readDifference(tx, id)
}

type Assigned = { readonly livemode: boolean; readonly resolution: Resolution; readonly merchant: number | null }

/** Whether the merchant that would get the money of a line has a deposit under the line's reference already. */
export async function isDeposited(
  tx: Tx,
  { livemode, resolution, merchant }: Assigned,
  line: LineRow | null,
): Promise<boolean> {
  const reference = line?.reference ?? null
  if (resolution !== 'assign' || merchant === null || reference === null) return false
  const deposit = { merchant_id: merchant, livemode, operation: 'deposit', reference } as const
  return (await findFilling(tx, deposit)) !== null
}

type Marked = { readonly id: string; readonly proposal_id: string }

/** Gives locked differences that may be decided to the proposal that waits about them. */
export const markProposed = defineEffect<Marked>('difference', (tx, rows) => {
  for (const { id, proposal_id } of rows)
    tx.send(tx`
      update differences
         set status = 'proposed', proposal_id = ${proposal_id}
       where id = ${id} and status in ('open', 'waiting')`)
})

/** Opens differences again whose proposal was refused or taken back. Their days are compared again: lines may explain them by now. */
export const reopen = defineEffect<Marked & Pick<DifferenceRow, 'livemode' | 'account' | 'day'>>(
  'difference',
  async (tx, rows) => {
    for (const { id, proposal_id } of rows)
      tx.send(tx`
        update differences
           set status = 'open', proposal_id = null
         where id = ${id} and status = 'proposed' and proposal_id = ${proposal_id}`)
    await addChangedDays(
      tx,
      rows.map(({ livemode, account, day }) => ({ livemode, account, day })),
    )
  },
)

/** Closes locked differences as two people decided. The database refuses it without their approval, and a second time. */
export const closeDecidedByTwo = defineEffect<{ readonly id: string; readonly resolution: Resolution }>(
  'difference',
  (tx, rows) => {
    for (const { id, resolution } of rows)
      tx.send(tx`
        update differences
           set status = 'closed', closed_at = clock_now(), resolution = ${resolution}
         where id = ${id} and status = 'proposed'`)
  },
)

/** Keeps the lines whose money two people booked as they saw them. */
export const keepLine = defineEffect<{ readonly id: string; readonly month: string }>('difference', (tx, lines) => {
  markBooked(tx, lines)
})
