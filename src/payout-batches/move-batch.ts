import { defineEffect, defineReaction } from '../platform/commands/effects.ts'
import { defineTransition } from '../platform/commands/transitions.ts'
import { tenantOf } from '../values/caller.ts'
import { emitEvent } from '../webhooks/emit.ts'
import { viewBatch } from './batch.ts'
import { transitions } from './states.ts'
import * as store from './store.ts'

/** The facts of a batch's move. Lines are counted anew at each; absent, there are none. */
export type Facts = { decided_by?: string; open_lines?: number; bad_lines?: number }

type Told = { batch: store.LockedBatch; type: 'payout_batch.finished' }

/** Tells merchants of batches, with their lines as they now stand. */
const tell = defineReaction<Told>('batch', (tx, told) =>
  Promise.all(
    told.map(async ({ batch, type }) => {
      const about = { ...tenantOf(batch), type, subject_id: batch.id }
      return emitEvent({ ...about, data: viewBatch(batch, await store.readLines(tx, store.keyOf(batch))) })
    }),
  ),
)

/** One move of a locked batch: `defineTransition` says how. */
export const transitionBatch = defineTransition({
  rank: 'batch',
  transitions,
  write: store.updateBatches,
  change: (batch: store.LockedBatch, { to, trigger }, facts: Facts, now) => {
    const { decided_by = batch.decided_by, open_lines = 0, bad_lines = 0 } = facts
    return {
      decided_by,
      open_lines,
      bad_lines,
      approved_at: trigger === 'approved' ? now : batch.approved_at,
      executed_at: to === 'en_cours' ? now : batch.executed_at,
      finished_at: to === 'termine' || to === 'termine_avec_erreurs' ? now : null,
    }
  },
  tell: (batch, type) => tell({ batch, type }),
})

/** Writes the counts of a locked batch that stays where it is. */
export const countLines = defineEffect('batch', store.updateBatches)
