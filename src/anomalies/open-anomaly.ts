import { recordAct } from '../audit-log/record-act.ts'
import { keepAnomalies } from '../operators/doubts/anomalies.ts'
import { isOpenAbout } from '../operators/doubts/anomaly-store.ts'
import { isOpen } from '../operators/doubts/conclude-by-hand.ts'
import { usualSilence } from '../operators/port.ts'
import { connectorOf, type Registry } from '../operators/routing/registry.ts'
import { findInstruction } from '../operators/store.ts'
import type { Clock } from '../platform/clock.ts'
import type { Sql } from '../platform/postgres/database.ts'
import type { Actor } from '../values/actor.ts'

export type OpenAnomalyResult =
  | { kind: 'opened'; anomaly_id: string }
  | { kind: 'refused'; code: 'not_a_person' | 'resource_not_found' | 'not_open' | 'too_early' | 'opened_before' }

/**
 * Opens an anomaly about a payment, payout or refund that its operator does not settle, so that two people can end it by what they have
 * seen in the operator's books. This needs the operator to have been silent for its whole time: until then an answer may be on its way.
 * Refusals, in order of precedence: an API key, an id without an order to an operator, an operation that has ended or was not sent, an
 * operator that has not been silent for long enough, an anomaly that is open already.
 */
export async function openAnomaly(
  { sql, clock, registry }: { sql: Sql; clock: Clock; registry: Registry },
  subject_id: string,
  { reason, opened_by }: { reason: string; opened_by: Actor },
): Promise<OpenAnomalyResult> {
  if (opened_by.person.startsWith('key:')) return { kind: 'refused', code: 'not_a_person' }
  const instruction = await findInstruction(sql, subject_id)
  if (instruction === null) return { kind: 'refused', code: 'resource_not_found' }
  if (!isOpen(instruction)) return { kind: 'refused', code: 'not_open' }
  const silence = connectorOf(registry, instruction)?.silenceAfter ?? usualSilence()
  if ((instruction.sent_ms_ago ?? 0) < silence) return { kind: 'refused', code: 'too_early' }
  if (await isOpenAbout(sql, instruction, 'in_doubt')) return { kind: 'refused', code: 'opened_before' }
  const { merchant_id, livemode, operator } = instruction
  const evidence = { reason, opened_by: opened_by.person, state: instruction.state, asked: instruction.asked }
  const about = { merchant_id, livemode, subject_id, operator, kind: 'in_doubt', evidence } as const
  // An anomaly that was closed with nothing to do can be opened again when the operator stays silent.
  const fact = `${instruction.asked} answers`
  const [anomaly_id] = await sql.begin(async (tx) => {
    const kept = await keepAnomalies(tx, [{ ...about, fact }], clock.now())
    for (const subject of kept)
      recordAct(tx, about, { actor: opened_by, act: 'anomaly.open', subject, after: { subject_id } })
    return kept
  })
  return anomaly_id === undefined ? { kind: 'refused', code: 'opened_before' } : { kind: 'opened', anomaly_id }
}
