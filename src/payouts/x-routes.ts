import { defineRoute } from '../platform/http/route.ts'
import type { CancelPayout } from './cancel-payout.ts'
import { Payout } from './payout.ts'

/** An addition of ours: ends a payout that waits to be sent. */
export const postPayoutCancel = defineRoute({
  auth: 'api',
  method: 'POST',
  path: '/x/payouts/:payout_id/cancel',
  operation: 'cancelPayout',
  summary: 'Cancel a payout that was not sent yet',
  description:
    'Ends a payout that is `created`: it is never sent, and its money is back in your transfer balance. It becomes `failed` with the ' +
    '`failure_code` `cancelled`, and you are told `payout.failed`. A payout that was sent cannot be called back: the answer is 409.',
  tags: ['Extensions'],
  scope: 'payout',
  params: { payout_id: 'txn' },
  paramDescriptions: { payout_id: 'The `id` of a payout, with prefix `txn_`, as `POST /v1-payouts` answers it.' },
  replies: { 200: Payout },
  errors: {
    404: ['resource_not_found'],
    409: ['payout_not_cancellable'],
    422: ['invalid_id'],
    500: ['payout_failed'],
  },
  fault: 'payout_failed',
  concurrency: 'batched',
  async handle({ caller, params, isWanted, reply, refuse }, deps: { cancelPayout: CancelPayout }) {
    const { merchant_id, livemode } = caller
    const call = { merchant_id, livemode, payout_id: params.payout_id }
    const result = await deps.cancelPayout(call, isWanted)
    if (result.kind !== 'refused') return reply.stored(result.status, result.text)
    const { code } = result
    if (code !== 'resource_not_found' && code !== 'payout_not_cancellable')
      throw new Error(`No key was claimed: ${code}.`)
    return refuse(code)
  },
})
