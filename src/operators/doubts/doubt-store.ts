import type { Db } from '../../platform/postgres/database.ts'
import { matching, sameRow } from '../../platform/postgres/rows.ts'
import type { Tenant } from '../../values/caller.ts'
import type { Instruction, InstructionKey } from '../instruction.ts'
import type { Evidence } from '../port.ts'
import type { AnomalyKind } from '../sending/decide.ts'
import type { Doubted } from './forecast.ts'

// Operations in doubt, their evidence, and the ends of earlier ones.

/** The row of an operation in doubt. Amounts in francs. */
export type DoubtRow = Tenant &
  Pick<
    Instruction,
    | 'subject_id'
    | 'direction'
    | 'operator'
    | 'connector'
    | 'amount'
    | 'currency'
    | 'state'
    | 'asked'
    | 'attempts'
    | 'next_check_at'
    | 'sent_at'
  > & {
    /** Seconds since it was sent. */
    age_seconds: number
    /** Whether its operator has been silent for too long. */
    silent: boolean
    /** The open anomalies about it. */
    anomaly_ids: string[]
  }

/** Seconds after the send from which an operator without a final answer is silent: the simulator, and all others. */
export type Silences = { simulator: number; others: number }

/**
 * Reads sent operations without a known outcome, oldest first: the instruction is `unknown`, its operator has been
 * silent for too long, or an anomaly is open about it. The partial index `instructions_due` holds all open operations.
 */
export async function readDoubts(
  db: Db,
  { livemode, silences, limit }: { livemode: boolean | null; silences: Silences; limit: number },
): Promise<DoubtRow[]> {
  const { simulator, others } = silences
  const silent = db`i.sent_at < clock_now() - make_interval(
             secs => case when i.connector = 'simulator' then ${simulator}::double precision else ${others}::double precision end)`
  return db<DoubtRow[]>`
    select i.merchant_id, i.livemode, i.subject_id, i.direction, i.operator, i.connector, i.amount, i.currency, i.state, i.asked,
           i.attempts, i.next_check_at, i.sent_at,
           extract(epoch from clock_now() - i.sent_at)::double precision as age_seconds,
           ${silent} as silent,
           coalesce(o.ids, '{}') as anomaly_ids
      from instructions i
      left join lateral (
           select array_agg(a.id order by a.opened_at, a.id) as ids
             from anomalies a
            where a.merchant_id = i.merchant_id and a.livemode = i.livemode and a.subject_id = i.subject_id and a.closed_at is null) o
        on true
     where i.next_check_at is not null
       and i.state in ('sending', 'sent', 'unknown')
       ${livemode === null ? db`` : db`and i.livemode = ${livemode}`}
       and (i.state = 'unknown'
            or ${silent}
            or o.ids is not null)
     order by i.sent_at
     limit ${limit}`
}

/** A send in the journal. `not_sent_at`: when it was proven never to have left; null without such a proof. */
export type SendRow = { attempt: number; connector: string; sent_at: Date; not_sent_at: Date | null }

/** The sends of an instruction, first to last. The database allows fourteen that may have left. */
export async function readSends(db: Db, key: InstructionKey): Promise<SendRow[]> {
  return db<SendRow[]>`
    select attempt, connector, sent_at, not_sent_at
      from sends
     where merchant_id = ${key.merchant_id} and livemode = ${key.livemode} and subject_id = ${key.subject_id}
     order by attempt`
}

export type AnswerRead = {
  number: number
  source: 'send' | 'inquiry' | 'person'
  outcome: string
  evidence: Evidence
  answered_at: Date
}

/** The newest answers about an instruction, newest first. */
export async function readAnswers(db: Db, key: InstructionKey, limit: number): Promise<AnswerRead[]> {
  return db<AnswerRead[]>`
    select number, source, outcome, evidence, answered_at
      from operator_answers
     where merchant_id = ${key.merchant_id} and livemode = ${key.livemode} and subject_id = ${key.subject_id}
     order by number desc
     limit ${limit}`
}

