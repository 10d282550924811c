import type { TransitionedRow } from '../platform/commands/transitions.ts'
import type { Db, Tx } from '../platform/postgres/database.ts'
import { createTransitionWriter } from '../platform/postgres/record-transitions.ts'
import { given, insertRows, matching, sameRow } from '../platform/postgres/rows.ts'
import { secondsSince } from '../platform/postgres/seconds-since.ts'
import { foldBankReference } from '../values/bank-reference.ts'
import type { Tenant } from '../values/caller.ts'
import type { AccountTaken, SettlementKey, SettlementRow, SettlementStatus } from './settlement.ts'
import type { SettlementTrigger } from './states.ts'

/** The row of a new settlement, which waits for validation. */
export type NewSettlement = Omit<
  SettlementRow,
  | 'status'
  | keyof AccountTaken
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
  'account_taken_at',
  'account_taken_by',
]

/** Inserts settlements that wait for validation. */
export function insertSettlements(tx: Tx, settlements: readonly NewSettlement[]): void {
  insertRows(tx, 'settlements', settlements)
}

/** Reads the merchants' own floors in francs. A merchant without one is absent. */
export async function readFloors(
  db: Db,
  tenants: readonly Tenant[],
): Promise<readonly (Tenant & { minimum: number })[]> {
  return db<(Tenant & { minimum: number })[]>`
    select f.merchant_id, f.livemode, f.minimum
      from ${matching(db, 'settlement_floors f', tenants)}`
}

/** Sets a merchant's own floor in one mode, in francs, in place of the previous one. */
export async function writeFloor(db: Db, { merchant_id, livemode }: Tenant, minimum: number): Promise<void> {
  await db`
    insert into settlement_floors (merchant_id, livemode, minimum)
    values (${merchant_id}, ${livemode}, ${minimum})
    on conflict (merchant_id, livemode) do update
      set minimum = excluded.minimum`
}

/** Reads one settlement. Null when it is not this caller's. */
export async function readSettlement(db: Db, key: SettlementKey): Promise<SettlementRow | null> {
  const [row] = await db<SettlementRow[]>`
    select ${db(columns)}
      from settlements
     where merchant_id = ${key.merchant_id} and livemode = ${key.livemode} and id = ${key.settlement_id}`
  return row ?? null
}

/** Reads a merchant's newest settlements and the number of all, in one snapshot. */
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
  // Without settlements there is no row that has the count.
  return { settlements: rows, total_count: rows[0]?.total_count ?? 0 }
}

/** Reads these settlements of the caller, newest first. Those of others are absent. */
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

/** Finds a settlement by its id alone, for staff. Null when there is none. */
export async function findSettlement(db: Db, settlement_id: string): Promise<SettlementRow | null> {
  const [row] = await db<SettlementRow[]>`
    select ${db(columns)}
      from settlements
     where id = ${settlement_id}`
  return row ?? null
}

/** Finds these settlements of one mode, of any merchant, for staff. */
export function findSettlements(db: Db, livemode: boolean, ids: readonly string[]): Promise<SettlementRow[]> {
  return db<SettlementRow[]>`
    select ${db(columns)}
      from settlements
     where id = any(${ids}) and livemode = ${livemode}
     order by id`
}

/** Finds the settlements of one mode that were paid with these bank references. The query goes merchant by merchant, to use their index. */
export function findAllPaidWith(db: Db, livemode: boolean, references: readonly string[]): Promise<SettlementRow[]> {
  return db<SettlementRow[]>`
    select ${db(columns.map((column) => `s.${column}`))}
      from merchant_modes m
      join settlements s on s.merchant_id = m.merchant_id and s.livemode = m.livemode
     where m.livemode = ${livemode}
       and s.bank_reference is not null
       and bank_reference_in(s.bank_reference) = any(${references.map(foldBankReference)})`
}

/** Lists the paid settlements of these merchants with one of these amounts, newest first. */
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

/** A locked settlement, with the number of its moves. */
export type LockedSettlement = SettlementRow & { transition_count: number }

/** Locks a settlement until the transaction ends, so that a move is decided on its current state. */
export async function lockSettlement(tx: Tx, key: SettlementKey): Promise<LockedSettlement | null> {
  const [row] = await tx<LockedSettlement[]>`
    select ${tx(columns)}, transition_count
      from settlements
     where merchant_id = ${key.merchant_id} and livemode = ${key.livemode} and id = ${key.settlement_id}
       for no key update`
  return row ?? null
}

/** The condition that an account was taken exactly then, or not yet when null. */
function onlyTaken(db: Db, column: string, taken_at: Date | null) {
  return taken_at === null ? db`and ${db(column)} is null` : db`and ${db(column)} = ${taken_at}`
}

