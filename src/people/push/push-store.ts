import type { Db, Tx } from '../../platform/postgres/database.ts'
import type { NoticeKind } from '../notices/notice.ts'
import { isOf, type Members, type Recipient, rolesAt } from '../notices/store.ts'

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

type NewDevice = {
  id: string
  person_id: string
  address_hash: Buffer
  sealed: Buffer
  name: string
  session_id: string
  service: string
}

/** Stores a device. A browser that another person used before now gets the notices of this one alone. */
export async function putDevice(tx: Tx, device: NewDevice): Promise<void> {
  const { id, person_id, address_hash, sealed, name, session_id, service } = device
  await tx`delete from push_devices where address_hash = ${address_hash}`
  await tx`
    insert into push_devices (id, person_id, address_hash, sealed, name, session_id, service)
    values (${id}, ${person_id}, ${address_hash}, ${sealed}, ${name}, ${session_id}, ${service})`
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

/** Deletes the devices of the browser of a session, which ends. */
export async function deleteDevicesWith(db: Db, person_id: string, session_id: string): Promise<void> {
  await db`
    delete from push_devices d
     where d.person_id = ${person_id} and (${isOfBrowser(db, session_id)})`
}

/** Deletes the devices of a person whose sessions end. @param except the session that stays, with the devices of its browser */
export async function deleteDevicesBut(db: Db, person_id: string, except: string | null): Promise<void> {
  await db`
    delete from push_devices d
     where d.person_id = ${person_id} and not (${isOfBrowser(db, except)})`
}

/** Whether a device `d` was added in this session, or in another of the same browser. */
const isOfBrowser = (db: Db, session_id: string | null) => db`
  d.session_id is not distinct from ${session_id}::text or exists (
    select from person_sessions s
      join person_sessions own on own.browser_hash = s.browser_hash
     where s.session_id = d.session_id and own.session_id = ${session_id}::text)`

/** Notes that a push service took nothing, and deletes a device for which that has been so for a week. */
export async function noteFailure(db: Db, id: string): Promise<void> {
  await db`
    with failed as (
      update push_devices
         set failed_since = clock_now()
       where id = ${id}::uuid and failed_since is null
    )
    delete from push_devices
     where id = ${id}::uuid and failed_since < clock_now() - interval '7 days'`
}

/** Notes that a push service took a push. */
export async function noteTaken(db: Db, id: string): Promise<void> {
  await db`
    update push_devices
       set failed_since = null
     where id = ${id}::uuid and failed_since is not null`
}

/** Deletes a device whose push service no longer knows it. */
export async function deleteDevice(db: Db, id: string): Promise<void> {
  await db`delete from push_devices where id = ${id}::uuid`
}

type Claim = {
  kind: NoticeKind
  emails: readonly string[]
  /** Null: everybody. */
  members_of: Members | null
  /** The most pushes of this kind to one device in an hour. Null: no limit. */
  hourly_max: number | null
}

/** Counts one push for each device of these people who want the kind there, and returns the devices. */
export function claimDevices(
  tx: Tx,
  { kind, emails, members_of, hourly_max }: Claim,
): Promise<{ id: string; person_id: string; service: string }[]> {
  const hour = tx`date_trunc('hour', clock_now())`
  const counts = tx`case when d.told_hour = ${hour} then d.told_counts else '{}' end`
  const count = tx`coalesce((${counts} ->> ${kind}::text)::integer, 0)`
  return tx<{ id: string; person_id: string; service: string }[]>`
    update push_devices d
       set told_hour = ${hour}, told_counts = ${counts} || jsonb_build_object(${kind}::text, ${count} + 1)
      from persons p
     where p.person_id = d.person_id and p.status = 'active' and p.email = any(${[...emails]}::text[])
       and (${isOf(tx, members_of)})
       and not exists (select from notice_settings s where s.person_id = p.person_id and ${kind} = any(s.pushes_muted))
       and (${hourly_max}::integer is null or ${count} < ${hourly_max})
    returning d.id, d.person_id, d.service`
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
           ${rolesAt(db, db`${merchant_id}::bigint`)} as roles
      from push_devices d
      join persons p on p.person_id = d.person_id and p.status = 'active'
     where d.id = ${id}::uuid`
  return row ?? null
}

/** Removes the key and the devices, which subscribed to that key. */
export async function forgetPush(tx: Tx): Promise<void> {
  await tx`delete from push_devices`
  await tx`delete from push_key`
}
