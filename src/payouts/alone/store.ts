import type { Db, Tx } from '../../platform/postgres/database.ts'
import type { Tenant } from '../../values/caller.ts'
import { type Page, type PageWanted, pageOf } from '../../values/page.ts'
import type { SoloOutcome, SoloRefusal } from '../../values/solo-approval.ts'

/** The terms that let a merchant's only person decide alone: proposed, or confirmed and in force. */
export type SinglePersonTerms = {
  merchant_id: number
  /** The only person who may decide alone, as `normalizePerson` writes them. */
  person: string
  proposed_by: string
  proposed_at: Date
  reason: string
  confirmed_by: string | null
  confirmed_at: Date | null
}

const termColumns = ['merchant_id', 'person', 'proposed_by', 'proposed_at', 'reason', 'confirmed_by', 'confirmed_at']

/** The terms of a merchant that have not ended. Null when there are none. */
export async function readTerms(db: Db, merchant_id: number): Promise<SinglePersonTerms | null> {
  const [row] = await db<SinglePersonTerms[]>`
    select ${db(termColumns)}
      from single_person_terms
     where merchant_id = ${merchant_id} and ended_at is null`
  return row ?? null
}

/** Reads terms that have not ended, in the order of their merchants, from the merchant after this one on. */
export function readOpenTerms(db: Db, after: number, limit: number): Promise<SinglePersonTerms[]> {
  return db<SinglePersonTerms[]>`
    select ${db(termColumns)}
      from single_person_terms
     where ended_at is null and merchant_id > ${after}
     order by merchant_id
     limit ${limit}`
}

/** `readTerms`, locked until the transaction ends. */
export async function lockTerms(tx: Tx, merchant_id: number): Promise<SinglePersonTerms | null> {
  const [row] = await tx<SinglePersonTerms[]>`
    select ${tx(termColumns)}
      from single_person_terms
     where merchant_id = ${merchant_id} and ended_at is null
       for update`
  return row ?? null
}

/** Inserts a proposal. The index `single_person_terms_open` refuses it when the merchant has terms already. */
export async function insertTerms(
  tx: Tx,
  {
    merchant_id,
    person,
    proposed_by,
    reason,
  }: Pick<SinglePersonTerms, 'merchant_id' | 'person' | 'proposed_by' | 'reason'>,
): Promise<void> {
  await tx`
    insert into single_person_terms (merchant_id, person, proposed_by, reason)
    values (${merchant_id}, ${person}, ${proposed_by}, ${reason})`
}

/** Confirms the open terms. The database throws if the person who proposed them confirms them. */
export async function confirmTerms(tx: Tx, merchant_id: number, confirmed_by: string): Promise<void> {
  await tx`
    update single_person_terms
       set confirmed_by = ${confirmed_by}, confirmed_at = clock_now()
     where merchant_id = ${merchant_id} and ended_at is null`
}

/** Ends the open terms of a merchant. Changes nothing when there are none. */
export async function endTerms(tx: Tx, merchant_id: number, ended_by: string): Promise<void> {
  await tx`
    update single_person_terms
       set ended_by = ${ended_by}, ended_at = clock_now()
     where merchant_id = ${merchant_id} and ended_at is null`
}

/** The subject of an approval: a payout request, a batch or a key of one merchant in one mode. */
export type SoloKey = Tenant & { subject_id: string }

/** An approval by one person that waits for its effect at `takes_effect_at`. */
export type SoloApproval = SoloKey & {
  approved_by: string
  approved_at: Date
  step_up_id: string
  from_address: string | null
  takes_effect_at: Date
  /** The reason for the last refusal after `takes_effect_at`. Null when the service has not refused to carry it out. */
  refusal: SoloRefusal | null
}

const columns = (db: Db) =>
  db`merchant_id, livemode, subject_id, approved_by, approved_at, step_up_id, host(from_address) as from_address, takes_effect_at, refusal`
const known = (db: Db) => db`${columns(db)}, ended_at, ended_by, outcome`
const approvals = (db: Db) => db`
    select ${columns(db)}
      from solo_approvals
     where ended_at is null`

/** The waiting approval of this subject. Null when there is none. */
export async function readSoloApproval(db: Db, key: SoloKey): Promise<SoloApproval | null> {
  const [row] = await db<SoloApproval[]>`
    ${approvals(db)} and merchant_id = ${key.merchant_id} and livemode = ${key.livemode} and subject_id = ${key.subject_id}`
  return row ?? null
}

