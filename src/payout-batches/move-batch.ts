import { tellPeople } from '../people/notices/notify.ts'
import { defineEffect, defineReaction, type Effect } from '../platform/commands/effects.ts'
import { defineTransition } from '../platform/commands/transitions.ts'
import { tenantOf } from '../values/caller.ts'
import { emitEvent } from '../webhooks/emit.ts'
import { type BatchRow, viewBatch } from './batch.ts'
import { transitions } from './states.ts'
import * as store from './store.ts'

/** The facts of a batch's move. Lines are counted anew at each; absent, there are none. */
export type Facts = { decided_by?: string; decline_reason?: string | null; open_lines?: number; bad_lines?: number }

type Told = { batch: store.LockedBatch; type: 'payout_batch.finished' }

/** Tells merchants of batches, with their lines as they now stand, and the people who made and executed them. */
const tell = defineReaction<Told>('batch', async (tx, told) => {
  const effects = told.map(async ({ batch, type }) => {
    const about = { ...tenantOf(batch), type, subject_id: batch.id }
    const data = viewBatch(batch, await store.readLines(tx, store.keyOf(batch)))
    return [emitEvent({ ...about, data }), ...tellAuthors(batch)]
  })
  return (await Promise.all(effects)).flat()
})

/** Of a batch that ended; none when only keys had to do with it. */
function tellAuthors({ status, id, made_by, executed_by, ...of }: store.LockedBatch): Effect[] {
  const to = [made_by, executed_by].flatMap((author) => (author === null || author.startsWith('key:') ? [] : [author]))
  const name = status === 'termine' ? 'batch_done' : 'batch_done_with_errors'
  return to.length === 0 ? [] : [tellPeople({ name, about: tenantOf(of), subject: id, to: [...new Set(to)] })]
}

/** Tells those who may approve a batch that it waits for one of them. */
export function tellOfWaiting(batch: BatchRow): Effect {
  return tellPeople({ name: 'batch_waits', about: tenantOf(batch), subject: batch.id, except: [batch.made_by] })
}

/** One move of a locked batch: `defineTransition` says how. */
export const transitionBatch = defineTransition({
  rank: 'batch',
  transitions,
  write: store.updateBatches,
  change: (batch: store.LockedBatch, { to, trigger }, facts: Facts, now) => {
    const { decided_by = batch.decided_by, decline_reason = null, open_lines = 0, bad_lines = 0 } = facts
    return {
      decided_by,
      decline_reason,
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
