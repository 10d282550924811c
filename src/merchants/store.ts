import type { Db, Tx } from '../platform/postgres/database.ts'
import type { FeeSchedule, MerchantSettings } from './fees.ts'

export type NewMerchant = { readonly merchant_id: number; readonly name: string; readonly is_checked: boolean }

/** Reads the number that the next merchant gets. The caller holds the lock of new merchants. */
export async function nextMerchantId(tx: Tx): Promise<number> {
  const [row] = await tx<{ merchant_id: number }[]>`
    select case when is_called then last_value + 1 else last_value end as merchant_id
      from merchants_merchant_id_seq`
  return row!.merchant_id
}

/** Inserts an active merchant. @throws when it has another number than `nextMerchantId` said */
export async function insertMerchant(tx: Tx, { merchant_id, name, is_checked }: NewMerchant): Promise<void> {
  const [row] = await tx<{ merchant_id: number }[]>`
    insert into merchants (name, is_checked)
    values (${name}, ${is_checked})
    returning merchant_id`
  if (row!.merchant_id !== merchant_id) throw new Error(`Merchant ${merchant_id} is merchant ${row!.merchant_id}.`)
}

/** Locked for the rest of the transaction, so that the state noted before a change is true. Null: there is no such merchant. */
export async function lockMerchant(
  tx: Tx,
  merchant_id: number,
): Promise<{ active: boolean; is_checked: boolean } | null> {
  const [row] = await tx<{ active: boolean; is_checked: boolean }[]>`
    select active, is_checked
      from merchants
     where merchant_id = ${merchant_id}
       for no key update`
  return row ?? null
}

/** The colour and logo of a merchant's pages. Null: the usual ones. */
export type Brand = {
  /** `#0a7d4b` */
  color: string | null
  /** A `data:` address. */
  logo: string | null
}

/** Locked for the rest of the transaction. Null: there is no such merchant. */
export async function lockBrand(tx: Tx, merchant_id: number): Promise<Brand | null> {
  const [row] = await tx<Brand[]>`
    select brand_color as color, brand_logo as logo
      from merchants
     where merchant_id = ${merchant_id}
       for no key update`
  return row ?? null
}

export async function updateBrand(tx: Tx, merchant_id: number, { color, logo }: Brand): Promise<void> {
  await tx`
    update merchants
       set brand_color = ${color}, brand_logo = ${logo}
     where merchant_id = ${merchant_id}`
}

/** Notes that two people have checked a locked merchant. */
export async function updateChecked(tx: Tx, merchant_id: number): Promise<void> {
  await tx`
    update merchants
       set is_checked = true
     where merchant_id = ${merchant_id}`
}

export async function updateActive(tx: Tx, merchant_id: number, active: boolean): Promise<void> {
  await tx`
    update merchants
       set active = ${active}
     where merchant_id = ${merchant_id}`
}

/** A merchant's own cap of one payment in francs, in both modes; null: the service's, or there is no such merchant. */
export async function readPaymentMax(db: Db, merchant_id: number): Promise<number | null> {
  const [row] = await db<{ collection_amount_max: number | null }[]>`
    select collection_amount_max
      from merchants
     where merchant_id = ${merchant_id}`
  return row?.collection_amount_max ?? null
}

/** The former cap of a payment in francs, which an owner who lowered it can restore alone until a moment. */
export type PaymentUndo = { amount: number; until: Date }

/** Null when no owner lowered the cap in the last 24 hours, or another person has set it since. */
export async function readPaymentUndo(db: Db, merchant_id: number): Promise<PaymentUndo | null> {
  const [row] = await db<PaymentUndo[]>`
    select collection_amount_undo as amount, collection_amount_undo_until as until
      from merchants
     where merchant_id = ${merchant_id} and collection_amount_undo_until > clock_now()`
  return row ?? null
}

