import type { Db, Tx } from '../platform/postgres/database.ts'
import type { Door } from '../values/actor.ts'
import type { ActName } from './act-words.ts'

type NewAct = {
  merchant_id: number
  livemode: boolean | null
  actor: string
  door: Door
  /** The client's IP address; null when the act came from the host itself. */
  from_address: string | null
  /** The fresh factor that confirmed this act; null when none was required. */
  step_up_id: string | null
  act: ActName
  subject: string | null
  before: object | null
  after: object | null
}

export type StoredAct = NewAct & { id: string; at: Date }

export function insertAct(tx: Tx, { before, after, ...line }: NewAct): void {
  tx.send(tx`
    insert into audit_log (merchant_id, livemode, actor, door, from_address, step_up_id, act, subject, before, after)
    values (${line.merchant_id}, ${line.livemode}, ${line.actor}, ${line.door}, ${line.from_address}, ${line.step_up_id},
            ${line.act}, ${line.subject}, ${before === null ? null : tx.json(before)}, ${after === null ? null : tx.json(after)})`)
}

export type ActsWanted = {
  /** A merchant's number, or 0 for the service as a whole. Null: all. */
  merchant_id: number | null
  /** The lines of this mode and of both. Null: of all modes. */
  livemode: boolean | null
  actor: string | null
  act: string | null
  subject: string | null
  /** Only lines before this moment. Null: up to now. */
  until: Date | null
}

/** A line's place in the order of age. Its time has no microseconds, because a `Date` loses them. */
export type Place = { at: Date; id: string }

/**
 * Reads the newest lines after a place. Those of one merchant are neighbours in the primary key, those of all in an index
 * by time, and those of a person, an act or a resource in an index of their own.
 */
export async function readActs(
  db: Db,
  { merchant_id, livemode, actor, act, subject, until }: ActsWanted,
  after: Place | null,
  limit: number,
): Promise<StoredAct[]> {
  const onlyIf = (column: string, value: string | number | null) =>
    value === null ? db`` : db`and ${db(column)} = ${value}`
  return db<StoredAct[]>`
    select at, actor, door, host(from_address) as from_address, step_up_id, act, merchant_id, livemode, subject, before,
           after, id
      from audit_log
     where true
       ${onlyIf('merchant_id', merchant_id)}
       ${livemode === null ? db`` : db`and (livemode is null or livemode = ${livemode})`}
       ${onlyIf('actor', actor)}
       ${onlyIf('act', act)}
       ${onlyIf('subject', subject)}
       ${until === null ? db`` : db`and at < ${until}`}
       ${
         after === null
           ? db``
           : db`and (at, id) < (select p.at, p.id
                                  from audit_log p
                                 where p.id = ${after.id}
                                   and p.at between ${after.at}::timestamptz and ${after.at}::timestamptz + interval '1 millisecond')`
       }
     order by at desc, id desc
     limit ${limit}`
}

/** Reads the newest lines of these acts in a mode or in both, of the last days. @param refund_above only refunds of more francs */
export function readWatched(
  db: Db,
  {
    acts,
    livemode,
    days,
    limit,
    refund_above,
  }: { acts: readonly string[]; livemode: boolean; days: number; limit: number; refund_above: number },
): Promise<StoredAct[]> {
  return db<StoredAct[]>`
    select at, actor, door, host(from_address) as from_address, step_up_id, act, merchant_id, livemode, subject, before,
           after, id
      from audit_log
     where act = any(${acts as string[]}::text[]) and (livemode is null or livemode = ${livemode})
       and at > clock_now() - make_interval(days => ${days})
       and case when act = 'refund.create' then (after ->> 'amount')::numeric > ${refund_above} else true end
     order by at desc, id desc
     limit ${limit}`
}

/** The francs that a signed-in person has moved alone in live mode in 24 hours, by deposits and refunds of all merchants. */
export async function readMovedAlone(db: Db, person: string): Promise<number> {
  const [row] = await db<{ moved: number }[]>`
    select coalesce(sum((after ->> 'amount')::numeric), 0)::bigint as moved
      from audit_log
     where actor = ${person} and at > clock_now() - interval '24 hours' and livemode
       and act in ('balance.deposit', 'refund.create') and door in ('console', 'command_line')`
  return row!.moved
}

/** The primary key of a line. Its time is a text, because a `Date` would lose the microseconds. */
type LineKey = { merchant_id: number; at: string; id: string }

/** Reads unchained lines, oldest first: of the last `hours`, by the index on time, or of all times when null. */
export async function readUnchained(tx: Tx, hours: number | null, limit: number): Promise<LineKey[]> {
  return tx<LineKey[]>`
    select l.merchant_id, l.at::text as at, l.id
      from audit_log l
     where ${hours === null ? tx`true` : tx`l.at > (select max(at) from audit_log) - make_interval(hours => ${hours})`}
       and not exists (select from audit_chain c where c.merchant_id = l.merchant_id and c.line_id = l.id)
     order by l.at, l.id
     limit ${limit}`
}

/** Adds a line after the last one of its merchant. */
export async function chainLine(tx: Tx, { merchant_id, at, id }: LineKey): Promise<void> {
  await tx`
    insert into audit_chain (merchant_id, sequence, line_at, line_id, hash)
    select l.merchant_id, coalesce(p.sequence, 0) + 1, l.at, l.id,
           audit_line_hash(coalesce(p.hash, ''), l.merchant_id, l.livemode, l.id, l.at, l.actor, l.door, l.from_address, l.step_up_id,
                           l.act, l.subject, l.before, l.after)
      from audit_log l
      left join (select merchant_id, sequence, hash
                   from audit_chain
                  where merchant_id = ${merchant_id}
                  order by sequence desc
                  limit 1) p on p.merchant_id = l.merchant_id
     where l.merchant_id = ${merchant_id} and l.at = ${at}::text::timestamptz and l.id = ${id}`
}

/** Reads the newest lines of an act at a merchant, or on the service as a whole, in the last days whose former values contain these, at most 20. */
export async function readActsWith(
  db: Db,
  { merchant_id, act, before, days }: { merchant_id: number; act: ActName; before: object; days: number },
): Promise<Pick<StoredAct, 'actor' | 'at' | 'after'>[]> {
  return db<Pick<StoredAct, 'actor' | 'at' | 'after'>[]>`
    select actor, at, after
      from audit_log
     where merchant_id = ${merchant_id} and act = ${act} and at > clock_now() - make_interval(days => ${days})
       and before @> ${db.json(before)}
     order by at desc, id desc
     limit 20`
}

type Link = { merchant_id: number; sequence: number; hash: string }

/** Reads the last link of each chain. */
export async function readHeads(db: Db): Promise<Link[]> {
  return db<Link[]>`
    select c.merchant_id, c.sequence, encode(c.hash, 'hex') as hash
      from (select merchant_id, max(sequence) as sequence from audit_chain group by merchant_id) h
      join audit_chain c using (merchant_id, sequence)
     order by c.merchant_id`
}

/** Reads these links of the chains, as far as they exist, and perhaps further ones with the same numbers. */
export async function readLinks(db: Db, wanted: readonly Pick<Link, 'merchant_id' | 'sequence'>[]): Promise<Link[]> {
  return db<Link[]>`
    select c.merchant_id, c.sequence, encode(c.hash, 'hex') as hash
      from audit_chain c
     where c.merchant_id = any(${wanted.map(({ merchant_id }) => merchant_id)}::bigint[])
       and c.sequence = any(${wanted.map(({ sequence }) => sequence)}::bigint[])`
}