/** Lists the validated settlements of a mode whose accounts were taken exactly then, or not yet when null, oldest first. */
export function readToTransfer(
  db: Db,
  { livemode, taken_at, limit }: { livemode: boolean; taken_at: Date | null; limit: number },
): Promise<SettlementRow[]> {
  return db<SettlementRow[]>`
    select ${db(columns)}
      from settlements
     where livemode = ${livemode} and status = 'validated'
       ${onlyTaken(db, 'account_taken_at', taken_at)}
     order by created_at, id
     limit ${limit}`
}

/** Validated settlements whose accounts one person took at one time. All null: those that nobody took. The amount is in francs. */
export type Takings = AccountTaken & { settlements: number; amount: number }

/** Reads the validated settlements of a mode by the time at which their accounts were taken, the newest first. */
export function readTakings(db: Db, livemode: boolean, limit: number): Promise<Takings[]> {
  return db<Takings[]>`
    select account_taken_at, account_taken_by, count(*)::integer as settlements, sum(amount)::bigint as amount
      from settlements
     where livemode = ${livemode} and status = 'validated'
     group by account_taken_at, account_taken_by
     order by account_taken_at desc nulls first
     limit ${limit}`
}

/**
 * Marks those of these settlements that are still validated: a person takes their whole accounts. Returns them. One that another transaction
 * rejects meanwhile is not among them, and a rejection that comes later sees the mark. The rows are locked in one order, so that two
 * people do not wait for each other.
 * @param taken_before only settlements with exactly this mark, or with none when null; absent: all
 */
export async function markAccountsTaken(
  tx: Tx,
  keys: readonly SettlementRow[],
  { account_taken_at, account_taken_by }: { account_taken_at: Date; account_taken_by: string },
  taken_before?: Date | null,
): Promise<SettlementRow[]> {
  const validated = await tx<SettlementRow[]>`
    select ${tx(columns.map((column) => `s.${column}`))}
      from ${matching(tx, 'settlements s', keys, ['id'])}
     where s.status = 'validated'
       ${taken_before === undefined ? tx`` : onlyTaken(tx, 's.account_taken_at', taken_before)}
     order by s.id
       for no key update of s`
  if (validated.length === 0) return []
  tx.send(tx`
    update settlements s
       set account_taken_at = ${account_taken_at}, account_taken_by = ${account_taken_by}
      from ${given(tx, 'settlements n', validated, ['merchant_id', 'livemode', 'id'])}
     where ${sameRow(tx, 's', 'n', validated, ['id'])}`)
  return validated
}

/**
 * Finds the settlement that was paid with a bank reference, compared as in the unique index. Null when there is none. The caller has locked
 * the merchant's account, so that no other transfer is entered meanwhile.
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

/** Writes locked settlements after their moves, and the history of each move with its person. */
export function updateSettlements(
  tx: Tx,
  moved: readonly TransitionedRow<LockedSettlement, SettlementTrigger>[],
): void {
  writeSettlements(
    tx,
    moved.map((one) => ({ ...one, transitioned_by: one.rejected_by ?? one.paid_by ?? one.validated_by })),
  )
}

/** The filter of the open settlements: one merchant or all, one mode or both. `newest`: newest first. */
export type OpenFilter = Partial<Tenant> & { limit: number; newest?: true }

/** Lists the settlements that wait to be validated or paid, oldest first. `open`: how many there are, beyond the limit too. */
export async function readOpen(db: Db, { merchant_id, livemode, limit, newest }: OpenFilter) {
  return db<(SettlementRow & { open: number })[]>`
    select ${db(columns)}, count(*) over ()::integer as open
      from settlements
     where status in ('pending_validation', 'validated')
       ${merchant_id === undefined ? db`` : db`and merchant_id = ${merchant_id}`}
       ${livemode === undefined ? db`` : db`and livemode = ${livemode}`}
     order by ${newest === true ? db`created_at desc, id desc` : db`created_at, id`}
     limit ${limit}`
}

/** The filter of a list of the desk: one mode, one state, one merchant or all, after a cursor. */
export type ListFilter = {
  livemode: boolean
  status: SettlementStatus
  merchant_id: number | null
  after: { created_at: Date; id: string } | null
  limit: number
}

/** Lists settlements: those that wait for people oldest first, the others newest first. */
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

/** The merchant's earlier paid settlements: how many to the same destination, how many to others, and the last of those. */
export type PaidBefore = { to_this: number; to_others: number; last_other: string | null }

/** Reads the merchant's paid settlements that were requested before this one. */
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

/** Reads for how many seconds the oldest settlement has waited for the staff. 0 when none waits. */
export async function readSettlementWait(db: Db): Promise<number> {
  return secondsSince(
    db,
    db`select min(created_at) from settlements where status in ('pending_validation', 'validated')`,
  )
}
