import type { Operations } from '../operations.ts'
import type { Operation } from '../state.ts'
import { detailOf } from './data.ts'
import { type NumberOutcome, outcomeOfRefund } from './sandbox-numbers.ts'

const NOT_HELD = 'How a refund of an unknown or unpaid request, or of more than was paid, is answered.'
const PART = 'Whether a part of what was collected can be given back.'

/** A refund that cannot be carried out is taken, and fails. */
const cannot: NumberOutcome = {
  outcome: { outcome: 'fail', reason: 'COULD_NOT_PERFORM_TRANSACTION', after_seconds: 0 },
  unverified: NOT_HELD,
}

/** The request to pay that a refund is about, and what becomes of the refund where that is certain already. */
export function refundTerms(
  operations: Pick<Operations, 'find' | 'all'>,
  refers_to: string,
  amount: number,
): { payment: Operation | null; number: NumberOutcome | null; unverified?: string } {
  const listed = outcomeOfRefund(refers_to)
  if (listed !== null) return { payment: null, number: listed }
  const payment = operations.find({ api: 'mtn', kind: 'requesttopay', reference: refers_to })
  if (payment === null || payment.state !== 'succeeded') return { payment, number: cannot }
  const given = operations
    .all()
    .filter((one) => one.api === 'mtn' && one.kind === 'refund' && one.state !== 'failed')
    .filter((one) => detailOf(one).refers_to === refers_to)
    .reduce((sum, one) => sum + one.amount, 0)
  if (given + amount > payment.amount) return { payment, number: cannot }
  return { payment, number: null, ...(amount < payment.amount ? { unverified: PART } : {}) }
}
