import type { Clock } from '../../platform/clock.ts'
import { defineEffect } from '../../platform/commands/effects.ts'
import type { Tx } from '../../platform/postgres/database.ts'
import { newId } from '../../values/ids.ts'
import type { Evidence } from '../port.ts'
import * as store from './anomaly-store.ts'

/** The `merchant_id` of an anomaly whose merchant is not known. No real merchant has this number. */
export const UNMATCHED_MERCHANT_ID = 0

/** A new anomaly. Its id is absent where nobody names it before. */
type Kept = Omit<store.NewAnomaly, 'id'> & { id?: string }

/**
 * Stores anomalies for the people who close them (`src/anomalies`), in the transaction that found them. Each fact about
 * a subject is stored once, even after its anomaly was closed. Returns the ids of the new anomalies.
 */
export async function keepAnomalies(tx: Tx, anomalies: readonly Kept[], now: Date): Promise<string[]> {
  if (anomalies.length === 0) return []
  const named = anomalies.map((anomaly) => ({ id: newId('ano', now.getTime()), ...anomaly }))
  const kept = await store.insertAnomalies(tx, named)
  return named.flatMap(({ id }) => (kept.has(id) ? [id] : []))
}

/** `keepAnomalies` as an effect. */
export const keepAnomaly = defineEffect<Kept>('anomaly', async (tx, anomalies, now) => {
  await keepAnomalies(tx, anomalies, now)
})

/** The longest reference that is stored in full, in characters. Operators' own have about 36. */
const REFERENCE_MAX = 200

/**
 * Stores an operator's report about a reference that is not ours as an anomaly, because the money may have arrived.
 * Each reference of a connector has one anomaly, however many reports name it, and the number of open ones is bounded.
 * False when nothing was stored.
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
