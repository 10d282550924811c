import { type ActDecision, defineAct } from '../acts/act.ts'
import { readBook } from '../beneficiaries/payout-book.ts'
import { sendDraft } from '../payout-batches/execute-batch.ts'
import { repeatedField, waits_above } from '../payout-batches/execute-by-person.ts'
import { approvalFacts } from '../payouts/approval-facts.ts'
import { tenantKey } from '../values/caller.ts'
import {
  decideDraft,
  draftContent,
  draftRefusals,
  file_sha256,
  loadDraft,
  type MakeBatchDeps,
  onDraft,
  versionField,
} from './make-batch.ts'

export type MakeAndSendDeps = MakeBatchDeps & {
  /** The answers of operators about failed payouts like these. Absent: nobody asked. */
  readonly operators_said?: object | undefined
}

/** `status`: null when the draft was a batch already, so that nothing was done. */
export type MadeAndSent = { readonly batch_id: string; readonly status: string | null }

const { amount, lines, merchant, reference, fee_amount, taken } = approvalFacts

/**
 * Makes the batch of a draft and sends its lines, in one transaction, as `makeBatch` and then `executeByPerson` do. Above the cap of 24 hours
 * the batch is made and waits for an approval instead; the person signs which of the two happens. One draft makes one batch, so a repeated act
 * sends nothing. Refusals as for `makeBatch`. A line that the transfer balance does not cover fails alone.
 */
export const makeAndSendBatch = defineAct({
  name: 'payout_batch.create_and_execute',
  summary: 'Make the batch of a draft and send its lines',
  title: ['Créer et envoyer', 'Create and send'],
  right: 'payouts.make',
  fresh: true,
  on: onDraft,
  fields: { version: versionField, repeated: repeatedField },
  async load(tx, call, deps: MakeAndSendDeps) {
    const has = await loadDraft(tx, call, deps)
    if (has === null) return null
    const operators_said = deps.operators_said ?? {}
    if (has.batch === null) return { ...has, spending: null, book: null, waits_above: null, operators_said }
    const { order } = has.batch.call
    const spending = has.batch.loaded.spending.get(tenantKey(has.about))!
    const book = await readBook(
      tx,
      order.lines.map(({ destination }) => ({ ...has.about, ...destination })),
    )
    // Computed before the decision uses the spending up.
    const { day } = spending.caps
    const above = spending.used + has.batch.amount > day ? day : null
    return { ...has, spending, book, waits_above: above, operators_said }
  },
  facts: { amount, lines, merchant, reference, fee_amount, taken, waits_above, file_sha256 },
  content(has) {
    const content = draftContent(has)
    const sum = content.amount + content.fee_amount
    return { ...content, taken: sum, waits_above: has.waits_above, operators_said: has.operators_said }
  },
  decide(call, has, now): ActDecision<MadeAndSent, keyof typeof draftRefusals> {
    const made = decideDraft(call, has, now)
    if (made.kind === 'unchanged') return { kind: 'unchanged', result: { batch_id: made.batch_id, status: null } }
    if (made.kind === 'refused') return made
    const { batch } = made
    const { id: batch_id, total_amount, line_count } = batch
    const ready = { lines: made.lines, spending: has.spending!, book: has.book!, numbers: has.batch!.loaded.numbers }
    // Its usage was recorded by the creation, under the same lock.
    const sent = batch.status === 'brouillon' ? sendDraft(batch, ready, call.by.person, now) : []
    const status = batch.status === 'brouillon' ? 'en_cours' : batch.status
    return {
      kind: 'accepted',
      effects: [...made.effects, ...sent],
      result: { batch_id, status },
      subject: batch_id,
      after: { status, amount: total_amount, line_count },
    }
  },
  refusals: draftRefusals,
})
