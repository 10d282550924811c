import { refuse } from '../acts/act.ts'
import { defineDecision } from '../acts/decision.ts'
import { defineLapse } from '../acts/lapse-proposals.ts'
import { lockAccounts } from '../ledger/post.ts'
import { tenantOf } from '../values/caller.ts'
import { type AdjustmentRow, viewAdjustment } from './adjustment.ts'
import { adjustmentFacts } from './adjustment-facts.ts'
import { bookAdjustment } from './book-adjustment.ts'
import { lockAdjustment, writeDecision } from './store.ts'

/** A second person books an adjustment, or refuses it. A debit above the available balance keeps waiting until it is covered. */
export const decideAdjustment = defineDecision({
  names: { approve: 'adjustment.approve', refuse: 'adjustment.refuse' },
  id: 'adj',
  noun: 'adjustment',
  summaries: {
    approve: 'Approve and book an adjustment; needs a person other than the proposer',
    refuse: 'Refuse an adjustment; nothing is booked',
  },
  title: ['Écrire un ajustement', 'Book an adjustment'],
  right: 'adjustments.manage',
  lock: lockAdjustment,
  async load(tx, row: AdjustmentRow) {
    const available = { ...tenantOf(row), account: 'available' }
    const accounts = await lockAccounts(tx, [available, { ...available, account: row.counterpart }])
    return { balance: accounts.get(available)!.balance }
  },
  facts: adjustmentFacts,
  content(row) {
    const { amount, direction, reason, proposed_by: requested_by } = row
    const { against } = viewAdjustment(row)
    return { amount, direction, against, reason, requested_by }
  },
  decided: writeDecision,
  approve(row, { balance }) {
    const { direction, amount, counterpart } = row
    if (direction === 'debit' && balance < amount) return refuse('insufficient_funds')
    return { effects: [bookAdjustment(row)], after: { status: 'approved', direction, amount, counterpart } }
  },
  refused: ({ direction, amount, counterpart }) => ({ direction, amount, counterpart }),
  refusals: {
    insufficient_funds: {
      words: [
        'Le solde disponible du marchand ne le couvre pas encore. Il attend.',
        'The merchant’s available balance does not cover it yet. It waits.',
      ],
      command: 'The available balance does not cover the adjustment yet. It keeps waiting.',
    },
  },
})

/** How an adjustment lapses that nobody decided. Nothing is booked. */
export const lapsingAdjustments = defineLapse<AdjustmentRow>({
  table: 'adjustments',
  proposedAs: () => 'adjustment.propose',
  lock: lockAdjustment,
  write: writeDecision,
})
