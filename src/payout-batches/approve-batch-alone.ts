import { isWithin } from '../acts/act.ts'
import { defineSolo } from '../payouts/alone/solo-acts.ts'
import { type ApprovalDeps, approvalFacts } from '../payouts/approval-facts.ts'
import { tenantOf } from '../values/caller.ts'
import { batchContent, batchWaits, onBatch } from './decide-batch.ts'
import * as store from './store.ts'

/** The only person of a merchant approves a batch of their own above the cap, a day ahead, or stops that. */
export const soloBatch = defineSolo({
  noun: 'payout_batch',
  right: 'payouts.approve',
  on: onBatch,
  title: ['Confirmer l’approbation', 'Confirm the approval'],
  async find(tx, { id, within }) {
    const found = await store.findBatch(tx, id)
    return found !== null && isWithin(found, within) ? found : null
  },
  waits: batchWaits,
  async read(tx, key, { operators_said = {} }: ApprovalDeps) {
    const about = { ...tenantOf(key), batch_id: key.subject_id }
    const [batch] = await store.lockBatches(tx, [about])
    return { batch: batch!, fee_amount: await store.readFees(tx, about), operators_said }
  },
  facts: approvalFacts,
  content: batchContent,
})
