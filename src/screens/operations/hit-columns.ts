import { operatorName, status } from '../../console/components.ts'
import { type Column, moneyCell } from '../../console/list.ts'
import type { Say, Words } from '../../console/say.ts'
import type { ListedOperation, OperationKind } from '../../listings/listed-operation.ts'
import type { FoundBy, SearchHit } from '../../listings/search-meanings.ts'
import { html } from '../../platform/http/html.ts'
import { writeShortDate } from '../../platform/http/pages/write-values.ts'
import type { Language } from '../../values/language.ts'
import type { OperatorCode } from '../../values/operators.ts'
import { statusesOf } from './operation-lists.ts'

const foundWords: Readonly<Record<Exclude<FoundBy, 'reference'>, Words>> = {
  id: ['identifiant', 'identifier'],
  operator_reference: ['référence de l’opérateur', 'operator’s reference'],
  number: ['numéro', 'number'],
  last4: ['fin du numéro', 'end of the number'],
  amount: ['montant', 'amount'],
  day: ['jour', 'day'],
}

const kindWords: Readonly<Record<OperationKind, Words>> = {
  payment: ['Paiement', 'Payment'],
  payout: ['Envoi', 'Payout'],
  batch: ['Lot', 'Batch'],
  settlement: ['Reversement', 'Settlement'],
  refund: ['Remboursement', 'Refund'],
}

/** The columns of a found operation after its name: kind and meaning, state, operator, time, amount. @param reference the words for the merchant's reference */
export function hitColumns<Hit extends SearchHit<ListedOperation>>(
  { say, language }: { say: Say; language: Language },
  reference: Words,
): Column<Hit>[] {
  const words = { ...foundWords, reference }
  return [
    {
      title: say(['Quoi', 'What']),
      kind: '',
      cell: ({ operation, found_by }) =>
        html`${say(kindWords[operation.kind])}<span class="sub">${say(words[found_by])}</span>`,
    },
    { title: say(['État', 'State']), kind: 's', cell: ({ operation }) => stateOf(operation, say) },
    {
      title: say(['Opérateur', 'Operator']),
      kind: 'w',
      cell: ({ operation }) => operatorName(operation.operator as OperatorCode | null),
    },
    {
      title: say(['Quand', 'When']),
      kind: 't',
      cell: ({ operation }) => writeShortDate(operation.created_at, language),
    },
    {
      title: say(['Montant, F CFA', 'Amount, F CFA']),
      kind: 'm',
      cell: ({ operation }) => moneyCell(operation.amount),
    },
  ]
}

function stateOf({ kind, status: of }: ListedOperation, say: Say) {
  const known = statusesOf(kind)[of]
  return known === undefined ? of : status(known[0], say(known[1]))
}