/** The latest answer about a refused order that came after its refusal. */
export type LaterAnswer = InstructionKey & { outcome: string }

/**
 * The latest answer to an inquiry about each of these refused orders, if it came some time after the end and is not too
 * old. A proof counts whenever it came, because it does not pass, and any answer counts before one that tells nothing.
 */
export async function readLaterAnswers(
  db: Db,
  keys: readonly InstructionKey[],
  seconds: { readonly after_end: number; readonly old_at: number },
): Promise<LaterAnswer[]> {
  if (keys.length === 0) return []
  return db<LaterAnswer[]>`
    select distinct on (i.merchant_id, i.livemode, i.subject_id) i.merchant_id, i.livemode, i.subject_id, a.outcome
      from ${matching(db, 'instructions i', keys, 'subject_id')}
      join operator_answers a on ${sameRow(db, 'a', 'i', keys, 'subject_id')}
     where a.source = 'inquiry'
       and (a.outcome = 'settled'
            or (a.answered_at >= i.concluded_at + make_interval(secs => ${seconds.after_end})
                and a.answered_at > clock_now() - make_interval(secs => ${seconds.old_at})))
     order by i.merchant_id, i.livemode, i.subject_id, a.outcome = 'settled' desc, a.outcome = 'unknown', a.number desc`
}

export type CallbackRead = { evidence: Evidence; received_at: Date; times_received: number }

/**
 * The newest callbacks about a reference, newest first. Their keys begin with the first eight bytes of the reference,
 * so they are neighbours in the index.
 */
export async function readCallbacksAbout(
  db: Db,
  { connector, reference }: { connector: string; reference: string },
  limit: number,
): Promise<CallbackRead[]> {
  const from = Buffer.from(reference.slice(0, 8), 'latin1')
  const to = Buffer.concat([from, Buffer.alloc(32 - from.length, 0xff)])
  return db<CallbackRead[]>`
    select evidence, received_at, times_received
      from operator_callbacks
     where connector = ${connector}
       and digest between ${from} and ${to}
       and reference = ${reference}
     order by received_at desc
     limit ${limit}`
}

export type AnomalyRead = { id: string; kind: AnomalyKind; fact: string; opened_at: Date; closed_at: Date | null }

/** The newest anomalies about an instruction, newest first. */
export async function readAnomaliesAbout(db: Db, key: InstructionKey, limit: number): Promise<AnomalyRead[]> {
  return db<AnomalyRead[]>`
    select id, kind, fact, opened_at, closed_at
      from anomalies
     where merchant_id = ${key.merchant_id} and livemode = ${key.livemode} and subject_id = ${key.subject_id}
     order by opened_at desc
     limit ${limit}`
}

/** The most answers of operations in doubt that one forecast reads. */
const LOOKED_AT = 5_000

/**
 * Reads how earlier operations in doubt ended: those of the same operator, connector, direction and mode, among the
 * newest in doubt of all operators.
 */
export async function readDoubted(
  db: Db,
  { livemode, operator, connector, direction, subject_id }: Instruction,
): Promise<Doubted[]> {
  return db<Doubted[]>`
    with doubtful as materialized (
      select merchant_id, livemode, subject_id
        from operator_answers
       where (source = 'send' and outcome = 'unknown') or number = 8
       order by answered_at desc
       limit ${LOOKED_AT}
    )
    select i.state,
           extract(epoch from coalesce(i.concluded_at, clock_now()) - i.sent_at)::double precision as seconds,
           exists (
             select from operator_answers p
              where p.merchant_id = i.merchant_id and p.livemode = i.livemode and p.subject_id = i.subject_id and p.source = 'person'
           ) as by_people
      from (select distinct merchant_id, livemode, subject_id from doubtful) d
      join instructions i
        on i.merchant_id = d.merchant_id and i.livemode = d.livemode and i.subject_id = d.subject_id
     where i.livemode = ${livemode}
       and i.operator is not distinct from ${operator}
       and i.connector is not distinct from ${connector}
       and i.direction = ${direction}
       and i.subject_id <> ${subject_id}
       and i.sent_at is not null`
}
