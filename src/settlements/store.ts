import type { TransitionedRow } from '../platform/commands/transitions.ts'
import type { Db, Tx } from '../platform/postgres/database.ts'
import { createTransitionWriter } from '../platform/postgres/record-transitions.ts'
import { insertRows, matching } from '../platform/postgres/rows.ts'
import { secondsSince } from '../platform/postgres/seconds-since.ts'
import { foldBankReference } from '../values/bank-reference.ts'
import type { Tenant } from '../values/caller.ts'
import type { SettlementKey, SettlementRow, SettlementStatus } from './settlement.ts'
import type { SettlementTrigger } from './states.ts'

/** A settlement as it is first written: it waits for validation, and nobody has decided anything. */
export type NewSettlement = Omit<
  SettlementRow,
  | 'status'
  | 'validated_by'
  | 'paid_by'
  | 'rejected_by'
  | 'bank_reference'
  | 'booking_date'
  | 'value_date'
  | 'rejection_reason'
  | 'validated_at'
  | 'paid_at'
  | 'rejected_at'
>

const columns = [
  'merchant_id',
  'livemode',
  'id',
  'amount',
  'currency',
  'status',
  'beneficiary_id',
  'name',
  'account_type',
  'operator',
  'last4',
  'designated_at',
  'made_by',
  'validated_by',
  'paid_by',
  'rejected_by',
  'bank_reference',
  'booking_date',
  'value_date',
  'rejection_reason',
  'created_at',
  'validated_at',
  'paid_at',
  'rejected_at',
]

/** Writes settlements that wait for validation. Does not wait. */
export function insertSettlements(tx: Tx, settlements: readonly NewSettlement[]): void {
  insertRows(tx, 'settlements', settlements)
}

/** The merchants' own floors in francs; one that is absent has none. */
export async function readFloors(
  db: Db,
  tenants: readonly Tenant[],
): Promise<readonly (Tenant & { minimum: number })[]> {
  return db<(Tenant & { minimum: number })[]>`
    select f.merchant_id, f.livemode, f.minimum
      from ${matching(db, 'settlement_floors f', tenants)}`
}

/** Sets a merchant's own floor in one mode, in francs; the one before is gone. */
export async function writeFloor(db: Db, { merchant_id, livemode }: Tenant, minimum: number): Promise<void> {
  await db`
    insert into settlement_floors (merchant_id, livemode, minimum)
    values (${merchant_id}, ${livemode}, ${minimum})
    on conflict (merchant_id, livemode) do update
      set minimum = excluded.minimum`
}

/** One settlement; null when it is not this caller's. */
export async function readSettlement(db: Db, key: SettlementKey): Promise<SettlementRow | null> {
  const [row] = await db<SettlementRow[]>`
    select ${db(columns)}
      from settlements
     where merchant_id = ${key.merchant_id} and livemode = ${key.livemode} and id = ${key.settlement_id}`
  return row ?? null
}

/** A merchant's newest settlements, and how many it has, of one moment. */
export async function readNewest(
  db: Db,
  { merchant_id, livemode }: Tenant,
  limit: number,
): Promise<{ settlements: SettlementRow[]; total_count: number }> {
  const rows = await db<(SettlementRow & { total_count: number })[]>`
    select ${db(columns)},
           (select count(*)
              from settlements
             where merchant_id = ${merchant_id} and livemode = ${livemode}) as total_count
      from settlements
     where merchant_id = ${merchant_id} and livemode = ${livemode}
     order by created_at desc, id desc
     limit ${limit}`
  // No row comes of no settlement: there is nothing to count then.
  return { settlements: rows, total_count: rows[0]?.total_count ?? 0 }
}

/** These settlements, the newest first; those that are not this caller's are left out. */
export async function readSettlementsOf(
  db: Db,
  { merchant_id, livemode }: Tenant,
  ids: readonly string[],
): Promise<SettlementRow[]> {
  return db<SettlementRow[]>`
    select ${db(columns)}
      from settlements
     where merchant_id = ${merchant_id} and livemode = ${livemode} and id = any(${ids})
     order by id desc`
}

/** The settlement with this id, for the team, which knows no merchant yet. Null when there is none. */
export async function findSettlement(db: Db, settlement_id: string): Promise<SettlementRow | null> {
  const [row] = await db<SettlementRow[]>`
    select ${db(columns)}
      from settlements
     where id = ${settlement_id}`
  return row ?? null
}

/** These settlements of one mode, of any merchant, for the team. */
export function findSettlements(db: Db, livemode: boolean, ids: readonly string[]): Promise<SettlementRow[]> {
  return db<SettlementRow[]>`
    select ${db(columns)}
      from settlements
     where id = any(${ids}) and livemode = ${livemode}
     order by id`
}

/** The settlements of one mode that these references of the bank have paid, looked up merchant by merchant as their index is. */
export function findAllPaidWith(db: Db, livemode: boolean, references: readonly string[]): Promise<SettlementRow[]> {
  return db<SettlementRow[]>`
    select ${db(columns.map((column) => `s.${column}`))}
      from merchant_modes m
      join settlements s on s.merchant_id = m.merchant_id and s.livemode = m.livemode
     where m.livemode = ${livemode}
       and s.bank_reference is not null
       and bank_reference_in(s.bank_reference) = any(${references.map(foldBankReference)})`
}

