import type { Db, Tx } from '../../platform/postgres/database.ts'
import type { Tenant } from '../../values/caller.ts'

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

/** Merchants with terms, or with approvals that wait: a handful, because the team grants each. */
export async function readMerchantsAlone(db: Db, limit: number): Promise<number[]> {
  const [allowed, waiting] = await Promise.all([
    db<{ merchant_id: number }[]>`
      select merchant_id
        from single_person_terms
       where ended_at is null
       limit ${limit}`,
    db<{ merchant_id: number }[]>`
      select distinct merchant_id
        from solo_approvals
       where ended_at is null
       limit ${limit}`,
  ])
  return [...new Set([...allowed, ...waiting].map(({ merchant_id }) => merchant_id))]
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
  is_due: boolean
}

const approvals = (db: Db) => db`
    select merchant_id, livemode, subject_id, approved_by, approved_at, step_up_id, host(from_address) as from_address, takes_effect_at,
           takes_effect_at <= clock_now() as is_due
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

/** Those of a merchant in both modes, the soonest first. */
export function readAllSoloApprovals(db: Db, merchant_id: number, limit: number): Promise<SoloApproval[]> {
  return db<SoloApproval[]>`
    ${approvals(db)} and merchant_id = ${merchant_id}
     order by takes_effect_at
     limit ${limit}`
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

export type SoloOutcome = 'carried_out' | 'stopped' | 'decided' | 'not_alone'

/** How the last approval of this subject ended; null: it waits, or there was none. */
export async function readLastOutcome(
  db: Db,
  { merchant_id, livemode, subject_id }: SoloKey,
): Promise<SoloOutcome | null> {
  const [row] = await db<{ outcome: SoloOutcome | null }[]>`
    select outcome
      from solo_approvals
     where merchant_id = ${merchant_id} and livemode = ${livemode} and subject_id = ${subject_id}
     order by approved_at desc
     limit 1`
  return row?.outcome ?? null
}

/** Ends an approval that waits. False: none does any more. */
export async function endSoloApproval(
  tx: Tx,
  { merchant_id, livemode, subject_id }: SoloKey,
  outcome: SoloOutcome,
  ended_by: string,
): Promise<boolean> {
  const { count } = await tx`
    update solo_approvals
       set ended_at = clock_now(), ended_by = ${ended_by}, outcome = ${outcome}
     where merchant_id = ${merchant_id} and livemode = ${livemode} and subject_id = ${subject_id} and ended_at is null`
  return count > 0
}

/**
 * Locks an approval and the terms behind it until the transaction ends: a stop that comes now waits, and finds it carried out. True: as
 * the database holds, this person's own approval has waited for its day, where the team allows it.
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
