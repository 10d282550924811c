import { UNMATCHED_MERCHANT_ID } from '../operators/doubts/anomalies.ts'
import {
  type AnomalyRow,
  findAnomaly,
  readOpenAnomalies,
  readOpenAnomaliesOf,
} from '../operators/doubts/anomaly-store.ts'
import type { Instruction } from '../operators/instruction.ts'
import { readInstructionsIn } from '../operators/store.ts'
import { eachShard } from '../platform/each-shard.ts'
import type { Db } from '../platform/postgres/database.ts'
import type { Tenant } from '../values/caller.ts'
import type { ProposalRow } from './anomaly.ts'
import * as store from './store.ts'

/** The most anomalies in one list. */
const SHOWN_MAX = 500

/** Lists open anomalies, oldest first, at most 500: those of one merchant in one mode, or all, also those without a merchant. */
export function readAnomalies(db: Db, tenant: Tenant | null): Promise<AnomalyRow[]> {
  return tenant === null ? readOpenAnomalies(db, null, SHOWN_MAX) : readOpenAnomaliesOf(db, tenant, SHOWN_MAX)
}

const everyState = ['prepared', 'sending', 'sent', 'unknown', 'confirmed', 'refused'] as const

/** Reads the current instruction that an anomaly is about. Null when the anomaly has no merchant. */
export async function readSubject(db: Db, anomaly: AnomalyRow): Promise<Instruction | null> {
  if (anomaly.merchant_id === UNMATCHED_MERCHANT_ID) return null
  const { merchant_id, livemode, subject_id } = anomaly
  const [instruction] = await readInstructionsIn(db, everyState, [{ merchant_id, livemode, subject_id }])
  return instruction ?? null
}

/** An open anomaly as the queue of the desk lists it. */
export type OpenAnomaly = {
  anomaly: AnomalyRow
  /** The instruction that the anomaly is about. Null when the reference is unknown. */
  subject: Instruction | null
  /** The proposal that waits for a second person. */
  standing: ProposalRow | null
}

/** Lists the open anomalies of one mode with their instructions and proposals, oldest first, at most 500. */
export async function readOpenFiles(db: Db, livemode: boolean): Promise<OpenAnomaly[]> {
  const [anomalies, proposals] = await Promise.all([
    readOpenAnomalies(db, livemode, SHOWN_MAX),
    store.readWaitingProposals(db, livemode, SHOWN_MAX),
  ])
  const ours = anomalies.filter(({ merchant_id }) => merchant_id !== UNMATCHED_MERCHANT_ID)
  const read = await eachShard(db, ours, (some) => readInstructionsIn(db, everyState, some))
  const subjects = new Map(read.flat().map((instruction) => [instruction.subject_id, instruction]))
  const standing = new Map(proposals.map((proposal) => [proposal.anomaly_id, proposal]))
  return anomalies.map((anomaly) => ({
    anomaly,
    subject: subjects.get(anomaly.subject_id) ?? null,
    standing: standing.get(anomaly.id) ?? null,
  }))
}

export type AnomalyFile = { anomaly: AnomalyRow; subject: Instruction | null; proposals: ProposalRow[] }

/** Reads an anomaly with its instruction and its proposals. Null when there is none. */
export async function readAnomaly(db: Db, anomaly_id: string): Promise<AnomalyFile | null> {
  const anomaly = await findAnomaly(db, anomaly_id)
  if (anomaly === null) return null
  const [subject, proposals] = await Promise.all([readSubject(db, anomaly), store.readProposals(db, anomaly)])
  return { anomaly, subject, proposals }
}
