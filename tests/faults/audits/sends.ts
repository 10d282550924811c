import { sendChecks } from '../../../src/app/audit/send-checks.ts'
import type { Sql } from '../../../src/platform/postgres/database.ts'
import { notFound, openDoubts } from '../doubts.ts'
import type { Harm, Harmed } from './harm.ts'

// Every other test trusts the audit. So these tests break each of its checks about sends once.

/** The instruction that was sent again. */
let repeated = ''

/**
 * Leaves three instructions, without a service: the first was sent again, as allowed, the second is in doubt, and the third is not sent yet.
 */
export async function leaveDoubts(sql: Sql): Promise<void> {
  const { inDoubt, dyingWorker } = openDoubts(sql)
  const again = await inDoubt(notFound)
  await dyingWorker().again(again)
  repeated = again.subject_id
  await inDoubt(notFound.slice(1))
  const prepared = await inDoubt([])
  await sql`update sends set not_sent_at = clock_now() where subject_id = ${prepared.subject_id}`
  await sql`update instructions set state = 'prepared' where subject_id = ${prepared.subject_id}`
}

const [once, evidence] = sendChecks.map(({ check }) => check) as [string, string]

const harms: [string, Harm][] = [
  [once, (tx) => tx`delete from sends where subject_id = ${repeated} and attempt = 2`],
  [once, (tx) => tx`update instructions set sent_again = 0 where subject_id = ${repeated}`],
  [once, (tx) => tx`update sends set not_sent_at = clock_now() where not_sent_at is null`],
  [once, (tx) => tx`update sends set not_sent_at = null`],
  [evidence, (tx) => tx`delete from operator_answers where number = 1`],
  [evidence, (tx) => tx`update operator_answers set answered_at = answered_at - interval '2 seconds'`],
  [evidence, (tx) => tx`update operator_answers set answered_at = clock_now() + interval '1 hour'`],
  [evidence, (tx) => tx`update operator_answers set outcome = 'unknown'`],
  [once, (tx) => tx`update sends set connector = 'another'`],
  [evidence, (tx) => tx`update sends set reference = gen_random_uuid() where attempt = 2`],
  [evidence, (tx) => tx`update sends set payload_hash = sha256(payload_hash) where attempt = 2`],
  [evidence, (tx) => tx`update sends set again_times = null, again_after_seconds = null`],
  [evidence, (tx) => tx`update sends set attempt = 3 where attempt = 2`],
]

export const sends: Harmed = { checks: sendChecks, guarded: ['sends', 'operator_answers'], harms }
