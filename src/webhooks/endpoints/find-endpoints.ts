import type { Db } from '../../platform/postgres/database.ts'
import type { Tenant } from '../../values/caller.ts'
import type { Page, PageWanted } from '../../values/page.ts'
import { type ListedEndpoint, readEndpointsPage } from '../store.ts'

/** Lists endpoints, newest first: of one merchant in one mode or of all; `status` null: enabled and disabled ones. */
export function listEndpoints(
  db: Db,
  wanted: PageWanted & { tenant: Tenant | null; status: ListedEndpoint['status'] | null },
): Promise<Page<ListedEndpoint>> {
  return readEndpointsPage(db, wanted)
}
