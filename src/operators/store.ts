import type { Db, Tx } from '../platform/postgres/database.ts'
import { given, insertRows, matching, sameRow } from '../platform/postgres/rows.ts'
import type { Instruction, InstructionKey } from './instruction.ts'
import type { InstructionState } from './instruction-states.ts'
import type { Collected, Evidence } from './port.ts'
import type { PayoutStop } from './routing/describe-operators.ts'
import type { Decision } from './sending/decide.ts'
import { LOST_JOB_SECONDS } from './sending/jobs.ts'

export type NewInstruction = InstructionKey &
  Pick<Instruction, 'direction' | 'operator' | 'amount' | 'currency' | 'msisdn' | 'simulate' | 'reference'> & {
    /** Only for a refund. */
    refund_of?: Collected
    /** For a refund, the connector that collected. Otherwise it is chosen when the sending begins. */
    connector?: string | null
  }

export const columns = [
  'merchant_id',
  'livemode',
  'subject_id',
  'direction',
  'operator',
  'connector',
  'amount',
  'currency',
  'msisdn',
  'simulate',
  'refund_of',
  'reference',
  'state',
  'operator_reference',
  'operator_state',
  'next_action',
  'failure_code',
  'asked',
  'attempts',
  'sent_again',
  'next_check_at',
  'created_at',
  'sent_at',
]

/** Reads the key from which references are derived. The first migration that needs it made it. */
export async function readReferenceKey(db: Db): Promise<Buffer> {
  const [row] = await db<{ key: Buffer }[]>`select key from order_reference_key`
  return row!.key
}

export function insertInstructions(tx: Tx, instructions: readonly NewInstruction[]): void {
  insertRows(tx, 'instructions', instructions)
}

/** Locks instructions in key order until the end of the transaction, so that an answer is decided on their current state. */
export async function lockInstructions(tx: Tx, keys: readonly InstructionKey[]): Promise<Instruction[]> {
  return tx<Instruction[]>`
    select ${tx(columns.map((column) => `i.${column}`))},
           (extract(epoch from clock_now() - i.sent_at) * 1000)::double precision as sent_ms_ago,
           (extract(epoch from clock_now() - i.vague_since) * 1000)::double precision as vague_ms_ago,
           (extract(epoch from clock_now() - i.concluded_at) * 1000)::double precision as ended_ms_ago
      from ${matching(tx, 'instructions i', keys, 'subject_id')}
     order by i.merchant_id, i.livemode, i.subject_id
       for no key update of i`
}

/** Reads those of the instructions that are in one of the states. */
export async function readInstructionsIn(
  db: Db,
  states: readonly InstructionState[],
  keys: readonly InstructionKey[],
): Promise<Instruction[]> {
  return db<Instruction[]>`
    select ${db(columns.map((column) => `i.${column}`))},
           (extract(epoch from clock_now() - i.sent_at) * 1000)::double precision as sent_ms_ago,
           (extract(epoch from clock_now() - i.concluded_at) * 1000)::double precision as ended_ms_ago
      from ${matching(db, 'instructions i', keys, 'subject_id')}
     where i.state = any(${[...states]}::text[])`
}

/** Finds the instruction of a payment, payout or refund by its id alone, for staff. Null when there is none. */
export async function findInstruction(db: Db, subject_id: string): Promise<Instruction | null> {
  const [row] = await db<Instruction[]>`
    select ${db(columns)},
           (extract(epoch from clock_now() - sent_at) * 1000)::double precision as sent_ms_ago
      from instructions
     where subject_id = ${subject_id}
     limit 1`
  return row ?? null
}

/** Reads the instruction of one merchant's payment, payout or refund. Null when there is none, or when it is another merchant's. */
export async function readInstruction(db: Db, key: InstructionKey): Promise<Instruction | null> {
  const [row] = await db<Instruction[]>`
    select ${db(columns)},
           (extract(epoch from clock_now() - sent_at) * 1000)::double precision as sent_ms_ago
      from instructions
     where subject_id = ${key.subject_id} and merchant_id = ${key.merchant_id} and livemode = ${key.livemode}`
  return row ?? null
}

export type Decided = InstructionKey &
  Omit<Decision, 'ask_in' | 'conclusion' | 'anomaly' | 'not_sent'> & { asked: number }

const decidedFields = [
  'merchant_id',
  'livemode',
  'subject_id',
  'state',
  'check_in',
  'is_vague',
  'look_in',
  'failure_code',
  'operator_reference',
  'operator_state',
  'next_action',
  'asked',
] as const

