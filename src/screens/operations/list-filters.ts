import { filteredAddress } from '../../console/list.ts'
import type { ScreenRequest } from '../../console/screen.ts'
import { allOf, type OperationFilters, type OperationKind } from '../../listings/listed-operation.ts'
import { isFailureCode } from '../../values/failure-codes.ts'
import { isOperatorCode } from '../../values/operators.ts'
import { isDay, momentsOf } from '../../values/period.ts'
import { readFrancs } from '../../values/read-typed.ts'

/** The groups of statuses that a chart counts together. Each is a value of the filter `status`, like a single status. */
export const statusGroups = {
  done: ['succeeded', 'refunded', 'partially_refunded'],
  lost: ['failed', 'expired'],
  ended: ['succeeded', 'refunded', 'partially_refunded', 'failed', 'expired'],
} as const satisfies Record<string, readonly string[]>

/** Whether a value of the filter `status` is a group. */
export function isStatusGroup(status: string): status is keyof typeof statusGroups {
  return Object.hasOwn(statusGroups, status)
}

/** The filters of a list in its address, each as text. An invalid value counts as absent, and `unreadFilters` names it. */
export type ChosenFilters = {
  readonly status: string
  readonly from: string
  readonly to: string
  readonly operator: string
  /** The least amount and the largest, in francs. */
  readonly min: string
  readonly max: string
  readonly reference: string
  /** The reason of the failure. */
  readonly reason: string
}

export type FilterName = keyof ChosenFilters

/** The query fields of the filters. */
export const filterNames: readonly FilterName[] = [
  'status',
  'from',
  'to',
  'operator',
  'min',
  'max',
  'reference',
  'reason',
]

/** Reads the filters of an address. @param statuses the statuses of this kind */
export function chosenIn(
  { query }: Pick<ScreenRequest<'console'>, 'query'>,
  statuses: readonly string[],
): ChosenFilters {
  const text = (name: string) => (query.get(name) ?? '').trim().slice(0, 255)
  const day = (name: string) => (isDay(text(name)) ? text(name) : '')
  const amount = (name: string) => readFrancs(text(name))?.toString() ?? ''
  return {
    status: statuses.includes(text('status')) || isStatusGroup(text('status')) ? text('status') : '',
    from: day('from'),
    to: day('to'),
    operator: isOperatorCode(text('operator')) ? text('operator') : '',
    min: amount('min'),
    max: amount('max'),
    reference: text('reference'),
    reason: isFailureCode(text('reason')) ? text('reason') : '',
  }
}

/** Converts the filters to those of the list. */
export function filtersOf(kind: OperationKind, chosen: ChosenFilters): OperationFilters {
  const { status, from, to, operator, min, max, reference, reason } = chosen
  return {
    ...allOf(kind),
    statuses: isStatusGroup(status) ? statusGroups[status] : status === '' ? [] : [status],
    ...momentsOf({ from, to }),
    operator: operator === '' ? null : operator,
    amount_min: min === '' ? null : Number(min),
    amount_max: max === '' ? null : Number(max),
    reference: reference === '' ? null : reference,
    failure_code: isFailureCode(reason) ? reason : null,
  }
}

/** Returns the address of a list with its filters, without empty ones. */
export function listAddress(
  path: string,
  chosen: Partial<ChosenFilters>,
  more: Readonly<Record<string, string>> = {},
): string {
  return filteredAddress(path, { ...chosen, ...more })
}
