import { beneficiaryIdIn } from '../../beneficiaries/beneficiary.ts'
import { type BookFilter, type BookRow, readBookEntry, readBookPage } from '../../beneficiaries/book-store.ts'
import { type DesignatedDestination, readDesignated } from '../../beneficiaries/store.ts'
import { readEarlierSends } from '../../listings/earlier-store.ts'
import { findOperations } from '../../listings/find-operations.ts'
import { allOf, type ListedOperation } from '../../listings/listed-operation.ts'
import type { Db } from '../../platform/postgres/database.ts'
import type { Tenant } from '../../values/caller.ts'
import { Msisdn } from '../../values/msisdn.ts'
import type { Page } from '../../values/page.ts'
import { readNames } from '../approvals/waiting.ts'
import type { Names } from '../approvals/words.ts'

/** The number of entries on a page, and of an entry's payouts. */
const PAGE = 50
const PAYOUTS_SHOWN = 10

/** An entry of the book. Its number prints itself masked; only the pages write it whole. */
export type ShownEntry = Omit<BookRow, 'msisdn'> & { readonly number: Msisdn }

/** An entry of the list, with its last payout that did not fail. Null: none. */
export type ListedEntry = ShownEntry & { readonly last_sent_at: Date | null }

export type BookFacts = {
  readonly page: Page<ListedEntry>
  readonly names: Names
  /** The designated destination. Null when there is none, or this person may not see it. */
  readonly designated: DesignatedDestination | null
}

/** Reads a page of the book, with the names of the authors of its entries. */
export async function readBookList(
  db: Db,
  tenant: Tenant,
  filter: Omit<BookFilter, keyof Tenant>,
  { after, maySeeDestination }: { after: string | null; maySeeDestination: boolean },
): Promise<BookFacts> {
  const from = after === null ? null : beneficiaryIdIn(after)
  const [page, names, designated] = await Promise.all([
    readBookPage(db, { ...tenant, ...filter }, { limit: PAGE, after: from }),
    readNames(db, tenant),
    maySeeDestination ? readDesignated(db, tenant) : null,
  ])
  const wanted = page.entries.map(({ id, msisdn }) => ({ id, msisdn, amount: 0 }))
  const sends = wanted.length === 0 ? [] : await readEarlierSends(db, tenant, wanted, new Date(0))
  const sent = new Map(sends.map(({ id, last_sent_at }) => [id, last_sent_at]))
  const rows = page.entries.map((entry) => ({ ...shown(entry), last_sent_at: sent.get(entry.id) ?? null }))
  return { page: { rows, after: page.after }, names, designated }
}

function shown({ msisdn, ...entry }: BookRow): ShownEntry {
  return { ...entry, number: Msisdn.stored(msisdn) }
}

export type EntryFacts = {
  readonly entry: ShownEntry
  readonly names: Names
  /** The newest payouts to this number. Null when this person may not see them. */
  readonly payouts: readonly ListedOperation[] | null
}

/** Reads one entry with its history. Null when it is not in this payout book. */
export async function readEntry(
  db: Db,
  tenant: Tenant,
  text: string,
  maySeePayouts: boolean,
): Promise<EntryFacts | null> {
  const id = beneficiaryIdIn(text)
  const row = id === null ? null : await readBookEntry(db, { ...tenant, id })
  if (row === null) return null
  const entry = shown(row)
  const toNumber = { ...allOf('payout'), number: entry.number }
  const [names, payouts] = await Promise.all([
    readNames(db, tenant),
    maySeePayouts ? findOperations(db, tenant, toNumber, { limit: PAYOUTS_SHOWN, after: null }) : null,
  ])
  return { entry, names, payouts: payouts?.rows ?? null }
}
