import { transitions as ofPayments } from '../payments/states.ts'
import { transitions as ofPayouts } from '../payouts/states.ts'
import type { Db, Statement } from '../platform/postgres/database.ts'
import type { Tenant } from '../values/caller.ts'
import { comparableReference } from '../values/comparable.ts'
import { firstIdAt } from '../values/ids.ts'
import { Msisdn } from '../values/msisdn.ts'
import type { PageWanted } from '../values/page.ts'
import type { Transition } from '../values/transition.ts'
import {
  IDS_OFF_MS,
  idPrefixes,
  isListed,
  type ListedKind,
  type ListedOperation,
  type OperationFilters,
  type OperationKind,
} from './listed-operation.ts'
import { type Source, views } from './store.ts'

const columns = [
  'id',
  'status',
  'amount',
  'fee_amount',
  'operator',
  'msisdn',
  'last4',
  'name',
  'reference',
  'description',
  'failure_code',
  'parent_id',
  'created_at',
  'concluded_at',
]

export type FoundRow = Omit<ListedOperation, 'kind' | 'msisdn'> & { msisdn: string | null }

const sources: Readonly<Record<ListedKind, Source>> = { payment: 'new payments', payout: 'new payouts' }
const moves: Readonly<Record<ListedKind, readonly Transition<string>[]>> = { payment: ofPayments, payout: ofPayouts }

/**
 * Operations whose amounts lie in a range that are few enough to be sorted for a page. Of ten million operations at least one in 5 000 is in the range
 * when there are more, and a page is found in the order of the list.
 */
const FEW = 2_000

/** Parts of the statement that all its streams share. */
type Wanted = {
  tenant: Tenant
  filters: OperationFilters
  /** That an identifier lies in the part of the list that is wanted. */
  within: (id: 's.id' | 'l.id' | 'e.subject_id') => Statement<object[]>
  /** That an operation as it stands is wanted. */
  matches: Statement<object[]>
  /** As many as the page takes, the newest first. */
  newest: Statement<object[]>
}

/**
 * The newest operations that match. A table with the merchant in front of its keys is read alone, and so is that of payments by a reference,
 * which has an index of its own. Otherwise one statement, and so one moment, joins three streams, each as long as the page and read by a key:
 * 1. what the worker has listed, in the order of an index that fits the filters, each row held against the operation itself;
 * 2. what it has not come to, from the end of the table that money writes;
 * 3. what moved to a wanted state since the worker last looked at events: the list still has its former state.
 *
 * Amounts of a range do not stand together in the order of the list. Where few are in it, the first stream is these, sorted, so that no page looks
 * at every operation in vain.
 */
export async function readPage(db: Db, tenant: Tenant, asked: OperationFilters, page: PageWanted): Promise<FoundRow[]> {
  // An operation with a reason has failed, and those that failed since the worker last looked are found by that.
  const filters =
    asked.failure_code !== null && asked.statuses.length === 0 ? { ...asked, statuses: ['failed'] } : asked
  const wanted = wantedOf(db, tenant, filters, page)
  const { kind, reference, statuses } = filters
  const isRange = isRangeOf(filters)
  const streams =
    !isListed(kind) || (kind === 'payment' && reference !== null)
      ? [reference === null ? fromSource(db, wanted) : withReference(db, wanted, reference)]
      : [
          ...(statuses.length === 0 ? [null] : statuses).map((status) => listed(db, wanted, kind, status)),
          ...(isRange ? [ofFew(db, wanted, kind)] : []),
          fromSource(db, wanted, db`and s.id >= ${progressOf(db, sources[kind])}`),
          ...(statuses.length === 0 ? [] : [moved(db, wanted, kind)]),
        ]
  const joined = streams.reduce((all, one) => db`${all} union all ${one}`)
  return db<FoundRow[]>`
    ${isRange && isListed(kind) ? db`with few as materialized (${fewOf(db, wanted, kind)})` : db``}
    select distinct on (id) ${db(columns)}
      from (${joined}) found
     order by id desc
     limit ${page.limit}`
}

