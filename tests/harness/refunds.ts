import type { Clock } from '../../src/platform/clock.ts'
import type { Sql } from '../../src/platform/postgres/database.ts'
import { type Closing, giveUpRefund, recordPaidRefund } from '../../src/refunds/close-refund.ts'
import { perform } from './perform.ts'

/** Closes a refund by hand. */
export async function closeRefund(deps: { sql: Sql; clock: Clock }, id: string, closing: Closing) {
  const outcome =
    closing.kind === 'paid'
      ? await perform(recordPaidRefund, deps, { id, values: { reference: closing.hand_reference } }, closing.closed_by)
      : await perform(giveUpRefund, deps, { id, values: { reason: closing.reason } }, closing.closed_by)
  return outcome.kind === 'done' ? ({ kind: 'closed', refund: outcome.result } as const) : outcome
}
export type CloseRefundResult = Awaited<ReturnType<typeof closeRefund>>
