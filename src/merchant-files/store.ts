import type { Db, Tx } from '../platform/postgres/database.ts'
import type { MerchantFile, Owner } from './merchant-file.ts'

/** Reads the facts of a merchant's business. Null: nothing was ever written. Acts hold the lock of the merchant. */
export async function readFile(db: Db, merchant_id: number): Promise<MerchantFile | null> {
  const [row] = await db<MerchantFile[]>`
    select legal_name, legal_form, rccm, registered_on::text, tax_number, tax_regime, tax_regime_since::text,
           activity, address, contact_name, contact_number, contact_email
      from merchant_files
     where merchant_id = ${merchant_id}`
  return row ?? null
}

/** Writes the facts of a business, whose merchant is locked. */
export async function writeFile(
  tx: Tx,
  file: MerchantFile & { readonly merchant_id: number; readonly changed_at: Date },
): Promise<void> {
  const { merchant_id, changed_at, legal_name, legal_form, rccm, registered_on, tax_number, tax_regime } = file
  const { tax_regime_since, activity, address, contact_name, contact_number, contact_email } = file
  await tx`
    insert into merchant_files
      (merchant_id, changed_at, legal_name, legal_form, rccm, registered_on, tax_number, tax_regime, tax_regime_since,
       activity, address, contact_name, contact_number, contact_email)
    values (${merchant_id}, ${changed_at}, ${legal_name}, ${legal_form}, ${rccm}, ${registered_on}::date, ${tax_number}, ${tax_regime},
            ${tax_regime_since}::date, ${activity}, ${address}, ${contact_name}, ${contact_number}, ${contact_email})
    on conflict (merchant_id) do update
       set changed_at = excluded.changed_at, legal_name = excluded.legal_name, legal_form = excluded.legal_form,
           rccm = excluded.rccm, registered_on = excluded.registered_on, tax_number = excluded.tax_number,
           tax_regime = excluded.tax_regime, tax_regime_since = excluded.tax_regime_since, activity = excluded.activity,
           address = excluded.address, contact_name = excluded.contact_name,
           contact_number = excluded.contact_number, contact_email = excluded.contact_email`
}

/** Counts the other merchants with the same taxpayer's number. */
export async function countSameTaxNumber(db: Db, merchant_id: number, tax_number: string): Promise<number> {
  const [row] = await db<{ count: number }[]>`
    select count(*)::integer as count
      from merchant_files
     where tax_number = ${tax_number} and merchant_id <> ${merchant_id}`
  return row!.count
}

/** The owners of today, in the order in which they were added. At most three fit into 100 %. */
export function readOwners(db: Db, merchant_id: number): Promise<Owner[]> {
  return db<Owner[]>`
    select merchant_id, id, name, share_basis_points, added_at, ended_at
      from merchant_owners
     where merchant_id = ${merchant_id} and ended_at is null
     order by id`
}

/** The merchant of an owner. Null: there is no such owner. */
export async function findOwnersMerchant(db: Db, id: string): Promise<number | null> {
  const [row] = await db<{ merchant_id: number }[]>`
    select merchant_id
      from merchant_owners
     where id = ${id}`
  return row?.merchant_id ?? null
}

/** An owner of today or of before. */
export async function readOwner(db: Db, merchant_id: number, id: string): Promise<Owner | null> {
  const [row] = await db<Owner[]>`
    select merchant_id, id, name, share_basis_points, added_at, ended_at
      from merchant_owners
     where merchant_id = ${merchant_id} and id = ${id}`
  return row ?? null
}

export async function insertOwner(tx: Tx, owner: Owner): Promise<void> {
  const { merchant_id, id, name, share_basis_points, added_at } = owner
  await tx`
    insert into merchant_owners (merchant_id, id, name, share_basis_points, added_at)
    values (${merchant_id}, ${id}, ${name}, ${share_basis_points}, ${added_at})`
}

export async function endOwner(
  tx: Tx,
  { merchant_id, id, ended_at }: { merchant_id: number; id: string; ended_at: Date },
): Promise<void> {
  await tx`
    update merchant_owners
       set ended_at = ${ended_at}
     where merchant_id = ${merchant_id} and id = ${id}`
}
