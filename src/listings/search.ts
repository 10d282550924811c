import type { Db } from '../platform/postgres/database.ts'
import { findRequest } from '../request-log/find-request.ts'
import type { LoggedRequest } from '../request-log/store.ts'
import { isDay } from '../statements/period.ts'
import type { Tenant } from '../values/caller.ts'
import { looksLikeId } from '../values/ids.ts'
import { Msisdn } from '../values/msisdn.ts'
import { findOperations, operationOf } from './find-operations.ts'
import { readOperation, readQuoted } from './find-store.ts'
import {
  allOf,
  idPrefixes,
  type ListedOperation,
  type OperationFilters,
  type OperationKind,
  operationKinds,
} from './listed-operation.ts'

/** The most operations of one kind for one meaning of a search, the newest. */
const HITS_MAX = 10
/** The most characters of a search: no reference is longer. */
const WRITTEN_MAX = 255
const DAY_MS = 86_400_000

/** The meaning by which an operation was found, the most certain first. */
export type FoundBy = 'id' | 'operator_reference' | 'reference' | 'number' | 'last4' | 'amount' | 'day'

export type SearchHit = { found_by: FoundBy; operation: ListedOperation }

export type SearchResult = {
  hits: SearchHit[]
  /** The call with this request id. Null: none. */
  request: LoggedRequest | null
}

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

/** Reads the possible meanings of a search text. Pure. */
export function readSearch(written: string): SearchReading {
  const amount = /^[1-9]\d{0,2}(?:[ .\u00a0\u202f]?\d{3})*$|^[1-9]\d*$/.test(unitless(written))
    ? Number(unitless(written).replace(/\D/g, ''))
    : null
  const [, date, month, year] = /^(\d{1,2})[/.](\d{1,2})[/.](\d{4})$/.exec(written) ?? []
  const day = year === undefined ? written : `${year}-${month!.padStart(2, '0')}-${date!.padStart(2, '0')}`
  return {
    kinds_of_id: operationKinds.filter((kind) => looksLikeId(idPrefixes[kind], written)),
    number: Msisdn.parse(written),
    last4: /^\d{4}$/.test(written) ? written : null,
    amount: amount !== null && amount <= 1_000_000_000_000 ? amount : null,
    day: isDay(day) ? day : null,
  }
}

/** Removes the unit from an amount such as `25 000 F CFA`. */
function unitless(written: string): string {
  return written.replace(/\s*(?:F ?CFA|XOF|F)$/i, '')
}

/**
 * Finds all that a search text may mean for a merchant: an id, a request id, the merchant's or an operator's reference, a phone number or its
 * last four digits, an amount, a day. The most certain meanings come first, and each operation once.
 */
export async function search(db: Db, tenant: Tenant, typed: string): Promise<SearchResult> {
  const written = typed.trim()
  if (written === '' || written.length > WRITTEN_MAX) return { hits: [], request: null }
  const { kinds_of_id, number, last4, amount, day } = readSearch(written)
  const since = day === null ? null : new Date(`${day}T00:00:00.000Z`)

  const find = async (found_by: FoundBy, kinds: readonly OperationKind[], filters: Partial<OperationFilters>) => {
    const pages = kinds.map((kind) =>
      findOperations(db, tenant, { ...allOf(kind), ...filters }, { limit: HITS_MAX, after: null }),
    )
    return (await Promise.all(pages)).flatMap(({ rows }) => rows.map((operation) => ({ found_by, operation })))
  }
  const read = async (found_by: FoundBy, id: string, kinds: readonly OperationKind[]): Promise<SearchHit[]> => {
    const rows = await Promise.all(
      kinds.map(async (kind) => (await readOperation(db, tenant, kind, id)).map(operationOf(kind))),
    )
    return rows.flat().map((operation) => ({ found_by, operation }))
  }
  const quoted = async () => {
    const ids = await readQuoted(db, tenant, written)
    return (await Promise.all(ids.map((id) => read('operator_reference', id, kindsNamed(id))))).flat()
  }

  const [request, ...ways] = await Promise.all([
    findRequest(db, { request_id: written, tenant }),
    read('id', written, kinds_of_id),
    quoted(),
    find('reference', ['payment', 'payout', 'batch', 'settlement'], { reference: written }),
    number === null ? [] : find('number', ['payment', 'payout'], { number }),
    last4 === null ? [] : find('last4', ['payment', 'payout'], { number: last4 }),
    amount === null ? [] : find('amount', operationKinds, { amount_min: amount, amount_max: amount }),
    since === null
      ? []
      : find('day', operationKinds, { created_from: since, created_before: new Date(since.getTime() + DAY_MS) }),
  ])
  const hits = new Map<string, SearchHit>()
  for (const hit of ways.flat()) if (!hits.has(hit.operation.id)) hits.set(hit.operation.id, hit)
  return { hits: [...hits.values()], request: 'kind' in request ? null : request }
}

function kindsNamed(id: string): OperationKind[] {
  return operationKinds.filter((kind) => looksLikeId(idPrefixes[kind], id))
}