/** The settlements of these merchants that were paid with one of these sums, the newest first. */
export function readPaidAlike(
  db: Db,
  keys: readonly (Tenant & { readonly amount: number })[],
  limit: number,
): Promise<SettlementRow[]> {
  return db<SettlementRow[]>`
    select ${db(columns.map((column) => `s.${column}`))}
      from ${matching(db, 'settlements s', keys, ['amount'])}
     where s.status = 'paid'
     order by s.paid_at desc
     limit ${limit}`
}

/** A settlement that the transaction has locked, and how often it has moved. */
export type LockedSettlement = SettlementRow & { transition_count: number }

/** Locked for the rest of the transaction, so that a move is decided on the state as it stands. */
export async function lockSettlement(tx: Tx, key: SettlementKey): Promise<LockedSettlement | null> {
  const [row] = await tx<LockedSettlement[]>`
    select ${tx(columns)}, transition_count
      from settlements
     where merchant_id = ${key.merchant_id} and livemode = ${key.livemode} and id = ${key.settlement_id}
       for no key update`
  return row ?? null
}

/**
 * The settlement that a bank reference has paid already, or null, compared as in the index that refuses a second one. To be asked with the merchant's account locked: nobody enters one meanwhile.
 */
export async function findPaidWith(
  tx: Tx,
  { merchant_id, livemode }: Tenant,
  bank_reference: string,
): Promise<string | null> {
  const [row] = await tx<{ id: string }[]>`
    select id
      from settlements
     where merchant_id = ${merchant_id} and livemode = ${livemode}
       and bank_reference_in(bank_reference) = bank_reference_in(${bank_reference})
       and bank_reference is not null`
  return row?.id ?? null
}

const writeSettlements = createTransitionWriter(
  { table: 'settlements', log: 'settlement_transitions_log', subject: 'settlement_id' },
  [
    'validated_by',
    'validated_at',
    'paid_by',
    'paid_at',
    'rejected_by',
    'rejected_at',
    'bank_reference',
    'booking_date',
    'value_date',
    'rejection_reason',
  ],
  ['transitioned_by'],
)

/** Writes settlements that the transaction has locked as their moves left them, and the trace of each move, with who made it. */
export function updateSettlements(
  tx: Tx,
  moved: readonly TransitionedRow<LockedSettlement, SettlementTrigger>[],
): void {
  writeSettlements(
    tx,
    moved.map((one) => ({ ...one, transitioned_by: one.rejected_by ?? one.paid_by ?? one.validated_by })),
  )
}

/** Of the team's list: of one merchant or of all, in one mode or in both. */
export type OpenFilter = Partial<Tenant> & { limit: number }

/** The settlements that wait to be validated or paid, the oldest first. */
export async function readOpen(db: Db, { merchant_id, livemode, limit }: OpenFilter): Promise<SettlementRow[]> {
  return db<SettlementRow[]>`
    select ${db(columns)}
      from settlements
     where status in ('pending_validation', 'validated')
       ${merchant_id === undefined ? db`` : db`and merchant_id = ${merchant_id}`}
       ${livemode === undefined ? db`` : db`and livemode = ${livemode}`}
     order by created_at, id
     limit ${limit}`
}

/** A list of the desk: the settlements of one mode in one state, of one merchant or of all, after a cursor. */
export type ListFilter = {
  livemode: boolean
  status: SettlementStatus
  merchant_id: number | null
  after: { created_at: Date; id: string } | null
  limit: number
}

/** Those that wait for people come the oldest first, the others the newest first. */
export async function readList(db: Db, filter: ListFilter): Promise<SettlementRow[]> {
  const { livemode, status, merchant_id, after, limit } = filter
  const [beyond, order] =
    status === 'pending_validation' || status === 'validated' ? [db`>`, db`asc`] : [db`<`, db`desc`]
  return db<SettlementRow[]>`
    select ${db(columns)}
      from settlements
     where livemode = ${livemode} and status = ${status}
       ${merchant_id === null ? db`` : db`and merchant_id = ${merchant_id}`}
       ${after === null ? db`` : db`and (created_at, id) ${beyond} (${after.created_at}, ${after.id})`}
     order by created_at ${order}, id ${order}
     limit ${limit}`
}

/** The settlements that were paid before one was asked for: how many to its destination, and to another one, with the last of those. */
export type PaidBefore = { to_this: number; to_others: number; last_other: string | null }

export async function readPaidBefore(db: Db, settlement: SettlementRow): Promise<PaidBefore> {
  const { merchant_id, livemode, id, beneficiary_id, created_at } = settlement
  const [row] = await db<PaidBefore[]>`
    select count(*) filter (where beneficiary_id = ${beneficiary_id})::integer as to_this,
           count(*) filter (where beneficiary_id <> ${beneficiary_id})::integer as to_others,
           (array_agg(name || ' •• ' || last4 order by created_at desc) filter (where beneficiary_id <> ${beneficiary_id}))[1] as last_other
      from settlements
     where merchant_id = ${merchant_id} and livemode = ${livemode} and status = 'paid'
       and created_at < ${created_at} and id <> ${id}`
  return row!
}

/** Seconds for which the oldest settlement has waited for the team; 0 without one. */
export async function readSettlementWait(db: Db): Promise<number> {
  return secondsSince(
    db,
    db`select min(created_at) from settlements where status in ('pending_validation', 'validated')`,
  )
}
