import { defineAct, merchant, refuse } from '../acts/act.ts'
import type { Clock } from '../platform/clock.ts'
import { newId } from '../values/ids.ts'
import { type AdjustmentRow, againstOf, viewAdjustment } from './adjustment.ts'
import { adjustmentFacts, adjustmentFields } from './adjustment-facts.ts'
import { findCounterpart } from './counterpart.ts'
import { addAdjustment } from './store.ts'

/** Proposes a correction of a merchant's balance. Another person decides, and nothing is booked until then. */
export const proposeAdjustment = defineAct({
  name: 'adjustment.propose',
  summary: "Propose a correction of a merchant's available balance: more (credit) or less (debit)",
  title: ['Proposer un ajustement', 'Propose an adjustment'],
  right: 'adjustments.manage',
  fresh: true,
  on: merchant,
  fields: adjustmentFields,
  load: async (tx, { tenant, values: { against } }, { clock }: { clock: Clock }) => ({
    about: tenant,
    id: newId('adj', clock.milliseconds()),
    counterpart: await findCounterpart(tx, tenant, against, clock.now()),
  }),
  facts: adjustmentFacts,
  content: ({ counterpart }, { against, ...values }) => ({
    ...values,
    against: counterpart === null ? against : againstOf(counterpart),
    requested_by: null,
  }),
  note: () => ['Une deuxième personne décide.', 'A second person decides.'],
  decide({ by, tenant, values }, { id, counterpart }, now) {
    if (by.person.startsWith('key:')) return refuse('not_a_person')
    if (counterpart === null) return refuse('no_such_account')
    const { direction, amount, reason } = values
    const adjustment: AdjustmentRow = {
      ...tenant,
      ...{ id, direction, amount, counterpart, reason, anomaly_id: null, status: 'proposed' },
      ...{ proposed_by: by.person, proposed_at: now, decided_by: null, decided_at: null },
    }
    return {
      kind: 'accepted',
      effects: [addAdjustment(adjustment)],
      result: adjustment,
      subject: id,
      after: { direction, amount, counterpart },
    }
  },
  refusals: {
    not_a_person: {
      words: ['Une clé ne propose pas.', 'An API key cannot propose.'],
      command: 'An API key cannot propose. Name a person with --as.',
    },
    no_such_account: {
      at: 'against',
      mistyped: true,
      words: ['Ce mode n’a pas ce compte.', 'This mode has no such account.'],
      command:
        'This mode has no account {against}. bandama external-account list shows them; an operator needs a route.',
    },
  },
})

/** The answer of the commands about an adjustment. */
export const adjustmentAnswer = (row: AdjustmentRow) => ({ adjustment_id: row.id, ...viewAdjustment(row) })
