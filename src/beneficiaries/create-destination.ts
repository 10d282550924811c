import { recordAct } from '../audit-log/record-act.ts'
import { merchantExists } from '../merchants/store.ts'
import type { Sql } from '../platform/postgres/database.ts'
import { type Actor, SYSTEM } from '../values/actor.ts'
import type { Tenant } from '../values/caller.ts'
import type { Msisdn } from '../values/msisdn.ts'
import type { OperatorCode } from '../values/operators.ts'
import { holderNameIn } from './beneficiary.ts'
import type { Iban } from './iban.ts'
import { type SavedEntry, saveEntry } from './save-entry.ts'

/** A bank account, or a wallet with its operator. */
export type SettlementDestination =
  | { readonly iban: Iban; readonly msisdn?: never }
  | { readonly msisdn: Msisdn; readonly operator: OperatorCode; readonly iban?: never }

export type CreateDestinationResult = SavedEntry | { kind: 'refused'; code: 'resource_not_found' | 'invalid_name' }

/**
 * Adds a destination for settlements to a merchant's book. Money goes there only once it is designated. If the destination is in the book
 * already, the result is that entry. A number can be in the book both for payouts and for settlements. Refused for a name that does not
 * have 2 to 200 characters, and for an unknown merchant.
 * @param by the author, for the audit log
 */
export async function createDestination(
  sql: Sql,
  { merchant_id, livemode }: Tenant,
  destination: SettlementDestination,
  holder: string,
  by: Actor = SYSTEM,
): Promise<CreateDestinationResult> {
  const name = holderNameIn(holder)
  if (name === null) return { kind: 'refused', code: 'invalid_name' }
  if (!(await merchantExists(sql, merchant_id))) return { kind: 'refused', code: 'resource_not_found' }
  const account =
    destination.iban === undefined
      ? { operator: destination.operator, msisdn: destination.msisdn.e164, iban: null }
      : { operator: null, msisdn: null, iban: destination.iban.text }
  const entry = {
    merchant_id,
    livemode,
    kind: 'settlement',
    label: null,
    name,
    added_by: by.person,
    ...account,
  } as const
  return saveEntry(sql, entry, (tx, { id: subject, operator, last4 }) => {
    const after = { account_type: operator === null ? 'bank_account' : 'wallet', operator, last4 }
    recordAct(tx, { merchant_id, livemode }, { actor: by, act: 'destination.create', subject, after })
  })
}
