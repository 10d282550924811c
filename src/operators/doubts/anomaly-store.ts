import { eachShard } from '../../platform/each-shard.ts'
import type { Db, Tx } from '../../platform/postgres/database.ts'
import { given, sameRow } from '../../platform/postgres/rows.ts'
import { secondsSince } from '../../platform/postgres/seconds-since.ts'
import type { Tenant } from '../../values/caller.ts'
import type { InstructionKey } from '../instruction.ts'
import type { Evidence } from '../port.ts'
import { heldBefore } from '../sending/answer.ts'
import type { AnomalyKind } from '../sending/decide.ts'

/** The row of an anomaly. */
export type AnomalyRow = Tenant & {
  id: string
  subject_id: string
  kind: AnomalyKind
  /** The reported fact, in few words. */
  fact: string
  operator: string | null
  evidence: Evidence
  opened_at: Date
  closed_at: Date | null
}

/**
 * The connector that an order has left for another one, and that says that it holds the order. Null for every other anomaly, and once the order is back
 * there. Pure.
 */
export function leftConnector(
  { kind, fact, evidence }: Pick<AnomalyRow, 'kind' | 'fact' | 'evidence'>,
  subject: { readonly connector: string | null } | null,
): string | null {
  const { connector } = evidence
  if (subject === null || kind !== 'unknown_status' || typeof connector !== 'string') return null
  return connector !== subject.connector && fact.endsWith(heldBefore('', connector)) ? connector : null
}

const columns = [
  'merchant_id',
  'livemode',
  'id',
  'subject_id',
  'kind',
  'fact',
  'operator',
  'evidence',
  'opened_at',
  'closed_at',
]

export type NewAnomaly = InstructionKey & {
  id: string
  kind: AnomalyKind
  /** The reported fact, in few words. Another fact of the same kind is another anomaly. */
  fact: string
  operator: string | null
  evidence: Evidence
}

const anomalyFields = ['merchant_id', 'livemode', 'subject_id', 'kind', 'fact', 'id', 'operator', 'evidence'] as const

/** Inserts anomalies, one for each fact, and returns the ids inserted. Facts that are stored already, open or closed, are left out. */
export async function insertAnomalies(tx: Tx, anomalies: readonly NewAnomaly[]): Promise<Set<string>> {
  const kept = await tx<{ id: string }[]>`
    insert into anomalies (merchant_id, livemode, subject_id, kind, fact, id, operator, evidence)
    select merchant_id, livemode, subject_id, kind, fact, id, operator, evidence
      from ${given(tx, 'anomalies r', anomalies, anomalyFields)}
    on conflict do nothing
    returning id`
  return new Set(kept.map(({ id }) => id))
}

/** The most open anomalies without a merchant in one mode, so that forged reports cannot fill the table. */
const UNMATCHED_MAX = 1_000

/** Inserts a report about a reference that is not ours. False when it is stored already, or when `UNMATCHED_MAX` are open. */
export async function insertUnmatchedCallback(tx: Tx, unmatched: NewAnomaly): Promise<boolean> {
  const { count } = await tx`
    insert into anomalies (merchant_id, livemode, subject_id, kind, fact, id, operator, evidence)
    select ${unmatched.merchant_id}::bigint, ${unmatched.livemode}::boolean, ${unmatched.subject_id}, ${unmatched.kind}, ${unmatched.fact},
           ${unmatched.id}, ${unmatched.operator}, ${tx.json(unmatched.evidence as never)}::jsonb
     where (select count(waiting.id)
              from (select id
                      from anomalies
                     where merchant_id = ${unmatched.merchant_id} and livemode = ${unmatched.livemode} and closed_at is null
                     limit ${UNMATCHED_MAX}) waiting) < ${UNMATCHED_MAX}
    on conflict do nothing`
  return count > 0
}

/** Reads the open anomalies of one merchant in one mode, oldest first. */
export async function readOpenAnomaliesOf(db: Db, tenant: Tenant, limit: number): Promise<AnomalyRow[]> {
  return db<AnomalyRow[]>`
    select ${db(columns)}
      from anomalies
     where merchant_id = ${tenant.merchant_id} and livemode = ${tenant.livemode} and closed_at is null
     order by opened_at, id
     limit ${limit}`
}

