import type { Db, Tx } from '../platform/postgres/database.ts'
import type { Tenant } from '../values/caller.ts'

export type ProposalStatus = 'proposed' | 'confirmed' | 'refused' | 'withdrawn' | 'lapsed'

/** The key of a proposal. */
export type ProposalKey = Tenant & { id: string }

/** A proposal to designate an entry for settlements, with the end of the entry's account. */
export type ProposalRow = ProposalKey & {
  beneficiary_id: string
  status: ProposalStatus
  proposed_by: string
  proposed_at: Date
  decided_by: string | null
  decided_at: Date | null
  /** The one of the two people who is an owner. Null: not confirmed, or designated by a command. */
  owner: string | null
  reason: string | null
  /** Whether a command on the host designated at once. */
  break_glass: boolean
  /** The session whose payment proved an owner's own number, in the place of a second person. Null: two people, or a command. */
  proof_session_id: string | null
  /** Whether two people of the company decide, because the merchant has one person. */
  by_company: boolean
  /** The first of them, who called the owner. Null: nobody has. */
  called_by: string | null
  called_at: Date | null
  called_number: string | null
  call_report: string | null
  /** The person who stopped the change during its cooling-off. Null: nobody. */
  stopped_by: string | null
  stopped_at: Date | null
  name: string
  /** The operator of a wallet. Null for a bank account. */
  operator: string | null
  last4: string
}

const columns = [
  ...['merchant_id', 'livemode', 'id', 'beneficiary_id', 'status', 'proposed_by', 'proposed_at', 'decided_by'],
  ...['decided_at', 'owner', 'reason', 'break_glass', 'proof_session_id', 'by_company', 'called_by'],
  ...['called_at', 'called_number', 'call_report', 'stopped_by', 'stopped_at'],
]

function shown(db: Db) {
  return db`${db(columns.map((column) => `p.${column}`))}, b.name, b.operator, b.last4`
}

function joined(db: Db, { merchant_id, livemode }: Tenant) {
  return db`destination_proposals p
      join beneficiaries b
        on b.merchant_id = p.merchant_id and b.livemode = p.livemode and b.id = p.beneficiary_id
     where p.merchant_id = ${merchant_id} and p.livemode = ${livemode}`
}

/** Reads the proposal that waits. Null when none does. */
export async function readWaiting(db: Db, tenant: Tenant): Promise<ProposalRow | null> {
  const [row] = await db<ProposalRow[]>`
    select ${shown(db)}
      from ${joined(db, tenant)} and p.status = 'proposed'`
  return row ?? null
}

/** Lists decided proposals, newest first. */
export async function readPast(db: Db, tenant: Tenant, limit: number): Promise<ProposalRow[]> {
  return db<ProposalRow[]>`
    select ${shown(db)}
      from ${joined(db, tenant)} and p.status <> 'proposed'
     order by p.proposed_at desc, p.id desc
     limit ${limit}`
}

/** Reads one proposal. Null when it is not this merchant's. */
export async function readProposal(db: Db, { id, ...tenant }: ProposalKey): Promise<ProposalRow | null> {
  const [row] = await db<ProposalRow[]>`
    select ${shown(db)}
      from ${joined(db, tenant)} and p.id = ${id}`
  return row ?? null
}

export type NewProposal = Pick<ProposalRow, keyof ProposalKey | 'beneficiary_id' | 'proposed_by' | 'by_company'>

/** Inserts a proposal that waits. */
export async function insertProposal(
  tx: Tx,
  { merchant_id, livemode, id, beneficiary_id, proposed_by, by_company }: NewProposal,
): Promise<void> {
  await tx`
    insert into destination_proposals (merchant_id, livemode, id, beneficiary_id, proposed_by, by_company)
    values (${merchant_id}, ${livemode}, ${id}, ${beneficiary_id}, ${proposed_by}, ${by_company})`
}

/** Records a command on the host that designated at once. */
export async function insertBreakGlass(
  tx: Tx,
  { merchant_id, livemode }: Tenant,
  beneficiary_id: string,
  person: string,
): Promise<void> {
  await tx`
    insert into destination_proposals
      (merchant_id, livemode, beneficiary_id, status, proposed_by, decided_by, decided_at, break_glass)
    values (${merchant_id}, ${livemode}, ${beneficiary_id}, 'confirmed', ${person}, ${person}, clock_now(), true)`
}

/** Records an owner's own number, which a payment proved. The database allows it once. */
export async function insertOwn(
  tx: Tx,
  { merchant_id, livemode, id, person, proof_session_id }: ProposalKey & { person: string; proof_session_id: string },
): Promise<void> {
  await tx`
    insert into destination_proposals
      (merchant_id, livemode, beneficiary_id, status, proposed_by, decided_by, decided_at, owner, proof_session_id)
    values (${merchant_id}, ${livemode}, ${id}, 'confirmed', ${person}, ${person}, clock_now(), ${person}, ${proof_session_id})`
}