/** The waiting approvals of a merchant in one mode, in the order of their effect. */
export function readSoloApprovals(db: Db, { merchant_id, livemode }: Tenant, limit: number): Promise<SoloApproval[]> {
  return db<SoloApproval[]>`
    ${approvals(db)} and merchant_id = ${merchant_id} and livemode = ${livemode}
     order by takes_effect_at
     limit ${limit}`
}

/** The waiting approvals of a merchant in both modes, oldest first. */
export function readAllSoloApprovals(db: Db, merchant_id: number): Promise<SoloApproval[]> {
  return db<SoloApproval[]>`
    ${approvals(db)} and merchant_id = ${merchant_id}
     order by approved_at`
}

/**
 * Approvals of all merchants that are due. Those tried longest ago come first, so that approvals that cannot be carried
 * out delay no other.
 */
export function readDueApprovals(db: Db, limit: number): Promise<SoloApproval[]> {
  return db<SoloApproval[]>`
    ${approvals(db)} and takes_effect_at <= clock_now()
     order by coalesce(tried_at, takes_effect_at), subject_id
     limit ${limit}`
}

/** Approvals of keys, of all merchants, that are not due yet, in the order of their effect. */
export function readKeyApprovals(db: Db, limit: number): Promise<SoloApproval[]> {
  return db<SoloApproval[]>`
    ${approvals(db)} and takes_effect_at > clock_now() and left(subject_id, 4) not in ('por_', 'pob_')
     order by takes_effect_at
     limit ${limit}`
}

/** Writes that the service tries an approval now, for the order of `readDueApprovals`. */
export async function markTried(db: Db, { merchant_id, livemode, subject_id }: SoloKey): Promise<void> {
  await db`
    update solo_approvals
       set tried_at = clock_now()
     where merchant_id = ${merchant_id} and livemode = ${livemode} and subject_id = ${subject_id} and ended_at is null`
}

type NewSolo = Omit<SoloApproval, 'refusal'>

/** Inserts an approval that waits. The index `solo_approvals_open` refuses a second one of its subject. */
export async function insertSoloApproval(tx: Tx, one: NewSolo): Promise<void> {
  await tx`
    insert into solo_approvals
      (merchant_id, livemode, subject_id, approved_by, approved_at, step_up_id, from_address, takes_effect_at)
    values (${one.merchant_id}, ${one.livemode}, ${one.subject_id}, ${one.approved_by}, ${one.approved_at}, ${one.step_up_id},
            ${one.from_address}, ${one.takes_effect_at})`
}

/** `readSoloApproval`, locked until the transaction ends. */
export async function lockWaiting(tx: Tx, key: SoloKey): Promise<SoloApproval | null> {
  const [row] = await tx<SoloApproval[]>`
    ${approvals(tx)} and merchant_id = ${key.merchant_id} and livemode = ${key.livemode} and subject_id = ${key.subject_id}
       for update`
  return row ?? null
}

/** An approval by one person with its end. The three fields are null while it waits. */
export type KnownApproval = SoloApproval & {
  ended_at: Date | null
  ended_by: string | null
  outcome: SoloOutcome | null
}

/** The last approval of each of these subjects, waiting or ended. Subjects without an approval are left out. */
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

/** An approval on a page of all approvals. `cursor` is where the next page begins. */
export type ListedApproval = KnownApproval & { cursor: string }

/** A page of all merchants' approvals in one mode: the waiting ones in the order of their effect, or the ended ones, newest first. */
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

/** Ends a waiting approval, and returns its person and its last refusal. Null when none waits. */
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

/**
 * Writes the reason why the service did not carry out a waiting approval.
 * @returns the person who gave it; null when none waits, or when the reason is the one already written
 */
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

/** Locks the waiting approvals of a merchant, in key order, until the transaction ends. */
export async function lockSoloApprovals(tx: Tx, merchant_id: number): Promise<void> {
  await tx`
    select
      from solo_approvals
     where merchant_id = ${merchant_id} and ended_at is null
     order by livemode, subject_id
       for update`
}

/** Whether `moment` is more than `hours` from now, by the database's clock. */
export async function outlasts(db: Db, moment: Date, hours: number): Promise<boolean> {
  const [row] = await db<{ outlasts: boolean }[]>`
    select ${moment}::timestamptz > clock_now() + make_interval(hours => ${hours}) as outlasts`
  return row!.outlasts
}

/**
 * Locks an approval and the terms behind it until the transaction ends, so that a stop waits and then finds the approval
 * carried out. True when the database lets this person decide alone: the approval is theirs, it is due, and the terms
 * are in force.
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