function isRangeOf({ amount_min, amount_max }: OperationFilters): boolean {
  return amount_min !== amount_max
}

/** The listed operations in a range of amounts, and one more than few when they are many. In the order of their index, which keeps it from looking elsewhere. */
function fewOf(db: Db, { tenant, filters: { amount_min, amount_max } }: Wanted, kind: ListedKind) {
  return db`
    select l.id
      from listed_operations l
     where l.merchant_id = ${tenant.merchant_id} and l.livemode = ${tenant.livemode} and l.kind = ${kind}
       ${amountIn(db, amount_min, amount_max)}
     order by l.amount, l.id
     limit ${FEW + 1}`
}

/** Those of few that are wanted. A page with many reads none of it. */
function ofFew(db: Db, { tenant, within, matches, newest }: Wanted, kind: ListedKind) {
  return db`(
    select ${shown(db)}
      from (select l.id
              from few l
             where ${within('l.id')} and (select count(*) from few) <= ${FEW}
             order by l.id desc
            offset 0) l
     cross join lateral (${operation(db, tenant, kind, db`l.id`, matches)}) s
     order by l.id desc ${newest})`
}

function listed(db: Db, { tenant, filters, within, matches, newest }: Wanted, kind: ListedKind, status: string | null) {
  const { operator, amount_min, amount_max, number, failure_code } = filters
  const reference = filters.reference === null ? null : comparableReference(filters.reference)
  const last4 = number instanceof Msisdn ? number.last4 : number
  return db`(
    select ${shown(db)}
      from listed_operations l
     cross join lateral (${operation(db, tenant, kind, db`l.id`, matches)}) s
     where l.merchant_id = ${tenant.merchant_id} and l.livemode = ${tenant.livemode} and l.kind = ${kind}
       and ${within('l.id')}
       ${status === null ? db`` : db`and l.status = ${status}`}
       ${operator === null ? db`` : db`and l.operator = ${operator}`}
       ${last4 === null ? db`` : db`and l.last4 = ${last4}`}
       ${reference === null ? db`` : db`and l.compared_reference = ${reference}`}
       ${failure_code === null ? db`` : db`and l.failure_code = ${failure_code}`}
       ${amountIn(db, amount_min, amount_max)}
       ${isRangeOf(filters) ? db`and (select count(*) from few) > ${FEW}` : db``}
     order by l.id desc ${newest})`
}

function fromSource(db: Db, { tenant, filters, within, matches, newest }: Wanted, fromThere = db``) {
  return db`(
    select ${shown(db)}
      from ${db(views[filters.kind])} s
     where s.merchant_id = ${tenant.merchant_id} and s.livemode = ${tenant.livemode}
       ${fromThere}
       and ${within('s.id')}
       and ${matches}
     order by s.id desc ${newest})`
}

/**
 * Those with a reference. `offset` keeps the planner from walking along the order of the list instead: it has no statistics of what an index
 * of some rows computes.
 */
function withReference(db: Db, { tenant, filters: { kind }, within, matches, newest }: Wanted, reference: string) {
  return db`(
    select ${shown(db)}
      from (select ${shown(db)}, s.compared_reference
              from ${db(views[kind])} s
             where s.merchant_id = ${tenant.merchant_id} and s.livemode = ${tenant.livemode}
               and s.compared_reference = ${comparableReference(reference)}
            offset 0) s
     where ${within('s.id')} and ${matches}
     order by s.id desc ${newest})`
}

function moved(db: Db, { tenant, filters: { statuses }, within, matches, newest }: Wanted, kind: ListedKind) {
  const types = moves[kind].flatMap(({ to, event }) => (statuses.includes(to) && event !== null ? [event] : []))
  return db`(
    select ${shown(db)}
      from event_subjects e
     cross join lateral (${operation(db, tenant, kind, db`e.subject_id`, matches)}) s
     where e.merchant_id = ${tenant.merchant_id} and e.livemode = ${tenant.livemode}
       and e.type = any(${[...new Set(types)]}) and e.id >= ${progressOf(db, 'new events')}
       and e.subject_id < ${progressOf(db, sources[kind])}
       and ${within('e.subject_id')}
     order by s.id desc ${newest})`
}

