import { performAct } from '../../src/acts/perform.ts'
import type { Clock } from '../../src/platform/clock.ts'
import type { Sql } from '../../src/platform/postgres/database.ts'
import { type Closing, giveUpRefund, recordPaidRefund } from '../../src/refunds/close-refund.ts'

/** Closes a refund by hand, as a command on the host does. */
export async function closeRefund(deps: { sql: Sql; clock: Clock }, id: string, closing: Closing) {
  const call = { by: closing.closed_by, within: {}, id }
  const outcome =
    closing.kind === 'paid'
      ? await performAct(recordPaidRefund, deps, { ...call, values: { reference: closing.hand_reference } }, null)
      : await performAct(giveUpRefund, deps, { ...call, values: { reason: closing.reason } }, null)
  return outcome.kind === 'done' ? ({ kind: 'closed', refund: outcome.result } as const) : outcome
}
export type CloseRefundResult = Awaited<ReturnType<typeof closeRefund>>
