import { recordAct } from '../../audit-log/record-act.ts'
import { notify } from '../../people/notices/notify.ts'
import { defineEffect } from '../../platform/commands/effects.ts'
import type { Sql, Tx } from '../../platform/postgres/database.ts'
import { type Actor, SCHEDULE } from '../../values/actor.ts'
import { type Tenant, tenantOf } from '../../values/caller.ts'
import type { SoloOutcome, SoloRefusal } from '../../values/solo-approval.ts'
import * as store from './store.ts'

/** The kind of an approval's subject: the first part of its acts in the audit log. */
export function nounOf({ subject_id }: store.SoloKey): 'payout_request' | 'payout_batch' | 'key' {
  if (subject_id.startsWith('por_')) return 'payout_request'
  return subject_id.startsWith('pob_') ? 'payout_batch' : 'key'
}

/** The verb of the audit line of each outcome. */
const verbOf = (outcome: SoloOutcome) =>
  outcome === 'carried_out' ? 'carry_out_alone' : outcome === 'stopped' ? 'stop_alone' : 'end_alone'

/**
 * Ends a waiting approval in the transaction of the act that ends it. Writes a line of the audit log, and a notice to the
 * person who gave the approval. False when none waits.
 * @param by the person whose act ends it, or `SCHEDULE`
 */
export async function endAlone(tx: Tx, key: store.SoloKey, outcome: SoloOutcome, by: Actor): Promise<boolean> {
  const ended = await store.endSoloApproval(tx, key, outcome, by.person)
  if (ended === null) return false
  const { approved_by, refusal } = ended
  const act = `${nounOf(key)}.${verbOf(outcome)}` as const
  recordAct(tx, tenantOf(key), { actor: by, act, subject: key.subject_id, after: { outcome, approved_by, refusal } })
  const name = outcome === 'carried_out' ? 'alone_carried_out' : 'alone_ended'
  const facts = { outcome, ...(refusal !== null && { refusal }) }
  notify(tx, { name, about: tenantOf(key), subject: key.subject_id, to: [approved_by], facts })
  return true
}

/** The same as an effect. Nothing when none waits. */
export const endApprovalAlone = defineEffect<{ key: store.SoloKey; outcome: SoloOutcome; by: Actor }>(
  'solo approval',
  async (tx, ends) => {
    for (const { key, outcome, by } of ends) await endAlone(tx, key, outcome, by)
  },
)

/** Ends a waiting approval of a key that was widened since: the person approved the narrower one. For `setAllowedAddresses`. */
export function endAloneOf(by: Actor): (tx: Tx, key: Tenant & { key_id: string }) => Promise<boolean> {
  return (tx, key) => endAlone(tx, { ...tenantOf(key), subject_id: key.key_id }, 'stopped', by)
}

/**
 * Records why the service could not carry out an approval that is due. An archived beneficiary ends the approval. For
 * any other reason the service tries again, and tells the person once for each new reason.
 */
export async function refuseAlone(sql: Sql, key: store.SoloKey, refusal: SoloRefusal): Promise<void> {
  await sql.begin(async (tx) => {
    const approved_by = await store.writeRefusal(tx, key, refusal)
    // The approval has ended, or this reason is already recorded.
    if (approved_by === null) return
    if (refusal === 'beneficiary_archived') return void (await endAlone(tx, key, 'refused', SCHEDULE))
    const act = `${nounOf(key)}.hold_alone` as const
    recordAct(tx, tenantOf(key), { actor: SCHEDULE, act, subject: key.subject_id, after: { refusal, approved_by } })
    notify(tx, {
      name: 'alone_held',
      about: tenantOf(key),
      subject: key.subject_id,
      to: [approved_by],
      facts: { refusal },
    })
  })
}
