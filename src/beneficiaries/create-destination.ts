import { type ActCall, defineAct, merchant } from '../acts/act.ts'
import { optional } from '../acts/facts.ts'
import { lockAccounts } from '../ledger/post.ts'
import { defineEffect } from '../platform/commands/effects.ts'
import type { Tx } from '../platform/postgres/database.ts'
import { type Tenant, tenantOf } from '../values/caller.ts'
import { holderField, ibanField, msisdnField, operatorField } from './account-fields.ts'
import type { BeneficiaryRow } from './beneficiary.ts'
import * as store from './store.ts'

/** The fields of an account: an IBAN, or a number with its operator. */
export const accountFields = {
  iban: optional(ibanField),
  msisdn: optional(msisdnField),
  operator: optional(operatorField),
} as const

type Account = Pick<store.NewEntry, 'iban' | 'msisdn' | 'operator'>

/** The entry that a person's values would add to the book, with a new id. */
export function newDestination(
  { by, tenant }: Pick<ActCall<typeof merchant>, 'by' | 'tenant'>,
  { iban, msisdn, operator }: Account,
  name: string,
): store.NewEntry {
  const id = crypto.randomUUID()
  const holder = { label: null, name, added_by: by.person }
  return { ...tenantOf(tenant), id, kind: 'settlement', ...holder, iban, msisdn, operator }
}

/** Locks a merchant's book until the transaction ends: nobody adds or archives an entry meanwhile. Payouts and batches take the same lock. */
export async function lockBook(tx: Tx, { merchant_id, livemode }: Tenant): Promise<void> {
  await lockAccounts(tx, [{ merchant_id, livemode, account: 'transfer' }])
}

export const insertEntry = defineEffect<store.NewEntry>('book size', (tx, entries) => store.insertEntries(tx, entries))

/** A new entry as the audit log shows it: with the end of its account alone. */
export function createdOf({ iban, msisdn, operator }: Account) {
  const last4 = (iban ?? msisdn!).slice(-4)
  return { account_type: operator === null ? 'bank_account' : 'wallet', operator, last4 }
}

/** A destination of the book. `created`: it was not there before. */
export type DestinationCreated = Pick<BeneficiaryRow, 'id' | 'last4'> & { readonly created: boolean }

/**
 * Adds a destination for settlements to a merchant's book. Money goes there only once it is designated. If the account is in the book
 * already, the result is that entry, with its stored name and operator. A number can be in the book both for payouts and for settlements.
 */
export const createDestination = defineAct({
  name: 'destination.create',
  summary:
    "Add a destination for settlements to a merchant's book: an account (--iban) or a wallet (--msisdn, --operator)",
  title: ['Ajouter une destination', 'Add a destination'],
  right: 'destination.propose',
  fresh: false,
  on: merchant,
  fields: { ...accountFields, holder: holderField },
  async load(tx, call) {
    await lockBook(tx, call.tenant)
    const entry = newDestination(call, call.values, call.values.holder)
    return { about: call.tenant, entry, known: await store.readActive(tx, entry) }
  },
  facts: {},
  content: () => ({}),
  decide(_, { entry, known }) {
    if (known !== null) return { kind: 'unchanged', result: { id: known.id, last4: known.last4, created: false } }
    const after = createdOf(entry)
    const result: DestinationCreated = { id: entry.id, last4: after.last4, created: true }
    return { kind: 'accepted', effects: [insertEntry(entry)], result, subject: entry.id, after }
  },
  refusals: {},
  unknown: 'There is no such merchant.',
})
