import type { Db, Tx } from '../../platform/postgres/database.ts'
import { secondsSince } from '../../platform/postgres/seconds-since.ts'
import type { Instruction, InstructionKey } from '../instruction.ts'
import type { WhichDue } from '../store.ts'

/** A refused order to look at again. */
export type DueLook = InstructionKey & Pick<Instruction, 'operator'>

/** The column that makes an instruction due: for its next step, or for a late look. Each has a partial index. */
type DueColumn = 'next_check_at' | 'look_again_at'

/** Due instructions except those in the list, longest due first. Takes no locks. */
export async function readDueInstructions(
  db: Db,
  limit: number,
  without: readonly string[],
  column: DueColumn = 'next_check_at',
): Promise<{ merchant_id: number; subject_id: string }[]> {
  return db<{ merchant_id: number; subject_id: string }[]>`
    select merchant_id, subject_id
      from instructions
     where ${db(column)} <= clock_now() and subject_id <> all(${without})
     order by ${db(column)}
     limit ${limit}`
}

/**
 * The merchants of the instructions that have been due for longest.
 * @param limit the number of instructions to read
 */
export async function readMerchantsDue(db: Db, limit: number, column: DueColumn = 'next_check_at'): Promise<number[]> {
  const rows = await db<{ merchant_id: number }[]>`
    select distinct merchant_id
      from (select merchant_id
              from instructions
             where ${db(column)} <= clock_now()
             order by ${db(column)}
             limit ${limit}) longest`
  return rows.map(({ merchant_id }) => merchant_id)
}

/**
 * Claims due looks at refused orders, and moves each to the next one of its plan, or to none. So a look is lost only with
 * its job, and no look comes back for ever to an operator that has no connector any more. Skips locked rows.
 * @param seconds the looks of money that went out, and of collections, in seconds after the refusal
 */
export async function claimDueLooks(
  tx: Tx,
  limit: number,
  which: WhichDue,
  seconds: { readonly out: readonly number[]; readonly collect: readonly number[] },
): Promise<DueLook[]> {
  const ofMerchant = (table: string) =>
    which === null ? tx`` : tx`and ${tx(table)}.merchant_id = ${which.merchant_id}`
  const alone = which?.subject_id === undefined ? tx`` : tx`and subject_id = ${which.subject_id}`
  return tx<DueLook[]>`
    with due as materialized (
      select merchant_id, livemode, subject_id,
             case direction when 'collect' then ${[...seconds.collect]}::float8[] else ${[...seconds.out]}::float8[] end as looks
        from instructions
       where look_again_at <= clock_now()
         ${ofMerchant('instructions')}
         ${alone}
       order by look_again_at
       limit ${limit}
         for no key update skip locked
    )
    update instructions i
       set look_again_at = i.concluded_at + make_interval(
             secs => d.looks[width_bucket(extract(epoch from clock_now() - i.concluded_at)::float8, d.looks) + 1])
      from due d
     where (i.merchant_id, i.livemode, i.subject_id) = (d.merchant_id, d.livemode, d.subject_id)
       ${ofMerchant('i')}
    returning i.merchant_id, i.livemode, i.subject_id, i.operator`
}

/** Seconds for which the oldest instruction or group of collections has been due; 0 when none is due. */
export async function readInstructionLag(db: Db): Promise<number> {
  return secondsSince(
    db,
    db`
      select least((select min(next_check_at) from collection_outbox),
                   (select min(next_check_at) from instructions where next_check_at is not null))`,
  )
}
