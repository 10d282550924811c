import type { CreateBatch } from '../payout-batches/create-batch.ts'
import { defineEffect } from '../platform/commands/effects.ts'
import { sha256 } from '../platform/digest.ts'
import { violatedConstraint } from '../platform/postgres/failures.ts'
import type { Actor } from '../values/actor.ts'
import { type Tenant, tenantOf } from '../values/caller.ts'
import type { BatchDraft } from './batch-draft.ts'
import { judgeLine } from './judge-line.ts'
import { insertDraftedBatch } from './store.ts'

const linkDraft = defineEffect<Parameters<typeof insertDraftedBatch>[1]>('event', (tx, rows) => {
  for (const row of rows) insertDraftedBatch(tx, row)
})

export type MakeBatchResult =
  | { kind: 'made'; batch_id: string }
  | { kind: 'refused'; code: 'faulty_lines' | 'merchant_inactive' | 'under_way' | 'changed' }
  /** A line names an entry that is archived or not in the book. The message says which line. */
  | { kind: 'refused'; code: 'invalid_beneficiary'; message: string }

/**
 * Creates the batch of a draft by the operation of `POST /v1-payout-batches`, with a person as its maker. Nothing is sent. One draft makes
 * one batch, also when the call is repeated: the id of the draft is the idempotency key, and the database accepts one batch for it, of the
 * version of the draft that was read.
 */
export async function makeBatch(
  createBatch: CreateBatch,
  draft: BatchDraft,
  { actor, merchant_active }: { actor: Actor; merchant_active: boolean },
): Promise<MakeBatchResult> {
  const lines = draft.lines.map((line) => judgeLine(line).order)
  if (lines.length === 0 || !lines.every((line) => line !== null)) return { kind: 'refused', code: 'faulty_lines' }
  const tenant: Tenant = tenantOf(draft)
  const result = await createBatch(
    {
      caller: { ...tenant, merchant_active, maker: actor },
      idempotency: { key: draft.id, fingerprint: sha256(`${draft.id} ${draft.version}`) },
    },
    { reference: draft.name, lines },
    (batch_id) => [linkDraft({ ...tenant, draft_id: draft.id, version: draft.version, batch_id })],
  ).catch((error: unknown) => {
    // Another person corrected or deleted the draft between the read and the commit.
    if (violatedConstraint(error) === 'drafted_batches_draft') return null
    throw error
  })
  if (result === null) return { kind: 'refused', code: 'changed' }
  if (result.kind !== 'refused') return { kind: 'made', batch_id: (JSON.parse(result.text) as { id: string }).id }
  const { code } = result
  if (code === 'invalid_beneficiary') return { kind: 'refused', code, message: result.message ?? '' }
  return { kind: 'refused', code: code === 'merchant_inactive' ? code : 'under_way' }
}