/** Sets a merchant's own cap of one payment in francs. @param undo null: only staff can raise it again */
export async function updatePaymentMax(
  tx: Tx,
  merchant_id: number,
  amount: number,
  undo: PaymentUndo | null,
): Promise<void> {
  await tx`
    update merchants
       set collection_amount_max = ${amount},
           collection_amount_undo = ${undo?.amount ?? null},
           collection_amount_undo_until = ${undo?.until ?? null}
     where merchant_id = ${merchant_id}`
}

/**
 * Reads two moments, so many seconds after now: the first at which a schedule may begin, and that of one which begins at once.
 * @param after null: both are now
 */
export async function readFeeMoments(
  db: Db,
  after: { readonly known: number; readonly at_once: number } | null,
): Promise<{ known: Date; at_once: Date }> {
  const later = (seconds: number | undefined) => db`
    date_trunc('milliseconds',
               clock_now() + coalesce(clock_timestamp() - now() + make_interval(secs => ${seconds ?? null}), interval '0'))`
  const [row] = await db<{ known: Date; at_once: Date }[]>`
    select ${later(after?.known)} as known, ${later(after?.at_once)} as at_once`
  return row!
}

/**
 * Inserts a schedule that begins once every process knows of it, or later. The statement that writes compares the database's current time,
 * so that a slow transaction cannot make a schedule begin too early. False when it would.
 * @param known_after_seconds null: at once
 */
export async function insertFeeSchedule(
  db: Db,
  merchantId: number,
  schedule: FeeSchedule,
  known_after_seconds: number | null,
): Promise<boolean> {
  const { service, basis_points, fixed, minimum, maximum, bearer, effective_from } = schedule
  const rows = await db`
    insert into fee_schedules (merchant_id, service, effective_from, basis_points, fixed, minimum, maximum, bearer)
    select ${merchantId}, ${service}, ${effective_from}, ${basis_points}, ${fixed}, ${minimum}, ${maximum}, ${bearer}
      from (select clock_now() + coalesce(clock_timestamp() - now() + make_interval(secs => ${known_after_seconds}),
                                          interval '0') as earliest) as t
     where ${effective_from} >= date_trunc('milliseconds', t.earliest)
    returning service`
  return rows.length === 1
}

/**
 * Reads the settings of merchants: a row for each schedule, and one for a merchant without any. It includes future schedules and those in
 * force within the last hour, because a process can date an operation a little earlier than the database would. A merchant that is not
 * in the answer does not exist.
 */
export async function selectSettings(db: Db, merchantIds: readonly number[]): Promise<Map<number, MerchantSettings>> {
  type Merchant = Pick<MerchantSettings, 'active' | 'is_checked' | 'collection_amount_max'> & { merchant_id: number }
  type Unscheduled = { [Field in keyof FeeSchedule]: null }
  const rows = await db<(Merchant & (FeeSchedule | Unscheduled))[]>`
    select m.merchant_id, m.active, m.is_checked, m.collection_amount_max,
           f.service, f.effective_from, f.basis_points, f.fixed, f.minimum, f.maximum, f.bearer
      from merchants m
      left join fee_schedules f
        on f.merchant_id = m.merchant_id
       and f.effective_from >= coalesce(
             (select max(before.effective_from)
                from fee_schedules before
               where before.merchant_id = f.merchant_id
                 and before.service = f.service
                 and before.effective_from <= clock_now() - interval '1 hour'),
             '-infinity')
     where m.merchant_id = any(${merchantIds as number[]}::bigint[])`
  return new Map(
    [...Map.groupBy(rows, (row) => row.merchant_id)].map(([merchant_id, [first, ...others]]) => {
      const { active, is_checked, collection_amount_max } = first!
      const fee_schedules = [first!, ...others].filter((row) => row.service !== null).map(scheduleIn)
      return [merchant_id, { active, is_checked, collection_amount_max, fee_schedules }]
    }),
  )
}

