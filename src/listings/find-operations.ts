import type { Db } from '../platform/postgres/database.ts'
import type { Tenant } from '../values/caller.ts'
import { Msisdn } from '../values/msisdn.ts'
import { type Page, type PageWanted, pageOf } from '../values/page.ts'
import { type FoundRow, readPage } from './find-store.ts'
import type { ListedOperation, OperationFilters, OperationKind } from './listed-operation.ts'

/** Operations of one page, when nobody says. */
export const PAGE_DEFAULT = 50

/**
 * A page of a merchant's operations that the filters match, the newest first. It is exact however far behind the worker is: what it has not listed
 * yet is read from where money writes it, and every row is shown as it stands there now.
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

/** A row as it was read, in the types of the business. */
export function operationOf(kind: OperationKind): (row: FoundRow) => ListedOperation {
  return ({ msisdn, ...row }) => ({ kind, ...row, msisdn: msisdn === null ? null : Msisdn.stored(msisdn) })
}
