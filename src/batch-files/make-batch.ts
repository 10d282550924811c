import { type ActCall, type ActDecision, defineAct, isWithin, type RefusalWords, refuse, row } from '../acts/act.ts'
import { type Fact, type Field, text } from '../acts/facts.ts'
import type { ActDeps } from '../acts/perform.ts'
import { selectSettings } from '../merchants/store.ts'
import type { OrderKey } from '../operators/reference.ts'
import { type BatchOrder, createBatchCommand, decideNewBatch, feesOf } from '../payout-batches/create-batch.ts'
import { executeRefusals, repeatedField } from '../payout-batches/execute-by-person.ts'
import { approvalFacts } from '../payouts/approval-facts.ts'
import type { UsualCaps } from '../payouts/spending-limits.ts'
import { defineEffect } from '../platform/commands/effects.ts'
import { sha256 } from '../platform/digest.ts'
import type { Tx } from '../platform/postgres/database.ts'
import { AMOUNT_MAX } from '../values/amount.ts'
import { type Tenant, tenantOf } from '../values/caller.ts'
import type { BatchDraft } from './batch-draft.ts'
import { judgeLine } from './judge-line.ts'
import { insertDraftedBatch, lockDraftOrBatch } from './store.ts'

const linkDraft = defineEffect<Parameters<typeof insertDraftedBatch>[1]>('event', (tx, rows) => {
  for (const row of rows) insertDraftedBatch(tx, row)
})

export type MakeBatchDeps = Pick<ActDeps, 'clock'> & {
  readonly payoutCaps: UsualCaps
  /** The key of the draft's orders (`createOrderKeys`), by the draft's id: a repeated draft is the same order to the operator. */
  readonly order_key: OrderKey
  /** The tick that lines of the same number and amount as others need. Null or absent: none. */
  readonly repeated?: string | null
}

type Lines = BatchOrder['lines']
type Typed = { readonly version: number; readonly repeated: string }

/** The lines of a draft as an order. Null: it has none, or one with a fault or an open question. */
function linesOf({ lines }: BatchDraft): Lines | null {
  const ordered = lines.flatMap((line) => judgeLine(line).order ?? [])
  return ordered.length === 0 || ordered.length < lines.length ? null : ordered
}

/** Reads the merchant, the caps and the book for the batch of a locked draft. Null: it is a batch already, or has faulty lines. */
async function loadBatch(tx: Tx, draft: BatchDraft, by: string, { payoutCaps, order_key }: MakeBatchDeps, now: Date) {
  const lines = draft.batch_id === null ? linesOf(draft) : null
  if (lines === null) return null
  const tenant: Tenant = tenantOf(draft)
  const merchant = (await selectSettings(tx, [tenant.merchant_id])).get(tenant.merchant_id)!
  const order: BatchOrder = { reference: draft.name, lines }
  const call = {
    caller: { ...tenant, merchant_active: merchant.active, maker: { person: by } },
    idempotency: { key: draft.id, fingerprint: sha256(`${draft.id} ${draft.version}`) },
    order,
    fee_amounts: feesOf(merchant, order, now),
    order_key,
  }
  const loaded = await createBatchCommand(payoutCaps).load(tx, [call])
  return { call, loaded, ...sumsOf(call), decide: (at: Date) => decideNewBatch(call, loaded, at) }
}

function sumsOf({ order, fee_amounts }: { order: BatchOrder; fee_amounts: readonly number[] }) {
  return { amount: sumOf(order.lines.map((line) => line.amount)), fee_amount: sumOf(fee_amounts) }
}

/** Locks the draft of an act, and reads what decides its batch. Null: no such draft in this place. */
export async function loadDraft(
  tx: Tx,
  { id, within, by }: Pick<ActCall<typeof onDraft>, 'id' | 'within' | 'by'>,
  deps: MakeBatchDeps,
) {
  const { merchant_id, livemode } = within
  if (merchant_id === undefined || livemode === undefined) return null
  const draft = await lockDraftOrBatch(tx, { merchant_id, livemode, draft_id: id })
  if (draft === null || !isWithin(draft, within)) return null
  const batch = await loadBatch(tx, draft, by.person, deps, deps.clock.now())
  return { about: tenantOf(draft), draft, batch, repeated: deps.repeated ?? null }
}