function scheduleIn(row: FeeSchedule): FeeSchedule {
  const { service, effective_from, basis_points, fixed, minimum, maximum, bearer } = row
  return { service, effective_from, basis_points, fixed, minimum, maximum, bearer }
}

/** Whether a merchant exists, for rows that refer to it without a foreign key. */
export async function merchantExists(db: Db, merchant_id: number): Promise<boolean> {
  return (await db`select from merchants where merchant_id = ${merchant_id}`).length > 0
}

/** Lists the numbers of all merchants. */
export async function readMerchantIds(db: Db): Promise<number[]> {
  const rows = await db<{ merchant_id: number }[]>`select merchant_id from merchants`
  return rows.map(({ merchant_id }) => merchant_id)
}

/** Whether a merchant is active. False for one that does not exist. */
export async function isMerchantActive(db: Db, merchant_id: number): Promise<boolean> {
  const [row] = await db<{ active: boolean }[]>`
    select active
      from merchants
     where merchant_id = ${merchant_id}`
  return row?.active ?? false
}

/** The name of a merchant; null when there is no such merchant. */
export async function readMerchantName(db: Db, merchant_id: number): Promise<string | null> {
  const [row] = await db<{ name: string }[]>`
    select name
      from merchants
     where merchant_id = ${merchant_id}`
  return row?.name ?? null
}

/** A merchant as its payers see it on the pages. */
export type ShownMerchant = Brand & { name: string; active: boolean }

/** A merchant that a session or a link refers to, so that there is one. */
export async function readShownMerchant(db: Db, merchant_id: number): Promise<ShownMerchant> {
  const [row] = await db<ShownMerchant[]>`
    select name, active, brand_color as color, brand_logo as logo
      from merchants
     where merchant_id = ${merchant_id}`
  return row!
}

/** A merchant as the staff's list shows it. */
export type ListedMerchant = {
  merchant_id: number
  name: string
  active: boolean
  /** False: two people of the company have still to check it. */
  is_checked: boolean
  /** The services with a fee schedule. */
  fees: string[]
  created_at: Date
}

export type MerchantsWanted = {
  after: number
  limit: number
  /** A part of the name in any letters, or the whole number; null: all. */
  search: string | null
}

/** Merchants in the order of their numbers, after this one. They are few enough that a search goes through their names. */
export function selectMerchants(db: Db, { after, limit, search }: MerchantsWanted): Promise<ListedMerchant[]> {
  const found = db`(strpos(lower(m.name), lower(${search}::text)) > 0 or m.merchant_id::text = ${search}::text)`
  return db<ListedMerchant[]>`
    select m.merchant_id, m.name, m.active, m.is_checked, m.created_at,
           array(select distinct f.service from fee_schedules f where f.merchant_id = m.merchant_id order by 1) as fees
      from merchants m
     where m.merchant_id > ${after}
       and ${search === null ? db`true` : found}
     order by m.merchant_id
     limit ${limit}`
}

/** A merchant as the desk reads it; null: there is no such merchant. */
export async function readMerchant(
  db: Db,
  merchant_id: number,
): Promise<Pick<ListedMerchant, 'merchant_id' | 'name' | 'active' | 'is_checked' | 'created_at'> | null> {
  const [row] = await db<Pick<ListedMerchant, 'merchant_id' | 'name' | 'active' | 'is_checked' | 'created_at'>[]>`
    select merchant_id, name, active, is_checked, created_at
      from merchants
     where merchant_id = ${merchant_id}`
  return row ?? null
}

/** The names of merchants by their numbers, for lists of the desk. One that does not exist is absent. */
export async function readMerchantNames(db: Db, merchant_ids: readonly number[]): Promise<Map<number, string>> {
  const rows = await db<{ merchant_id: number; name: string }[]>`
    select merchant_id, name
      from merchants
     where merchant_id = any(${[...new Set(merchant_ids)]}::bigint[])`
  return new Map(rows.map(({ merchant_id, name }) => [merchant_id, name]))
}