/** An exact amount is written as one, because only that is found in the order of the list. */
function amountIn(db: Db, least: number | null, most: number | null) {
  if (least !== null && least === most) return db`and l.amount = ${least}`
  const from = least === null ? db`` : db`and l.amount >= ${least}`
  return most === null ? from : db`${from} and l.amount <= ${most}`
}

/** One operation as it stands, when it is wanted. `offset` keeps the order of the join: rows of the list first, and each one's operation by its key. */
function operation(
  db: Db,
  { merchant_id, livemode }: Tenant,
  kind: ListedKind,
  id: Statement<object[]>,
  matches: Statement<object[]>,
) {
  return db`
    select ${shown(db)}
      from ${db(views[kind])} s
     where s.merchant_id = ${merchant_id} and s.livemode = ${livemode} and s.id = ${id}
       and ${matches}
    offset 0`
}

/** The columns of an operation, of a view or of `operation`. */
function shown(db: Db) {
  return db(columns.map((column) => `s.${column}`))
}

/** Read in the statement that needs it: rows and progress are of one moment. */
function progressOf(db: Db, source: Source) {
  return db`(select before_id from listing_progress where source = ${source})`
}

function wantedOf(db: Db, tenant: Tenant, filters: OperationFilters, { limit, after }: PageWanted): Wanted {
  const { kind, statuses, operator, created_from, created_before, amount_min, amount_max, reference, number } = filters
  const { failure_code } = filters
  const prefix = idPrefixes[kind]
  const from = created_from === null ? `${prefix}_` : firstIdAt(prefix, created_from.getTime() - IDS_OFF_MS)
  const before = created_before === null ? `${prefix}_z` : firstIdAt(prefix, created_before.getTime() + IDS_OFF_MS)
  const conditions = [
    statuses.length === 0 ? null : db`s.status = any(${statuses})`,
    operator === null ? null : db`s.operator = ${operator}`,
    created_from === null ? null : db`s.created_at >= ${created_from}`,
    created_before === null ? null : db`s.created_at < ${created_before}`,
    amount_min === null ? null : db`s.amount >= ${amount_min}`,
    amount_max === null ? null : db`s.amount <= ${amount_max}`,
    reference === null ? null : db`s.compared_reference = ${comparableReference(reference)}`,
    failure_code === null ? null : db`s.failure_code = ${failure_code}`,
    number === null ? null : number instanceof Msisdn ? db`s.msisdn = ${number.e164}` : db`s.last4 = ${number}`,
  ].filter((condition) => condition !== null)
  return {
    tenant,
    filters,
    within: (id) =>
      db`${db(id)} >= ${from} and ${db(id)} < ${before} ${after === null ? db`` : db`and ${db(id)} < ${after}`}`,
    matches: conditions.reduce((all, one) => db`${all} and ${one}`, db`true`),
    newest: db`limit ${limit}`,
  }
}

/** One operation of this kind; empty: it is not this caller's. */
export function readOperation(db: Db, tenant: Tenant, kind: OperationKind, id: string): Promise<FoundRow[]> {
  return db<FoundRow[]>`
    select ${shown(db)}
      from ${db(views[kind])} s
     where s.merchant_id = ${tenant.merchant_id} and s.livemode = ${tenant.livemode} and s.id = ${id}`
}

/** References of one spelling that are shown at most: each connector may have one. */
const QUOTED_MAX = 10

/** The operations of a merchant for which an operator quotes this reference. */
export async function readQuoted(db: Db, tenant: Tenant, reference: string): Promise<string[]> {
  const rows = await db<{ subject_id: string }[]>`
    select distinct subject_id
      from quoted_references
     where reference = ${reference} and merchant_id = ${tenant.merchant_id} and livemode = ${tenant.livemode}
     limit ${QUOTED_MAX}`
  return rows.map(({ subject_id }) => subject_id)
}