/**
 * Reads the open anomalies of all merchants and those without a merchant, oldest first.
 * @param livemode null for both modes
 */
export async function readOpenAnomalies(db: Db, livemode: boolean | null, limit: number): Promise<AnomalyRow[]> {
  return db<AnomalyRow[]>`
    select ${db(columns)}
      from anomalies
     where closed_at is null
       ${livemode === null ? db`` : db`and livemode = ${livemode}`}
     order by opened_at, id
     limit ${limit}`
}

/** Whether an anomaly of this kind is open about a subject. */
export async function isOpenAbout(
  db: Db,
  { merchant_id, livemode, subject_id }: Tenant & { subject_id: string },
  kind: AnomalyRow['kind'],
): Promise<boolean> {
  const rows = await db`
    select id
      from anomalies
     where merchant_id = ${merchant_id} and livemode = ${livemode} and subject_id = ${subject_id} and kind = ${kind}
       and closed_at is null
     limit 1`
  return rows.length > 0
}

/** Whether this fact about a subject is stored, open or closed. It is not stored twice. */
export async function findFact(
  db: Db,
  { merchant_id, livemode, subject_id, kind, fact }: Pick<AnomalyRow, keyof Tenant | 'subject_id' | 'kind' | 'fact'>,
): Promise<boolean> {
  const rows = await db`
    select id
      from anomalies
     where merchant_id = ${merchant_id} and livemode = ${livemode} and subject_id = ${subject_id} and kind = ${kind}
       and fact = ${fact}`
  return rows.length > 0
}

/** Finds an anomaly by its id alone, for staff. Null when there is none. */
export async function findAnomaly(db: Db, anomaly_id: string): Promise<AnomalyRow | null> {
  const [row] = await db<AnomalyRow[]>`
    select ${db(columns)}
      from anomalies
     where id = ${anomaly_id}`
  return row ?? null
}

/** Reads anomalies by their ids. */
export async function readAnomalies(db: Db, ids: readonly string[]): Promise<AnomalyRow[]> {
  if (ids.length === 0) return []
  return db<AnomalyRow[]>`
    select ${db(columns)}
      from anomalies
     where id = any(${[...ids]}::text[])`
}

/** Reads what was reported of one kind about these subjects, open or closed, newest first. */
export async function readReports(
  db: Db,
  subjects: readonly InstructionKey[],
  kind: AnomalyRow['kind'],
): Promise<AnomalyRow[]> {
  if (subjects.length === 0) return []
  const read = await eachShard(
    db,
    subjects,
    (some) => db<AnomalyRow[]>`
      select ${db(columns.map((column) => `a.${column}`))}
        from ${given(db, 'anomalies w', some, ['merchant_id', 'livemode', 'subject_id'])}
        join anomalies a on ${sameRow(db, 'a', 'w', some, ['subject_id'])} and a.kind = ${kind}
       order by a.opened_at desc, a.id desc`,
  )
  return read.flat()
}

/** Opens anomalies again that no people have closed. */
export async function reopenAnomalies(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx`
    update anomalies
       set closed_at = null
     where id = any(${[...ids]}::text[])`
}

/** Closes an anomaly. Has no effect on one that is closed already. */
export async function closeAnomaly(tx: Tx, anomaly: AnomalyRow): Promise<void> {
  await tx`
    update anomalies
       set closed_at = clock_now()
     where merchant_id = ${anomaly.merchant_id} and livemode = ${anomaly.livemode}
       and subject_id = ${anomaly.subject_id} and kind = ${anomaly.kind} and fact = ${anomaly.fact}
       and closed_at is null`
}

/** Seconds for which the oldest open anomaly has waited for people; 0 when none is open. */
export async function readAnomalyWait(db: Db): Promise<number> {
  return secondsSince(db, db`select min(opened_at) from anomalies where closed_at is null`)
}
