import { type AnomalyRow, closeAnomaly } from '../operators/doubts/anomaly-store.ts'
import type { Db, Tx } from '../platform/postgres/database.ts'
import { readDecisive } from './store.ts'

type Named = Pick<AnomalyRow, 'id' | 'merchant_id' | 'livemode'>

/** Finds those of these anomalies that two people have closed. */
export async function readApproved(db: Db, anomalies: readonly Named[]): Promise<ReadonlySet<string>> {
  const found = await readDecisive(db, anomalies)
  return new Set(found.flatMap(({ anomaly_id, status }) => (status === 'approved' ? [anomaly_id] : [])))
}

/** Closes anomalies whose fact is no longer one, unless a proposal waits for its second person or was approved. */
export async function closeUndecided(tx: Tx, anomalies: readonly AnomalyRow[]): Promise<void> {
  const kept = new Set((await readDecisive(tx, anomalies)).map(({ anomaly_id }) => anomaly_id))
  for (const anomaly of anomalies) if (!kept.has(anomaly.id)) await closeAnomaly(tx, anomaly)
}
