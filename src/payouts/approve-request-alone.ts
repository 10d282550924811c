import type { ActDeps } from '../acts/perform.ts'
import { feesAt } from '../merchants/fees.ts'
import { selectSettings } from '../merchants/store.ts'
import { tenantOf } from '../values/caller.ts'
import { requestWaits } from './alone/approve-alone.ts'
import { defineSolo } from './alone/solo-acts.ts'
import { type ApprovalDeps, approvalFacts } from './approval-facts.ts'
import { findRequest, onRequest, requestContent } from './decide-request.ts'
import * as requestStore from './request-store.ts'

/** The only person of a merchant approves a payout request of their own key, a day ahead, or stops that. */
export const soloRequest = defineSolo({
  noun: 'payout_request',
  right: 'payouts.approve',
  on: onRequest,
  title: ['Confirmer l’approbation', 'Confirm the approval'],
  find: findRequest,
  waits: requestWaits,
  async read(tx, key, { operators_said = {}, clock }: ApprovalDeps & ActDeps) {
    const request = (await requestStore.lockRequest(tx, { ...tenantOf(key), request_id: key.subject_id }))!
    const merchant = (await selectSettings(tx, [key.merchant_id])).get(key.merchant_id)!
    return { request, operators_said, ...feesAt(merchant, 'payout', request.amount, clock.now()) }
  },
  facts: approvalFacts,
  content: ({ request, fee_amount, operators_said }) => ({
    ...requestContent(request),
    ...{ fee_amount, taken: request.amount + fee_amount, operators_said },
  }),
})