/** Whether a destination was ever confirmed in this mode, also one whose change was stopped. */
export async function hasConfirmed(db: Db, { merchant_id, livemode }: Tenant): Promise<boolean> {
  const rows = await db`
    select
      from destination_proposals
     where merchant_id = ${merchant_id} and livemode = ${livemode} and status = 'confirmed'
     limit 1`
  return rows.length > 0
}

/** Finds a proposal of any merchant by its id alone. Null when there is none. */
export async function findProposal(db: Db, id: string): Promise<ProposalKey | null> {
  const [row] = await db<ProposalKey[]>`
    select merchant_id, livemode, id
      from destination_proposals
     where id = ${id}`
  return row ?? null
}

/** Finds a proposal on which the company decides by its id alone. Null when there is none. */
export async function findCompanyProposal(db: Db, id: string): Promise<ProposalKey | null> {
  const [row] = await db<ProposalKey[]>`
    select merchant_id, livemode, id
      from destination_proposals
     where id = ${id} and by_company`
  return row ?? null
}

/** The most proposals in one list. */
const SHOWN_MAX = 500

/** Lists the proposals of all merchants that wait for the company in one mode, oldest first. */
export function readWaitingOfCompany(db: Db, livemode: boolean): Promise<ProposalRow[]> {
  return db<ProposalRow[]>`
    select ${shown(db)}
      from destination_proposals p
      join beneficiaries b
        on b.merchant_id = p.merchant_id and b.livemode = p.livemode and b.id = p.beneficiary_id
     where p.by_company and p.status = 'proposed' and p.livemode = ${livemode}
     order by p.proposed_at, p.id
     limit ${SHOWN_MAX}`
}

/** The call of the first person of the company. */
export type NotedCall = ProposalKey & {
  called_by: string
  called_at: Date
  called_number: string
  call_report: string
}

/** Writes the call of a waiting proposal. The database keeps the first one. */
export async function updateCall(tx: Tx, { merchant_id, livemode, id, ...call }: NotedCall): Promise<void> {
  await tx`
    update destination_proposals
       set called_by = ${call.called_by}, called_at = ${call.called_at}, called_number = ${call.called_number},
           call_report = ${call.call_report}
     where merchant_id = ${merchant_id} and livemode = ${livemode} and id = ${id}`
}

/** Writes the decisions on proposals. The transaction has locked the destinations of their merchants. */
export async function updateProposals(tx: Tx, decided: readonly ProposalRow[]): Promise<void> {
  for (const { merchant_id, livemode, id, status, decided_by, decided_at, owner, reason } of decided) {
    await tx`
      update destination_proposals
         set status = ${status}, decided_by = ${decided_by}, decided_at = ${decided_at}, owner = ${owner}, reason = ${reason}
       where merchant_id = ${merchant_id} and livemode = ${livemode} and id = ${id}`
  }
}

/** Reads the last confirmed change to a destination, with the person who stopped it. Null: it was designated before changes were kept. */
export async function readLastConfirmed(
  db: Db,
  { merchant_id, livemode }: Tenant,
  beneficiary_id: string,
): Promise<Pick<ProposalRow, 'id' | 'stopped_by'> | null> {
  const [row] = await db<Pick<ProposalRow, 'id' | 'stopped_by'>[]>`
    select id, stopped_by
      from destination_proposals
     where merchant_id = ${merchant_id} and livemode = ${livemode} and beneficiary_id = ${beneficiary_id}
       and status = 'confirmed'
     order by decided_at desc, id desc
     limit 1`
  return row ?? null
}

/** Records on a confirmed change that a person stopped it during its cooling-off. */
export async function markStopped(tx: Tx, { merchant_id, livemode, id }: ProposalKey, person: string): Promise<void> {
  await tx`
    update destination_proposals
       set stopped_by = ${person}, stopped_at = clock_now()
     where merchant_id = ${merchant_id} and livemode = ${livemode} and id = ${id} and stopped_at is null`
}

/** A destination that can be proposed, with the end of its account. */
export type ActiveDestination = { id: string; name: string; operator: string | null; last4: string }

/** The most destinations that the console offers. */
const OFFERED_MAX = 50

/** Lists the newest active destinations for settlements. */
export async function readActiveDestinations(db: Db, { merchant_id, livemode }: Tenant): Promise<ActiveDestination[]> {
  return db<ActiveDestination[]>`
    select id, name, operator, last4
      from beneficiaries
     where merchant_id = ${merchant_id} and livemode = ${livemode} and kind = 'settlement' and active
     order by created_at desc, id desc
     limit ${OFFERED_MAX}`
}
