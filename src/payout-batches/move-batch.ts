import { tellPeople } from '../people/notices/notify.ts'
import { defineEffect, defineReaction, type Effect } from '../platform/commands/effects.ts'
import { defineTransition } from '../platform/commands/transitions.ts'
import { tenantOf } from '../values/caller.ts'
import { emitEvent } from '../webhooks/emit.ts'
import { type BatchRow, viewBatch } from './batch.ts'
import { transitions } from './states.ts'
import * as store from './store.ts'

/** The facts of a batch's move. Each move sets the counts of lines; absent: 0. */
export type Facts = { decided_by?: string; decline_reason?: string | null; open_lines?: number; bad_lines?: number }

type Told = { batch: store.LockedBatch; type: 'payout_batch.finished' }

/** Notifies merchants of batches, with the current lines, and the people who made and executed them. */
const tell = defineReaction<Told>('batch', async (tx, told) => {
  const effects = told.map(async ({ batch, type }) => {
    const about = { ...tenantOf(batch), type, subject_id: batch.id }
    const data = viewBatch(batch, await store.readLines(tx, store.keyOf(batch)))
    const { lines, ...rest } = data
    return [emitEvent({ ...about, data, short_data: { ...rest, lines_omitted: true } }), ...tellAuthors(batch)]
  })
  return (await Promise.all(effects)).flat()
})

/** Notices of a batch that ended, for the people who made or executed it. None for API keys. */
function tellAuthors({ status, id, made_by, executed_by, ...of }: store.LockedBatch): Effect[] {
  const to = [made_by, executed_by].flatMap((author) => (author === null || author.startsWith('key:') ? [] : [author]))
  const name = status === 'termine' ? 'batch_done' : 'batch_done_with_errors'
  return to.length === 0 ? [] : [tellPeople({ name, about: tenantOf(of), subject: id, to: [...new Set(to)] })]
}

/** Notifies the people who may approve a batch that it waits for an approval. */
export function tellOfWaiting(batch: BatchRow): Effect {
  return tellPeople({ name: 'batch_waits', about: tenantOf(batch), subject: batch.id, except: [batch.made_by] })
}

/** Notifies the maker of a batch, who executes it, that it is approved. Nobody for an API key. */
export function tellOfApproval({ id, made_by, ...of }: BatchRow): Effect[] {
  if (made_by.startsWith('key:')) return []
  return [tellPeople({ name: 'batch_approved', about: tenantOf(of), subject: id, to: [made_by] })]
}

/** Moves a locked batch, as `defineTransition` describes. */
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

/** Writes the counts of a locked batch that keeps its state. */
export const countLines = defineEffect('batch', store.updateBatches)
