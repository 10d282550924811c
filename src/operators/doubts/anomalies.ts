import type { Clock } from '../../platform/clock.ts'
import { defineEffect } from '../../platform/commands/effects.ts'
import type { Tx } from '../../platform/postgres/database.ts'
import { newId } from '../../values/ids.ts'
import type { Evidence } from '../port.ts'
import * as store from './anomaly-store.ts'

/** The merchant of an anomaly that concerns no merchant we know of yet. No real merchant has this number. */
export const UNMATCHED_MERCHANT_ID = 0

/**
 * Keeps what does not fit for the people who close it (`src/anomalies`), in the transaction that found it. The same fact
 * about the same subject is kept once, also after it was closed. Returns the ids of those that are new.
 */
export async function keepAnomalies(
  tx: Tx,
  anomalies: readonly Omit<store.NewAnomaly, 'id'>[],
  now: Date,
): Promise<string[]> {
  if (anomalies.length === 0) return []
  const named = anomalies.map((anomaly) => ({ ...anomaly, id: newId('ano', now.getTime()) }))
  const kept = await store.insertAnomalies(tx, named)
  return named.flatMap(({ id }) => (kept.has(id) ? [id] : []))
}

/** One of them. */
export const keepAnomaly = defineEffect<Omit<store.NewAnomaly, 'id'>>('anomaly', async (tx, anomalies, now) => {
  await keepAnomalies(tx, anomalies, now)
})

/** The longest reference that is kept whole; operators' own have 36 characters or a few more. */
const REFERENCE_MAX = 200

/**
 * Keeps a report of an operator about a reference that is none of ours: it may be money that has arrived. One line for one
 * reference, however many reports name it, and a bounded number of them. False when it was not kept.
 */
export async function recordUnmatchedCallback(
  tx: Tx,
  {
    connector,
    livemode,
    reference,
    evidence,
  }: { connector: string; livemode: boolean; reference: string; evidence: Evidence },
  clock: Clock,
): Promise<boolean> {
  return store.insertUnmatchedCallback(tx, {
    merchant_id: UNMATCHED_MERCHANT_ID,
    livemode,
    subject_id: `${connector}:${reference.slice(0, REFERENCE_MAX)}`,
    kind: 'unknown_reference',
    fact: '',
    id: newId('ano', clock.milliseconds()),
    operator: connector,
    evidence,
  })
}
