import { operationList } from '../operations/operation-lists.ts'

/** The settlements of a merchant. Its page reads more of each row for its columns (`settlement-columns.ts`). */
export const settlementList = operationList('settlement', {
  name: 'settlements',
  right: 'settlements.read',
  title: ['Retraits', 'Withdrawals'],
  none: ['Aucun retrait ici', 'No withdrawal here'],
  columns: [],
})