/** Writes the new state of instructions that this transaction has locked. */
export function updateInstructions(tx: Tx, decided: readonly Decided[]): void {
  tx.send(tx`
    update instructions i
       set state = n.state,
           next_check_at = n.next_check_at,
           vague_since = case when n.is_vague then coalesce(i.vague_since, n.decided_at) end,
           look_again_at = n.look_again_at,
           failure_code = n.failure_code,
           operator_reference = n.operator_reference,
           operator_state = n.operator_state,
           next_action = n.next_action,
           asked = n.asked,
           concluded_at = case when n.state in ('confirmed', 'refused') then coalesce(i.concluded_at, n.decided_at) end
      from (select merchant_id, livemode, subject_id, state, failure_code, operator_reference, operator_state, next_action,
                   asked, is_vague::boolean as is_vague, clock_now() as decided_at,
                   clock_now() + make_interval(secs => check_in::double precision / 1000) as next_check_at,
                   clock_now() + make_interval(secs => look_in::double precision / 1000) as look_again_at
              from ${given(tx, 'instructions d', decided, decidedFields)}) n
     where ${sameRow(tx, 'i', 'n', decided, 'subject_id')}`)
}

export type AnswerRow = InstructionKey & {
  number: number
  /** `person`: two people established it. */
  source: 'send' | 'inquiry' | 'person'
  outcome: string
  evidence: Evidence
}

export function insertAnswers(tx: Tx, answers: readonly AnswerRow[]): void {
  insertRows(tx, 'operator_answers', answers)
}

/** Selects due instructions: those of a merchant, a single one, or all when null. */
export type WhichDue = { merchant_id: number; subject_id?: string } | null

/** A due instruction, with the database's time at which it was claimed. */
export type DueInstruction = Instruction & { claimed_at: Date }

/**
 * Claims due instructions and postpones their next check by a minute, so that two sweeps never claim the same one.
 * Skips rows that another transaction has locked, because they are being worked on.
 */
export async function claimDueInstructions(tx: Tx, limit: number, which: WhichDue): Promise<DueInstruction[]> {
  const ofMerchant = (table: string) =>
    which === null ? tx`` : tx`and ${tx(table)}.merchant_id = ${which.merchant_id}`
  const alone = which?.subject_id === undefined ? tx`` : tx`and subject_id = ${which.subject_id}`
  return tx<DueInstruction[]>`
    with due as materialized (
      select merchant_id, livemode, subject_id
        from instructions
       where next_check_at <= clock_now()
         ${ofMerchant('instructions')}
         ${alone}
       order by next_check_at
       limit ${limit}
         for no key update skip locked
    )
    update instructions i
       set next_check_at = clock_now() + make_interval(secs => ${LOST_JOB_SECONDS})
      from due d
     where (i.merchant_id, i.livemode, i.subject_id) = (d.merchant_id, d.livemode, d.subject_id)
       ${ofMerchant('i')}
    returning ${tx(columns.map((column) => `i.${column}`))}, clock_now() as claimed_at`
}

/**
 * Lets the next sweep check payouts and refunds that are unsent, or may have to be sent again, before their time. Finds
 * them through the index of due instructions, which holds none that have ended.
 */
export async function recheckPreparedPayouts(db: Db): Promise<void> {
  const waiting = await db<{ merchant_id: number }[]>`
    select distinct merchant_id
      from instructions
     where next_check_at is not null
       and direction in ('payout', 'refund')
       and state in ('prepared', 'unknown')`
  // One statement for each merchant, because no transaction may touch rows of two merchants (`SHARDED`).
  for (const { merchant_id } of waiting) {
    await db`
      update instructions
         set next_check_at = clock_now()
       where merchant_id = ${merchant_id}
         and next_check_at is not null
         and direction in ('payout', 'refund')
         and state in ('prepared', 'unknown')`
  }
}

/** Reads the stops in force that can concern a merchant's payouts, and the time of the read. */
export async function readStops(db: Db, merchant_id: number): Promise<{ stops: PayoutStop[]; as_of: Date }> {
  const rows = await db<{ scope: PayoutStop['scope'] | null; value: string; as_of: Date }[]>`
    select s.scope, s.value, t.as_of
      from (select clock_now() as as_of) t
      left join stops_in_force s
        on s.scope in ('all', 'operator') or (s.scope = 'merchant' and s.value = ${String(merchant_id)})`
  const stops = rows.flatMap(({ scope, value }) => (scope === null ? [] : [{ scope, value }]))
  return { stops, as_of: rows[0]!.as_of }
}

/** Whether this connector carries an order that has not ended. The index of due instructions holds the few open ones. */
export async function hasOpenOrders(db: Db, connector: string): Promise<boolean> {
  const [row] = await db<{ open: boolean }[]>`
    select exists (
           select subject_id
             from instructions
            where connector = ${connector}
              and next_check_at is not null
              and state in ('prepared', 'sending', 'sent', 'unknown')) as open`
  return row!.open
}
