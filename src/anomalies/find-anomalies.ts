import { UNMATCHED_MERCHANT_ID } from '../operators/doubts/anomalies.ts'
import {
  type AnomalyRow,
  findAnomaly,
  readOpenAnomalies,
  readOpenAnomaliesOf,
} from '../operators/doubts/anomaly-store.ts'
import type { Instruction } from '../operators/instruction.ts'
import { readInstructionsIn } from '../operators/store.ts'
import type { Db } from '../platform/postgres/database.ts'
import type { Tenant } from '../values/caller.ts'
import type { ProposalRow } from './anomaly.ts'
import * as store from './store.ts'

/** Anomalies shown together at most. */
const SHOWN_MAX = 500

/** Open anomalies, the oldest first, 500 at most: of one merchant in one mode, or all, also those without a merchant. */
export function readAnomalies(db: Db, tenant: Tenant | null): Promise<AnomalyRow[]> {
  return tenant === null ? readOpenAnomalies(db, SHOWN_MAX) : readOpenAnomaliesOf(db, tenant, SHOWN_MAX)
}

const everyState = ['prepared', 'sending', 'sent', 'unknown', 'confirmed', 'refused'] as const

/** The instruction that an anomaly is about, as it stands; null when the anomaly has no merchant. */
export async function readSubject(db: Db, anomaly: AnomalyRow): Promise<Instruction | null> {
  if (anomaly.merchant_id === UNMATCHED_MERCHANT_ID) return null
  const { merchant_id, livemode, subject_id } = anomaly
  const [instruction] = await readInstructionsIn(db, everyState, [{ merchant_id, livemode, subject_id }])
  return instruction ?? null
}

export type AnomalyFile = { anomaly: AnomalyRow; subject: Instruction | null; proposals: ProposalRow[] }

/** An anomaly with its instruction and its proposals; null when there is none. */
export async function readAnomaly(db: Db, anomaly_id: string): Promise<AnomalyFile | null> {
  const anomaly = await findAnomaly(db, anomaly_id)
  if (anomaly === null) return null
  const [subject, proposals] = await Promise.all([readSubject(db, anomaly), store.readProposals(db, anomaly)])
  return { anomaly, subject, proposals }
}
