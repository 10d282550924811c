import type { Words } from '../../values/language.ts'
import type { DifferenceKind } from './difference.ts'

/** The name of each kind of difference, as people read it. */
export const kindWords: Readonly<Record<DifferenceKind, Words>> = {
  missing_here: ['Ligne sans opération chez nous', 'Line without an operation of ours'],
  order_open: ['Opération pas encore finie', 'Operation not ended yet'],
  state_differs: ['Finie autrement chez eux', 'Ended otherwise there'],
  amount_differs: ['Autre montant', 'Another amount'],
  party_differs: ['Autre destinataire', 'Another recipient'],
  direction_differs: ['Autre sens', 'The other direction'],
  duplicate: ['Deux lignes pour une opération', 'Two lines for one operation'],
  reversed: ['Succès repris', 'A success taken back'],
  wrong_day: ['Autre jour', 'Another day'],
  wrong_account: ['Autre compte', 'Another account'],
  line_changed: ['Ligne changée par un autre fichier', 'Line changed by another file'],
  own_transfer: ['Virement interne sans son autre moitié', 'Own transfer without its other half'],
  missing_there: ['Opération absente du relevé', 'Operation missing in the statement'],
  file_missing: ['Relevé manquant', 'Missing statement'],
}
