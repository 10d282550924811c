import { type ActDecision, defineAct, isWithin, type RefusalWords, refuse } from '../acts/act.ts'
import { type Fact, type Field, text } from '../acts/facts.ts'
import { selectSettings } from '../merchants/store.ts'
import { approvalFacts } from '../payouts/approval-facts.ts'
import type { UsualCaps } from '../payouts/spending-limits.ts'
import { writeAmount } from '../platform/http/pages/write-values.ts'
import { onBatch } from './decide-batch.ts'
import { capExceeded, decideExecution, loadExecution } from './execute-batch.ts'
import { findBatch } from './store.ts'

export type ExecuteByPersonDeps = {
  readonly payoutCaps: UsualCaps
  /** The tick that lines of the same number and amount as others need. Null or absent: none. */
  readonly repeated?: string | null
  /** The answers of operators about failed payouts like these. Absent: nobody asked. */
  readonly operators_said?: object | undefined
}

/** The tick by which a person says that lines are to be paid again. Empty: not ticked. */
export const repeatedField: Field<string> = {
  ...text(['À payer encore une fois', 'To be paid again']),
  read: (typed) => typed,
  form: { label: ['À payer encore une fois', 'To be paid again'], kind: 'line', fault: ['', ''] },
  option: { must: 'names the repeated lines.', absent: '' },
}

const { amount, lines, merchant, reference, fee_amount, taken } = approvalFacts

/** The cap of 24 hours, in francs, above which the batch waits. */
export const waits_above: Fact<number> = {
  name: ['Attend l’accord d’une autre personne, au-dessus de', 'Waits for another person, above'],
  write: (cap) => [writeAmount(cap), writeAmount(cap)],
}

export const executeRefusals = {
  merchant_inactive: [
    'Votre compte est désactivé : il ne peut rien envoyer.',
    'Your account is deactivated: it can send nothing.',
  ],
  batch_pending_approval: [
    'Il est au-dessus du plafond de 24 h : il attend une approbation.',
    'It is above the cap of 24 h: it waits for approval.',
  ],
  batch_not_executable: [
    'Il est déjà lancé, ou annulé. Rien n’est parti deux fois.',
    'It is sent already, or cancelled. Nothing left twice.',
  ],
  repeated: [
    'Des lignes ont le même numéro et le même montant que d’autres. Regardez-les, puis cochez la case.',
    'Some lines have the same number and amount as others. Look at them, then tick the box.',
  ],
} as const satisfies Record<string, RefusalWords>

/**
 * Executes a draft for a person, as `executeBatch` for a key. A draft that no longer fits the cap waits for an approval instead. Refusals, in
 * order of precedence: those of `decideExecution`, and repeated lines without the person's tick.
 */
export const executeByPerson = defineAct({
  name: 'payout_batch.execute',
  summary: 'Send the lines of a batch',
  title: ['Lancer ce lot', 'Send this batch'],
  right: 'payouts.make',
  fresh: true,
  on: onBatch,
  fields: { repeated: repeatedField },
  async load(tx, { id, within, by }, { payoutCaps, repeated = null, operators_said = {} }: ExecuteByPersonDeps) {
    const about = await findBatch(tx, id)
    if (about === null || !isWithin(about, within)) return null
    const execution = (await loadExecution(tx, about, payoutCaps))!
    const { active } = (await selectSettings(tx, [about.merchant_id])).get(about.merchant_id)!
    const by_whom = { merchant_active: active, executed_by: by.person }
    // Read before the decision uses the spending up.
    return { about, execution, waits_above: capExceeded(execution), by_whom, repeated, operators_said }
  },
  facts: { amount, lines, merchant, reference, fee_amount, taken, waits_above },
  content({ execution: { batch, ready }, waits_above: cap, repeated, operators_said }) {
    const { total_amount: sum, line_count, reference: named } = batch
    const fees = ready?.lines.reduce((all, line) => all + line.fee_amount, 0) ?? 0
    const money = { amount: sum, lines: line_count, reference: named, fee_amount: fees, taken: sum + fees }
    // Signed, so that a batch is sent or waits as the person has read.
    return { ...money, waits_above: cap, repeated, operators_said }
  },
  decide({ values, id }, has, now): ActDecision<{ batch_id: string; status: string }, keyof typeof executeRefusals> {
    const { execution, by_whom, repeated } = has
    const { batch } = execution
    const decided = decideExecution(execution, by_whom, now)
    if (decided.kind === 'refused') return decided
    if (repeated !== null && values.repeated !== repeated) return refuse('repeated')
    const status = decided.kind === 'waits' ? 'en_attente_validation' : 'en_cours'
    return {
      kind: 'accepted',
      effects: decided.effects,
      result: { batch_id: id, status },
      before: { status: batch.status },
      after: { status, amount: batch.total_amount, line_count: batch.line_count },
    }
  },
  unknown: 'There is no such batch.',
  refusals: executeRefusals,
})
