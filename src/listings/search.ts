import type { Db } from '../platform/postgres/database.ts'
import { findRequest } from '../request-log/find-request.ts'
import type { LoggedRequest } from '../request-log/store.ts'
import { asSeen } from '../values/as-seen.ts'
import type { Tenant } from '../values/caller.ts'
import { findOperations, operationOf } from './find-operations.ts'
import { readOperation, readQuoted } from './find-store.ts'
import { allOf, type ListedOperation } from './listed-operation.ts'
import { findByMeanings, HITS_MAX, type SearchHit } from './search-meanings.ts'

export type SearchResult = {
  hits: SearchHit<ListedOperation>[]
  /** The call with this request id. Null: none. */
  request: LoggedRequest | null
}

/**
 * Finds all that a search text may mean for a merchant: an id, a request id, the merchant's or an operator's reference, a phone number or its
 * last four digits, an amount, a day. The most certain meanings come first, and each operation once.
 */
export async function search(db: Db, tenant: Tenant, typed: string): Promise<SearchResult> {
  const [request, hits] = await Promise.all([
    findRequest(db, { request_id: asSeen(typed).trim(), tenant }),
    findByMeanings(typed, {
      read: async (kind, id) => (await readOperation(db, tenant, kind, id)).map(operationOf(kind)),
      readQuoted: (reference) => readQuoted(db, tenant, reference),
      find: async (kind, filters) =>
        (await findOperations(db, tenant, { ...allOf(kind), ...filters }, { limit: HITS_MAX, after: null })).rows,
    }),
  ])
  return { hits, request: 'kind' in request ? null : request }
}
