import { type Db, records, type Tx } from '../platform/postgres/database.ts'
import type { Tenant } from '../words/caller.ts'
import type { BeneficiaryKey, BeneficiaryKind, BeneficiaryRow } from './beneficiary.ts'

const columns = [
  'merchant_id',
  'livemode',
  'id',
  'kind',
  'label',
  'name',
  'operator',
  'last4',
  'active',
  'created_at',
  'archived_at',
]

/** Where money goes: one of the two is null. */
export type Destination = { msisdn: string | null; iban: string | null }

export type NewEntry = Tenant &
  Destination & {
    kind: BeneficiaryKind
    label: string | null
    name: string
    operator: string | null
  }

export type SavedEntry = BeneficiaryRow & Destination & { created: boolean }

/**
 * Writes entries whose destinations are not in the book yet, and finds those that are, in one statement; each
 * destination at most once in `entries`. What is absent from the answer was being written by a neighbour when the
 * statement began: it is there now, and the next statement sees it. In one order, so that two calls that share numbers
 * never wait crosswise. An entry archived at this moment can come twice, and the created one is the one that holds.
 * @param by the column that names the destination of all of them
 */
export async function insertOrFind(tx: Tx, by: 'msisdn' | 'iban', entries: readonly NewEntry[]): Promise<SavedEntry[]> {
  return tx<SavedEntry[]>`
    with wanted as (
      select merchant_id, livemode, kind, label, name, operator, msisdn, iban
        from json_to_recordset(${records(tx, entries)})
          as w(merchant_id bigint, livemode boolean, kind text, label text, name text, operator text, msisdn text,
               iban text)
    ), created as (
      insert into beneficiaries (merchant_id, livemode, kind, label, name, operator, msisdn, iban, last4)
      select merchant_id, livemode, kind, label, name, operator, msisdn, iban, right(${tx(by)}, 4)
        from wanted
       order by merchant_id, livemode, kind, ${tx(by)}
      on conflict (merchant_id, livemode, kind, ${tx(by)}) where active and ${tx(by)} is not null do nothing
      returning ${tx(columns)}, msisdn, iban
    )
    select ${tx(columns.map((column) => `b.${column}`))}, b.msisdn, b.iban, false as created
      from wanted w
      join beneficiaries b
        on (b.merchant_id, b.livemode, b.kind, b.${tx(by)}) = (w.merchant_id, w.livemode, w.kind, w.${tx(by)})
       and b.active
    union all
    select ${tx(columns)}, msisdn, iban, true
      from created`
}

export type PayoutDestination = BeneficiaryRow & { msisdn: string }

/** The active entries of the payout book among these; what is absent is not the merchant's, archived, or of another kind. */
export async function readActivePayout(tx: Tx, keys: readonly BeneficiaryKey[]): Promise<PayoutDestination[]> {
  return tx<PayoutDestination[]>`
    select ${tx(columns.map((column) => `b.${column}`))}, b.msisdn
      from beneficiaries b
      join json_to_recordset(${records(tx, keys)}) as k(merchant_id bigint, livemode boolean, id uuid)
        on (b.merchant_id, b.livemode, b.id) = (k.merchant_id, k.livemode, k.id)
     where b.kind = 'payout' and b.active`
}

/** One entry, archived or not; null when it is not this caller's. */
export async function readBeneficiary(db: Db, key: BeneficiaryKey): Promise<BeneficiaryRow | null> {
  const [row] = await db<BeneficiaryRow[]>`
    select ${db(columns)}
      from beneficiaries
     where merchant_id = ${key.merchant_id} and livemode = ${key.livemode} and id = ${key.id}`
  return row ?? null
}
