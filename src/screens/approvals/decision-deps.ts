import type { ActScreenDeps } from '../../console/acts/act-screen.ts'
import type { RefusedOrder } from '../../operators/doubts/ask-refused.ts'
import type { CheckBatch } from '../../payout-batches/check-batch.ts'
import { keyOf, readLines } from '../../payout-batches/store.ts'
import type { CheckDestination } from '../../payouts/check-recipient.ts'
import type { AskFirstDeps } from '../ask-first.ts'
import type { ReadDeps } from './read-request.ts'
import type { Approval } from './waiting.ts'

export type ApprovalDeps = ReadDeps &
  AskFirstDeps & {
    readonly checkDestination: CheckDestination
    readonly checkBatch: CheckBatch
  }

/** The dependencies of a decision, with the answers of operators about failed payouts like those to approve. */
export type ApprovingDeps = ApprovalDeps &
  ActScreenDeps & { readonly operators_said?: object | undefined; readonly asked?: readonly RefusedOrder[] }

/** The sends that a decision concerns: of a request, or of all lines of a batch. */
export async function sendsOf({ sql }: ReadDeps, { kind, row }: Approval) {
  return kind === 'request' ? [row] : await readLines(sql, keyOf(row))
}
