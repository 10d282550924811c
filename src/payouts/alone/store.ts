import type { Db, Tx } from '../../platform/postgres/database.ts'
import type { Tenant } from '../../values/caller.ts'
import { type Page, type PageWanted, pageOf } from '../../values/page.ts'
import type { SoloOutcome, SoloRefusal } from '../../values/solo-approval.ts'

/** A leave for a merchant to decide alone, as it stands: proposed, or confirmed and in force. */
export type SinglePersonTerms = {
  merchant_id: number
  /** The only person who decides by it, as `normalizePerson` writes them. */
  person: string
  proposed_by: string
  proposed_at: Date
  reason: string
  confirmed_by: string | null
  confirmed_at: Date | null
}

const termColumns = ['merchant_id', 'person', 'proposed_by', 'proposed_at', 'reason', 'confirmed_by', 'confirmed_at']

/** The terms of a merchant that have not ended; null: there are none. */
export async function readTerms(db: Db, merchant_id: number): Promise<SinglePersonTerms | null> {
  const [row] = await db<SinglePersonTerms[]>`
    select ${db(termColumns)}
      from single_person_terms
     where merchant_id = ${merchant_id} and ended_at is null`
  return row ?? null
}

/** All terms that have not ended: a handful, because the staff grant each. */
export function readOpenTerms(db: Db, limit: number): Promise<SinglePersonTerms[]> {
  return db<SinglePersonTerms[]>`
    select ${db(termColumns)}
      from single_person_terms
     where ended_at is null
     limit ${limit}`
}

/** The same, locked. */
export async function lockTerms(tx: Tx, merchant_id: number): Promise<SinglePersonTerms | null> {
  const [row] = await tx<SinglePersonTerms[]>`
    select ${tx(termColumns)}
      from single_person_terms
     where merchant_id = ${merchant_id} and ended_at is null
       for update`
  return row ?? null
}

/** False: some are open already. */
export async function insertTerms(
  tx: Tx,
  {
    merchant_id,
    person,
    proposed_by,
    reason,
  }: Pick<SinglePersonTerms, 'merchant_id' | 'person' | 'proposed_by' | 'reason'>,
): Promise<boolean> {
  const { count } = await tx`
    insert into single_person_terms (merchant_id, person, proposed_by, reason)
    values (${merchant_id}, ${person}, ${proposed_by}, ${reason})
    on conflict (merchant_id) where ended_at is null do nothing`
  return count > 0
}

/** The database refuses the person who proposed them. */
export async function confirmTerms(tx: Tx, merchant_id: number, confirmed_by: string): Promise<void> {
  await tx`
    update single_person_terms
       set confirmed_by = ${confirmed_by}, confirmed_at = clock_now()
     where merchant_id = ${merchant_id} and ended_at is null`
}

export async function endTerms(tx: Tx, merchant_id: number, ended_by: string): Promise<void> {
  await tx`
    update single_person_terms
       set ended_by = ${ended_by}, ended_at = clock_now()
     where merchant_id = ${merchant_id} and ended_at is null`
}

export type SoloKey = Tenant & { subject_id: string }

/** An approval by one person that waits for its day. */
export type SoloApproval = SoloKey & {
  approved_by: string
  approved_at: Date
  step_up_id: string
  from_address: string | null
  takes_effect_at: Date
  /** Why it was not carried out since its day; null: its day has not come, or nothing stood against it. */
  refusal: SoloRefusal | null
}

const columns = (db: Db) =>
  db`merchant_id, livemode, subject_id, approved_by, approved_at, step_up_id, host(from_address) as from_address, takes_effect_at, refusal`
const known = (db: Db) => db`${columns(db)}, ended_at, ended_by, outcome`
const approvals = (db: Db) => db`
    select ${columns(db)}
      from solo_approvals
     where ended_at is null`

