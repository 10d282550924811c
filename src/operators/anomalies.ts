import type { Db } from '../platform/postgres/database.ts'
import type { Tenant } from '../words/caller.ts'
import type { AnomalyKind } from './decide.ts'
import type { Evidence } from './port.ts'
import * as store from './store.ts'

/** Something an operator reported that does not fit, kept until a human has closed it. */
export type Anomaly = {
  id: string
  subject_id: string
  kind: AnomalyKind
  evidence: Evidence
  opened_at: Date
}

/** A merchant's open anomalies, oldest first, 500 at most. */
export async function readAnomalies(db: Db, tenant: Tenant): Promise<Anomaly[]> {
  return store.readOpenAnomalies(db, tenant)
}