type Has = NonNullable<Awaited<ReturnType<typeof loadDraft>>>

/** The values of a draft's batch that a person signs. Amounts are in francs. */
export function draftContent({ draft, batch, repeated }: Has) {
  const { amount = 0, fee_amount = 0 } = batch ?? {}
  const lines = batch?.call.order.lines.length ?? 0
  return { amount, fee_amount, lines, reference: draft.name, file_sha256: draft.file_sha256, repeated }
}

/** Decides the batch of a draft, with the effect that ties the two together. Refusals as for `makeBatch`. */
export function decideDraft({ values }: { values: Typed }, { draft, batch, repeated }: Has, now: Date) {
  if (draft.batch_id !== null) return { kind: 'unchanged', batch_id: draft.batch_id } as const
  if (values.version !== draft.version) return refuse('changed')
  if (batch === null) return refuse('faulty_lines')
  if (batch.amount > AMOUNT_MAX) return refuse('total_too_large')
  const made = batch.decide(now)
  if (made.kind === 'refused') return refuse(made.code === 'merchant_inactive' ? made.code : 'faulty_lines')
  if (repeated !== null && values.repeated !== repeated) return refuse('repeated')
  const { id: batch_id } = made.batch
  const link = linkDraft({ ...tenantOf(draft), draft_id: draft.id, version: draft.version, batch_id })
  return { ...made, effects: [...made.effects, link] }
}

export const onDraft = row('pbd', 'draft')

export const file_sha256: Fact<string> = text(['Empreinte du fichier', 'Hash of the file'])
const { amount, lines, merchant, reference, fee_amount } = approvalFacts

export const versionField: Field<number> = {
  name: ['Version', 'Version'],
  write: (version) => [String(version), String(version)],
  read: (typed) => Number(/^\d{1,9}$/.exec(typed)?.[0] ?? 0),
  form: { label: ['Version', 'Version'], kind: 'line', fault: ['', ''] },
  option: { must: 'is the version of the draft.' },
}

export const draftRefusals = {
  changed: [
    'Quelqu’un a changé le brouillon entre-temps. Relisez-le.',
    'Somebody changed the draft meanwhile. Read it again.',
  ],
  faulty_lines: [
    'Des lignes sont encore à corriger ou à confirmer.',
    'Some lines still have to be corrected or confirmed.',
  ],
  total_too_large: [
    'La somme des lignes est trop grande : faites-en plusieurs lots.',
    'The total is too large: split the lines into several batches.',
  ],
  merchant_inactive: executeRefusals.merchant_inactive,
  repeated: executeRefusals.repeated,
} as const satisfies Record<string, RefusalWords>

/**
 * Makes the batch of a draft as `POST /v1-payout-batches` does, with a person as its maker. Nothing is sent. One draft makes one batch: the
 * draft is locked, and the database accepts one batch for it. Refusals, in order of precedence: another version than the person saw, faulty
 * lines, a total above the largest amount, an inactive merchant, repeated lines without the person's tick. An entry that was archived since is
 * a faulty line.
 */
export const makeBatch = defineAct({
  name: 'payout_batch.create',
  summary: 'Make the batch of a draft; nothing is sent',
  title: ['Créer ce lot', 'Make this batch'],
  right: 'payouts.make',
  fresh: true,
  on: onDraft,
  fields: { version: versionField, repeated: repeatedField },
  load: (tx, call, deps: MakeBatchDeps) => loadDraft(tx, call, deps),
  facts: { amount, lines, merchant, reference, fee_amount, file_sha256 },
  content: draftContent,
  decide(call, has, now): ActDecision<{ batch_id: string }, keyof typeof draftRefusals> {
    const made = decideDraft(call, has, now)
    if (made.kind === 'unchanged') return { kind: 'unchanged', result: { batch_id: made.batch_id } }
    if (made.kind === 'refused') return made
    const { id: batch_id, status, total_amount, line_count } = made.batch
    return {
      kind: 'accepted',
      effects: made.effects,
      result: { batch_id },
      subject: batch_id,
      after: { status, amount: total_amount, line_count },
    }
  },
  refusals: draftRefusals,
})

function sumOf(amounts: readonly number[]): number {
  return amounts.reduce((sum, one) => sum + one, 0)
}