/** The approval of this subject that waits; null: there is none. */
export async function readSoloApproval(db: Db, key: SoloKey): Promise<SoloApproval | null> {
  const [row] = await db<SoloApproval[]>`
    ${approvals(db)} and merchant_id = ${key.merchant_id} and livemode = ${key.livemode} and subject_id = ${key.subject_id}`
  return row ?? null
}

/** Those of a merchant in one mode that wait, the soonest first. */
export function readSoloApprovals(db: Db, { merchant_id, livemode }: Tenant, limit: number): Promise<SoloApproval[]> {
  return db<SoloApproval[]>`
    ${approvals(db)} and merchant_id = ${merchant_id} and livemode = ${livemode}
     order by takes_effect_at
     limit ${limit}`
}

/** Those of a merchant in both modes. */
export function readAllSoloApprovals(db: Db, merchant_id: number): Promise<SoloApproval[]> {
  return db<SoloApproval[]>`
    ${approvals(db)} and merchant_id = ${merchant_id}
     order by approved_at`
}

/** Those of everybody whose day has come, the longest untried first: many that cannot be carried out hold up no other. */
export function readDueApprovals(db: Db, limit: number): Promise<SoloApproval[]> {
  return db<SoloApproval[]>`
    ${approvals(db)} and takes_effect_at <= clock_now()
     order by coalesce(tried_at, takes_effect_at), subject_id
     limit ${limit}`
}

/** Those of everybody about keys whose day has not come, the soonest first. */
export function readKeyApprovals(db: Db, limit: number): Promise<SoloApproval[]> {
  return db<SoloApproval[]>`
    ${approvals(db)} and takes_effect_at > clock_now() and left(subject_id, 4) not in ('por_', 'pob_')
     order by takes_effect_at
     limit ${limit}`
}

/** Notes that an approval is tried now, for the order of `readDueApprovals`. */
export async function markTried(db: Db, { merchant_id, livemode, subject_id }: SoloKey): Promise<void> {
  await db`
    update solo_approvals
       set tried_at = clock_now()
     where merchant_id = ${merchant_id} and livemode = ${livemode} and subject_id = ${subject_id} and ended_at is null`
}

type NewSolo = SoloKey & Pick<SoloApproval, 'approved_by' | 'step_up_id' | 'from_address'> & { hours: number }

/** Keeps an approval with the moment of its effect, by the database's clock. One that waits already stays. */
export async function insertSoloApproval(tx: Tx, one: NewSolo): Promise<void> {
  await tx`
    insert into solo_approvals (merchant_id, livemode, subject_id, approved_by, step_up_id, from_address, takes_effect_at)
    values (${one.merchant_id}, ${one.livemode}, ${one.subject_id}, ${one.approved_by}, ${one.step_up_id}, ${one.from_address},
            clock_now() + make_interval(hours => ${one.hours}))
    on conflict (merchant_id, livemode, subject_id) where ended_at is null do nothing`
}

/** An approval by one person with its end; null while it waits. */
export type KnownApproval = SoloApproval & {
  ended_at: Date | null
  ended_by: string | null
  outcome: SoloOutcome | null
}

/** The last approval of each of these subjects that has one, whether it waits or has ended. */
export function readLastApprovals(
  db: Db,
  { merchant_id, livemode }: Tenant,
  subject_ids: readonly string[],
): Promise<KnownApproval[]> {
  return db<KnownApproval[]>`
    select distinct on (subject_id) ${known(db)}
      from solo_approvals
     where merchant_id = ${merchant_id} and livemode = ${livemode} and subject_id = any(${subject_ids})
     order by subject_id, approved_at desc`
}

/** An approval on a page of all: `cursor` is where the next page begins. */
export type ListedApproval = KnownApproval & { cursor: string }

