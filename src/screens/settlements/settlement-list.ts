import { operationList } from '../operations/operation-lists.ts'

/** The settlements of a merchant. Its page reads more of each row for its columns (`settlement-columns.ts`). */
export const settlementList = operationList('settlement', {
  name: 'settlements',
  right: 'settlements.read',
  title: ['Reversements', 'Settlements'],
  none: ['Aucun reversement ici', 'No settlement here'],
  columns: [],
})
