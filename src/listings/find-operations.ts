import type { Db } from '../platform/postgres/database.ts'
import type { Tenant } from '../values/caller.ts'
import { Msisdn } from '../values/msisdn.ts'
import { type Page, type PageWanted, pageOf } from '../values/page.ts'
import { type FoundRow, readPage } from './find-store.ts'
import type { ListedOperation, OperationFilters, OperationKind } from './listed-operation.ts'

/** The default number of operations on a page. */
export const PAGE_DEFAULT = 50

/**
 * Finds a page of a merchant's operations that match the filters, newest first. It is exact however far behind the worker is: operations that
 * it has not listed yet are read from their own tables, and every row has its current state.
 */
export async function findOperations(
  db: Db,
  tenant: Tenant,
  filters: OperationFilters,
  { limit, after }: PageWanted = { limit: PAGE_DEFAULT, after: null },
): Promise<Page<ListedOperation>> {
  const rows = await readPage(db, tenant, filters, { limit: limit + 1, after })
  return pageOf(rows.map(operationOf(filters.kind)), limit, ({ id }) => id)
}

/** Converts a row to the types of the business. */
export function operationOf(kind: OperationKind): (row: FoundRow) => ListedOperation {
  return ({ msisdn, ...row }) => ({ kind, ...row, msisdn: msisdn === null ? null : Msisdn.stored(msisdn) })
}