/** Approvals of all merchants in one mode: those that wait with the soonest first, or those that ended with the newest first. */
export async function readApprovalsPage(
  db: Db,
  { livemode, part, limit, after }: { livemode: boolean; part: 'waiting' | 'ended' } & PageWanted,
): Promise<Page<ListedApproval>> {
  const isWaiting = part === 'waiting'
  const moment = isWaiting ? db`takes_effect_at` : db`ended_at`
  const [, micros, subject_id] = /^(\d{1,16})_(\w{1,64})$/.exec(after ?? '') ?? []
  const from = db`(timestamptz 'epoch' + ${Number(micros ?? 0)}::bigint * interval '1 microsecond', ${subject_id ?? ''})`
  const beyond = micros === undefined ? db`` : db`and (${moment}, subject_id) ${isWaiting ? db`>` : db`<`} ${from}`
  const rows = await db<ListedApproval[]>`
    select ${known(db)}, (extract(epoch from ${moment}) * 1000000)::bigint || '_' || subject_id as cursor
      from solo_approvals
     where livemode = ${livemode} and (ended_at is null) = ${isWaiting} ${beyond}
     order by ${isWaiting ? db`takes_effect_at, subject_id` : db`ended_at desc, subject_id desc`}
     limit ${limit + 1}`
  return pageOf(rows, limit, ({ cursor }) => cursor)
}

/** Ends an approval that waits. Null: none does any more. */
export async function endSoloApproval(
  tx: Tx,
  { merchant_id, livemode, subject_id }: SoloKey,
  outcome: SoloOutcome,
  ended_by: string,
): Promise<Pick<SoloApproval, 'approved_by' | 'refusal'> | null> {
  const [row] = await tx<Pick<SoloApproval, 'approved_by' | 'refusal'>[]>`
    update solo_approvals
       set ended_at = clock_now(), ended_by = ${ended_by}, outcome = ${outcome}
     where merchant_id = ${merchant_id} and livemode = ${livemode} and subject_id = ${subject_id} and ended_at is null
     returning approved_by, refusal`
  return row ?? null
}

/** Keeps why an approval that waits was refused. The person who gave it; null: none waits, or it is refused for this already. */
export async function writeRefusal(
  tx: Tx,
  { merchant_id, livemode, subject_id }: SoloKey,
  refusal: SoloRefusal,
): Promise<string | null> {
  const [row] = await tx<{ approved_by: string }[]>`
    update solo_approvals
       set refusal = ${refusal}, refused_at = clock_now()
     where merchant_id = ${merchant_id} and livemode = ${livemode} and subject_id = ${subject_id} and ended_at is null
       and refusal is distinct from ${refusal}
     returning approved_by`
  return row?.approved_by ?? null
}

/** Locks the approvals of a merchant that wait, in one order, until the transaction ends. */
export async function lockSoloApprovals(tx: Tx, merchant_id: number): Promise<void> {
  await tx`
    select
      from solo_approvals
     where merchant_id = ${merchant_id} and ended_at is null
     order by livemode, subject_id
       for update`
}

/** Whether something that ends at this moment still stands so many hours from now, by the database's clock. */
export async function outlasts(db: Db, moment: Date, hours: number): Promise<boolean> {
  const [row] = await db<{ outlasts: boolean }[]>`
    select ${moment}::timestamptz > clock_now() + make_interval(hours => ${hours}) as outlasts`
  return row!.outlasts
}

/**
 * Locks an approval and the terms behind it until the transaction ends: a stop that comes now waits, and finds it carried out. True: as
 * the database holds, this person's own approval has waited for its day, where the staff allow it.
 */
export async function lockSoloApproval(
  tx: Tx,
  { merchant_id, livemode, subject_id }: SoloKey,
  person: string,
): Promise<boolean> {
  await tx`
    select
      from solo_approvals
     where merchant_id = ${merchant_id} and livemode = ${livemode} and subject_id = ${subject_id} and ended_at is null
       for update`
  await lockTerms(tx, merchant_id)
  const [row] = await tx<{ alone: boolean }[]>`
    select decides_alone(${merchant_id}, ${livemode}, ${subject_id}, ${person}) as alone`
  return row!.alone
}
