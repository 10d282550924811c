import { viewAdjustment } from '../../adjustments/adjustment.ts'
import { directionWords } from '../../adjustments/adjustment-facts.ts'
import { decideAdjustment } from '../../adjustments/decide-adjustment.ts'
import { readAdjustment, readWaitingAdjustments } from '../../adjustments/store.ts'
import { panel, status } from '../../console/components.ts'
import { adjustment as legsOf } from '../../ledger/postings.ts'
import { html } from '../../platform/http/html.ts'
import { decisionScreens } from './decision-screens.ts'
import { legsTable } from './legs-table.ts'

/** Adjustments that wait for a second person, and the page on which that person decides. */
export const adjustmentScreens = decisionScreens(decideAdjustment, {
  path: '/adjustments',
  operations: { list: 'deskAdjustments', page: 'deskAdjustment' },
  summaries: {
    list: 'Read the adjustments that wait for a second person',
    page: 'Read an adjustment as the second person decides on it',
  },
  menu: { group: 'money', icon: 'in', words: ['Ajustements', 'Adjustments'], count: 'to_adjust' },
  list: ['Ajustements à confirmer', 'Adjustments to confirm'],
  back: ['Ajustements', 'Adjustments'],
  none: {
    title: ['Aucun ajustement n’attend', 'No adjustment waits'],
    text: [
      'Un ajustement se propose sur la page de son marchand, puis une autre personne le confirme ici.',
      'An adjustment is proposed on the page of its merchant, and another person confirms it here.',
    ],
  },
  otherRole: ['La finance décide.', 'Finance decides.'],
  title: ({ direction }, say) => say(directionWords[direction]),
  read: readAdjustment,
  readWaiting: readWaitingAdjustments,
  facts: {
    list: (rows) => ({ adjustments: rows.map(viewAdjustment) }),
    page: (row, merchant) => ({ adjustment: viewAdjustment(row), merchant }),
  },
  standing(row, say) {
    if (row.status === 'proposed') return status('wait', say(['Proposé, à confirmer', 'Proposed, to confirm']))
    if (row.status === 'lapsed') return status('off', say(['Éteint', 'Lapsed']))
    return row.status === 'approved'
      ? status('ok', say(['Écrit', 'Booked']))
      : status('off', say(['Refusé', 'Refused']))
  },
  load: async () => null,
  line: ({ say }, { direction }, _, { merchant }) => html`${merchant} · ${say(directionWords[direction])}`,
  beside({ say }, { status: state, direction, amount, counterpart }) {
    const legs = legsOf({ counterpart, amount: direction === 'credit' ? amount : -amount })
    const title = say(
      state === 'proposed' ? ['Ce qui va s’écrire', 'What will be written'] : ['L’écriture', 'The entry'],
    )
    return panel(title, legsTable(legs, say))
  },
})
