import { filteredAddress } from '../../console/list.ts'
import { bound, byAddress, choice, days, states, text } from '../../console/lists/filters.ts'
import type { OperationKind } from '../../listings/listed-operation.ts'
import { type FailureCode, failureMessages } from '../../values/failure-codes.ts'
import type { Words } from '../../values/language.ts'
import { operatorNames } from '../../values/operators.ts'
import { failureWords, reasonsOfKind } from './failure-words.ts'

/** The groups of statuses that a chart counts together or a tab shows. Each is a value of the filter `status`, like a single status. */
export const statusGroups = {
  done: ['succeeded', 'refunded', 'partially_refunded'],
  lost: ['failed', 'expired'],
  ended: ['succeeded', 'refunded', 'partially_refunded', 'failed', 'expired'],
  waiting: ['created', 'pending'],
  under_way: ['created', 'processing'],
  back: ['refunded', 'partially_refunded'],
  others: ['expired'],
} as const satisfies Record<string, readonly string[]>

const groupWords: Readonly<Record<keyof typeof statusGroups, Words>> = {
  done: ['Réussis', 'Succeeded'],
  lost: ['Échoués ou expirés', 'Failed or expired'],
  ended: ['Finis', 'Ended'],
  waiting: ['En attente', 'Waiting'],
  under_way: ['En cours', 'Under way'],
  back: ['Remboursés', 'Refunded'],
  others: ['Autres', 'Others'],
}

/** The tabs of the kinds with many states: four states or groups of states, and the others. Absent: each state. */
const stateTabs: Partial<Readonly<Record<OperationKind, Readonly<Record<string, Words>>>>> = {
  payment: {
    succeeded: ['Payés', 'Paid'],
    waiting: groupWords.waiting,
    failed: ['Échoués', 'Failed'],
    back: groupWords.back,
    others: groupWords.others,
  },
  payout: {
    succeeded: ['Arrivés', 'Arrived'],
    under_way: groupWords.under_way,
    failed: ['Échoués', 'Failed'],
    indeterminate: ['En vérification', 'Being checked'],
  },
}

function isStatusGroup(status: string): status is keyof typeof statusGroups {
  return Object.hasOwn(statusGroups, status)
}

/** The filters of a list in its address, each as text. */
export type FilterName = 'status' | 'from' | 'to' | 'operator' | 'min' | 'max' | 'reference' | 'reason'

/** Returns the address of a list with its filters, without empty ones. */
export function listAddress(path: string, chosen: Partial<Record<FilterName, string>>): string {
  return filteredAddress(path, chosen)
}

/** Whether failures of a kind have a reason. */
function failsForReason(kind: OperationKind): kind is 'payment' | 'payout' | 'refund' {
  return kind === 'payment' || kind === 'payout' || kind === 'refund'
}

/** The filters of the operations of a kind. The form offers those that say something about this kind. */
export function operationFilters(kind: OperationKind, statuses: Readonly<Record<string, Words>>) {
  const hasOperator = kind === 'payment' || kind === 'payout'
  const operator = choice('operator', {
    label: ['Opérateur', 'Operator'],
    all: ['Tous', 'All'],
    words: inBoth(operatorNames),
    part: (code) => ({ operator: code }),
  })
  const reference = text('reference', {
    label:
      kind === 'settlement'
        ? ['Référence de la banque', 'Reference of the bank']
        : ['Votre référence', 'Your reference'],
    option: { says: 'only the one with this reference' },
    part: (typed) => ({ reference: typed }),
  })
  const reason = choice('reason', {
    label: ['Raison de l’échec', 'Failure reason'],
    all: ['Toutes', 'All'],
    words: reasonWords(failsForReason(kind) ? reasonsOfKind(kind) : undefined),
    part: (failure_code) => ({ failure_code }),
  })
  return [
    states('status', {
      label: ['État', 'State'],
      all: ['Tous', 'All'],
      words: statuses,
      groups: groupWords,
      ...(stateTabs[kind] !== undefined && { tabs: stateTabs[kind] }),
      lone: { field: 'reason', state: 'failed' },
      part: (status) => ({ statuses: statusesIn(status) }),
    }),
    days,
    hasOperator ? operator : byAddress(operator),
    bound('min', {
      label: ['Au moins, F CFA', 'At least, F CFA'],
      chip: ['au moins {sum}', 'at least {sum}'],
      says: 'only those of this amount or more',
      part: (amount_min) => ({ amount_min }),
    }),
    bound('max', {
      label: ['Au plus, F CFA', 'At most, F CFA'],
      chip: ['au plus {sum}', 'at most {sum}'],
      says: 'only those of this amount or less',
      part: (amount_max) => ({ amount_max }),
    }),
    kind === 'refund' ? byAddress(reference) : reference,
    failsForReason(kind) ? reason : byAddress(reason),
  ] as const
}

/** The words that open the form of these filters. */
export function filteredWords(kind: OperationKind): Words {
  const hasOperator = kind === 'payment' || kind === 'payout'
  const parts = [
    ['Période', 'Period'],
    ...(hasOperator ? [['opérateur', 'operator']] : []),
    ['montant', 'amount'],
    ...(kind === 'refund' ? [] : [['référence', 'reference']]),
  ]
  return [parts.map(([french]) => french).join(', '), parts.map(([, english]) => english).join(', ')]
}

/** The statuses that a value of the filter `status` stands for. Empty: any. */
export function statusesIn(status: string | null): readonly string[] {
  if (status === null) return []
  return isStatusGroup(status) ? statusGroups[status] : [status]
}

/** Names that are the same in both languages. */
export function inBoth<Code extends string>(names: Readonly<Record<Code, string>>): Readonly<Record<Code, Words>> {
  const words = Object.entries<string>(names).map(([code, name]) => [code, [name, name]])
  return Object.fromEntries(words) as Record<Code, Words>
}

/** The words of reasons, without their full stops. @param codes absent: all */
export function reasonWords(
  codes = Object.keys(failureMessages) as readonly FailureCode[],
): Readonly<Record<FailureCode, Words>> {
  const words = codes.map((code) => [code, failureWords[code].map((sentence) => sentence.replace(/\.$/, ''))])
  return Object.fromEntries(words) as Record<FailureCode, Words>
}
