import type { Db, Tx } from '../../platform/postgres/database.ts'
import type { Tenant } from '../../values/caller.ts'
import type { NoticeKind } from '../notices/notice.ts'
import { isMember, type Recipient } from '../notices/store.ts'

type PushKeyRow = { public_key: string; private_sealed: Buffer }

/** Reads the key of this installation. Null: it is not made yet. */
export async function readPushKey(db: Db): Promise<PushKeyRow | null> {
  const [row] = await db<PushKeyRow[]>`select public_key, private_sealed from push_key`
  return row ?? null
}

/** Stores a new key, unless another process was first. */
export async function insertPushKey(db: Db, { public_key, private_sealed }: PushKeyRow): Promise<void> {
  await db`
    insert into push_key (public_key, private_sealed)
    values (${public_key}, ${private_sealed})
    on conflict do nothing`
}

export type DeviceRow = { id: string; name: string; created_at: Date }

/** Reads the devices of a person, the newest first. */
export function readDevices(db: Db, person_id: string): Promise<DeviceRow[]> {
  return db<DeviceRow[]>`
    select id, name, created_at
      from push_devices
     where person_id = ${person_id}
     order by created_at desc, id`
}

type NewDevice = { id: string; person_id: string; address_hash: Buffer; sealed: Buffer; name: string }

/** Stores a device. A browser that another person used before now gets the notices of this one alone. */
export async function putDevice(tx: Tx, { id, person_id, address_hash, sealed, name }: NewDevice): Promise<void> {
  await tx`delete from push_devices where address_hash = ${address_hash}`
  await tx`
    insert into push_devices (id, person_id, address_hash, sealed, name)
    values (${id}, ${person_id}, ${address_hash}, ${sealed}, ${name})`
}

/** Deletes the oldest devices of a person beyond so many. */
export async function dropDevicesBeyond(tx: Tx, person_id: string, max: number): Promise<void> {
  await tx`
    delete from push_devices
     where id in (select id from push_devices where person_id = ${person_id} order by created_at desc, id offset ${max})`
}

/** Deletes a device of a person. False: they have none with this id. */
export async function deleteDeviceOf(tx: Tx, person_id: string, id: string): Promise<boolean> {
  const rows = await tx`delete from push_devices where person_id = ${person_id} and id::text = ${id} returning id`
  return rows.length === 1
}

/** Deletes a device whose push service no longer knows it. */
export async function deleteDevice(db: Db, id: string): Promise<void> {
  await db`delete from push_devices where id = ${id}::uuid`
}

type Claim = {
  kind: NoticeKind
  emails: readonly string[]
  /** Only people with a role in effect at this merchant. Null: everybody. */
  members_of: Tenant['merchant_id'] | null
  /** The most pushes to one device in an hour. Null: no limit. */
  hourly_max: number | null
}

/** Counts one push for each device of these people who want the kind there, and returns the devices. */
export function claimDevices(
  tx: Tx,
  { kind, emails, members_of, hourly_max }: Claim,
): Promise<{ id: string; person_id: string }[]> {
  const hour = tx`date_trunc('hour', clock_now())`
  return tx<{ id: string; person_id: string }[]>`
    update push_devices d
       set told_hour = ${hour}, told_count = case when d.told_hour = ${hour} then d.told_count else 0 end + 1
      from persons p
     where p.person_id = d.person_id and p.status = 'active' and p.email = any(${[...emails]}::text[])
       and (${members_of}::bigint is null or (${isMember(tx, tx`${members_of}::bigint`)}))
       and not exists (select from notice_settings s where s.person_id = p.person_id and ${kind} = any(s.pushes_muted))
       and (${hourly_max}::integer is null or d.told_hour is distinct from ${hour} or d.told_count < ${hourly_max})
    returning d.id, d.person_id`
}

export type WaitingPush = Omit<Recipient, 'email'> & {
  person_id: string
  sealed: Buffer
  /** Whether the push leaves out the amount of a payment. */
  hides_amount: boolean
}

/** Reads a device with its person, for a notice at a merchant. Null: it is gone, or its person is no longer active. */
export async function readWaiting(db: Db, id: string, merchant_id: number | null): Promise<WaitingPush | null> {
  const [row] = await db<WaitingPush[]>`
    select d.person_id, d.sealed, p.language,
           coalesce((select s.hides_amount from notice_settings s where s.person_id = p.person_id), false) as hides_amount,
           (select m.name from merchant_names m where m.merchant_id = ${merchant_id}::bigint) as merchant_name,
           (select min(r.merchant_id) from person_roles r where r.person_id = p.person_id and r.in_effect) as own_merchant_id,
           ${isMember(db, db`${merchant_id}::bigint`)} as is_member
      from push_devices d
      join persons p on p.person_id = d.person_id and p.status = 'active'
     where d.id = ${id}::uuid`
  return row ?? null
}
