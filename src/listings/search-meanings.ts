import { asSeen, withoutUnit } from '../values/as-seen.ts'
import { looksLikeId } from '../values/ids.ts'
import { Msisdn } from '../values/msisdn.ts'
import { isDay } from '../values/period.ts'
import {
  idPrefixes,
  type ListedOperation,
  type OperationFilters,
  type OperationKind,
  operationKinds,
} from './listed-operation.ts'

/** The most operations of one kind for one meaning of a search, the newest. */
export const HITS_MAX = 10
/** The most characters of a search: no reference is longer. */
export const WRITTEN_MAX = 255
const DAY_MS = 86_400_000

/** The meaning by which an operation was found, the most certain first. */
export type FoundBy = 'id' | 'operator_reference' | 'reference' | 'number' | 'last4' | 'amount' | 'day'

export type SearchHit<Operation extends ListedOperation> = { found_by: FoundBy; operation: Operation }

/** The possible meanings of a search text. Null: not this one. Several may apply: four digits are also an amount and a reference. */
export type SearchReading = {
  kinds_of_id: readonly OperationKind[]
  number: Msisdn | null
  last4: string | null
  /** In francs. */
  amount: number | null
  /** `YYYY-MM-DD`. */
  day: string | null
}

/** Where a search looks: at one merchant, or at all. Each function returns the newest operations first. */
export type SearchPlace<Operation extends ListedOperation> = {
  readonly read: (kind: OperationKind, id: string) => Promise<readonly Operation[]>
  /** The ids of the operations with an operator's reference. */
  readonly readQuoted: (reference: string) => Promise<readonly string[]>
  readonly find: (kind: OperationKind, filters: Partial<OperationFilters>) => Promise<readonly Operation[]>
}

/** Reads the possible meanings of a search text. Pure. */
export function readSearch(typed: string): SearchReading {
  const written = asSeen(typed).trim()
  const figures = withoutUnit(written)
  const amount = /^[1-9]\d{0,2}(?:[\s.'\u2019]?\d{3})*$|^[1-9]\d*$/.test(figures)
    ? Number(figures.replace(/\D/g, ''))
    : null
  const [, date, month, year] = /^(\d{1,2})[/.](\d{1,2})[/.](\d{4})$/.exec(written) ?? []
  const day = year === undefined ? written : `${year}-${month!.padStart(2, '0')}-${date!.padStart(2, '0')}`
  return {
    kinds_of_id: kindsNamed(written),
    number: Msisdn.parse(written),
    last4: /^\d{4}$/.test(written) ? written : null,
    amount: amount !== null && amount <= 1_000_000_000_000 ? amount : null,
    day: isDay(day) ? day : null,
  }
}

/** Returns the filters of one day, which is on UTC, as in Abidjan. @param day `YYYY-MM-DD` */
export function onDay(day: string): Pick<OperationFilters, 'created_from' | 'created_before'> {
  const created_from = new Date(`${day}T00:00:00.000Z`)
  return { created_from, created_before: new Date(created_from.getTime() + DAY_MS) }
}

/** Finds all that a search text may mean in a place. The most certain meanings come first, and each operation once. */
export async function findByMeanings<Operation extends ListedOperation>(
  typed: string,
  place: SearchPlace<Operation>,
): Promise<SearchHit<Operation>[]> {
  const written = typed.trim()
  const seen = asSeen(written)
  if (written === '' || written.length > WRITTEN_MAX) return []
  const { kinds_of_id, number, last4, amount, day } = readSearch(written)
  type Hits = SearchHit<Operation>[]

  const find = async (found_by: FoundBy, kinds: readonly OperationKind[], filters: Partial<OperationFilters>) => {
    const found = await Promise.all(kinds.map((kind) => place.find(kind, filters)))
    return found.flat().map((operation) => ({ found_by, operation }))
  }
  const read = async (found_by: FoundBy, id: string, kinds: readonly OperationKind[]): Promise<Hits> => {
    const found = await Promise.all(kinds.map((kind) => place.read(kind, id)))
    return found.flat().map((operation) => ({ found_by, operation }))
  }
  const quoted = async () => {
    const ids = await place.readQuoted(seen)
    return (await Promise.all(ids.map((id) => read('operator_reference', id, kindsNamed(id))))).flat()
  }

  const ways = await Promise.all([
    read('id', seen, kinds_of_id),
    quoted(),
    find('reference', ['payment', 'payout', 'batch', 'settlement'], { reference: written }),
    number === null ? [] : find('number', ['payment', 'payout'], { number }),
    last4 === null ? [] : find('last4', ['payment', 'payout'], { number: last4 }),
    amount === null ? [] : find('amount', operationKinds, { amount_min: amount, amount_max: amount }),
    day === null ? [] : find('day', operationKinds, onDay(day)),
  ])
  const hits = new Map<string, SearchHit<Operation>>()
  for (const hit of ways.flat()) if (!hits.has(hit.operation.id)) hits.set(hit.operation.id, hit)
  return [...hits.values()]
}

function kindsNamed(id: string): OperationKind[] {
  return operationKinds.filter((kind) => looksLikeId(idPrefixes[kind], id))
}
