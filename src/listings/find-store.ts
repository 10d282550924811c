import { transitions as ofPayments } from '../payments/states.ts'
import { transitions as ofPayouts } from '../payouts/states.ts'
import type { Db, Statement } from '../platform/postgres/database.ts'
import type { Tenant } from '../values/caller.ts'
import { comparableReference } from '../values/comparable.ts'
import { idsBetween } from '../values/ids.ts'
import { Msisdn } from '../values/msisdn.ts'
import type { PageWanted } from '../values/page.ts'
import type { Transition } from '../values/transition.ts'
import {
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
 * The most operations in a range of amounts that are sorted for a page. If there are more, at least one in 5 000 of ten million operations
 * is in the range, and reading in the order of the list finds a page.
 */
const FEW = 2_000

/** The filters and the limit of a page as parts of a statement. */
export type WantedPart = {
  /** The condition that an identifier is in the wanted part of the list. */
  within: (id: 's.id' | 'l.id' | 'e.subject_id') => Statement<object[]>
  /** The condition that the current operation matches the filters. */
  matches: Statement<object[]>
  /** The limit of a page. */
  newest: Statement<object[]>
}

/** The parts of the statement that all its streams share. */
type Wanted = WantedPart & { tenant: Tenant; filters: OperationFilters }

/**
 * Reads the newest operations that match. A table whose keys begin with the merchant is read alone, and so are payments by reference, because
 * that column has an index. Otherwise one statement, and so one snapshot, unites three streams, each by a key and at most one page long:
 * 1. listed operations, in the order of an index that fits the filters, each joined with the operation itself;
 * 2. operations that the worker has not listed yet, from the end of their own table;
 * 3. operations that moved to a wanted state since the worker last read events, because the list still has their former state.
 *
 * The order of the list does not help with a range of amounts. If few operations are in the range, the first stream sorts these, so that no
 * page reads every operation in vain.
 */
export async function readPage(db: Db, tenant: Tenant, asked: OperationFilters, page: PageWanted): Promise<FoundRow[]> {
  // Operations with a reason have failed, and the third stream finds new failures by that status.
  const filters =
    asked.failure_code !== null && asked.statuses.length === 0 ? { ...asked, statuses: ['failed'] } : asked
  const wanted = { tenant, filters, ...wantedPart(db, filters, page) }
  const { kind, reference, statuses } = filters
  const isRange = isRangeOf(filters)
  const streams =
    !isListed(kind) || (kind === 'payment' && reference !== null)
      ? [reference === null ? fromSource(db, wanted) : withReference(db, wanted, reference)]
      : [
          ...(statuses.length === 0 ? [null] : statuses).map((status) => listed(db, wanted, kind, status)),
          ...(isRange ? [ofFew(db, wanted, kind)] : []),
          fromSource(db, wanted, unlistedFrom(db, kind)),
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

/** Lists the operations in a range of amounts, at most one more than `FEW`. The order is that of their index, so that the planner uses it. */
function fewOf(db: Db, { tenant, filters: { amount_min, amount_max } }: Wanted, kind: ListedKind) {
  return db`
    select l.id
      from listed_operations l
     where l.merchant_id = ${tenant.merchant_id} and l.livemode = ${tenant.livemode} and l.kind = ${kind}
       ${amountIn(db, amount_min, amount_max)}
     order by l.amount, l.id
     limit ${FEW + 1}`
}

/** Returns the matching operations of `few`. Empty when the range has more than `FEW`. */
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
  const { operator, failure_code } = filters
  return db`(
    select ${shown(db)}
      from listed_operations l
     cross join lateral (${operation(db, tenant, kind, db`l.id`, matches)}) s
     where l.merchant_id = ${tenant.merchant_id} and l.livemode = ${tenant.livemode} and l.kind = ${kind}
       and ${within('l.id')}
       ${status === null ? db`` : db`and l.status = ${status}`}
       ${operator === null ? db`` : db`and l.operator = ${operator}`}
       ${failure_code === null ? db`` : db`and l.failure_code = ${failure_code}`}
       ${soughtIn(db, filters)}
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
 * Returns the operations with a reference. `offset 0` keeps the planner from reading in the order of the list instead, because it has no
 * statistics of the expression of a partial index.
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

/** Returns the conditions on the number, the reference and the amount of a listed operation, `l`. A whole number is compared by its end. */
export function soughtIn(db: Db, { number, reference, amount_min, amount_max }: OperationFilters) {
  const last4 = number instanceof Msisdn ? number.last4 : number
  return db`${last4 === null ? db`` : db`and l.last4 = ${last4}`}
       ${reference === null ? db`` : db`and l.compared_reference = ${comparableReference(reference)}`}
       ${amountIn(db, amount_min, amount_max)}`
}

/** Returns the condition on the amount. An exact amount is an equality, because only then the index gives the order of the list. */
function amountIn(db: Db, least: number | null, most: number | null) {
  if (least !== null && least === most) return db`and l.amount = ${least}`
  const from = least === null ? db`` : db`and l.amount >= ${least}`
  return most === null ? from : db`${from} and l.amount <= ${most}`
}

/** Returns the current operation, if it matches. `offset 0` keeps the order of the join: rows of the list first, then each operation by its key. */
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

/** Returns the columns of an operation, from a view or from `operation`. */
export function shown(db: Db) {
  return db(columns.map((column) => `s.${column}`))
}

/** Returns the worker's progress as a part of the statement, so that rows and progress have one snapshot. */
function progressOf(db: Db, source: Source) {
  return db`(select before_id from listing_progress where source = ${source})`
}

/** Returns the condition that the worker may not have listed an operation yet. */
export function unlistedFrom(db: Db, kind: ListedKind) {
  return db`and s.id >= ${progressOf(db, sources[kind])}`
}

/** Writes filters and a limit as parts of a statement about a view, `s`. */
export function wantedPart(db: Db, filters: OperationFilters, { limit, after }: PageWanted): WantedPart {
  const { kind, statuses, operator, created_from, created_before, amount_min, amount_max, reference, number } = filters
  const { failure_code } = filters
  const prefix = idPrefixes[kind]
  const { from, before } = idsBetween(prefix, { created_from, created_before })
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
    within: (id) =>
      db`${db(id)} >= ${from} and ${db(id)} < ${before} ${after === null ? db`` : db`and ${db(id)} < ${after}`}`,
    matches: conditions.reduce((all, one) => db`${all} and ${one}`, db`true`),
    newest: db`limit ${limit}`,
  }
}

/** Reads one operation of this kind. Empty when it is not this caller's. */
export function readOperation(db: Db, tenant: Tenant, kind: OperationKind, id: string): Promise<FoundRow[]> {
  return db<FoundRow[]>`
    select ${shown(db)}
      from ${db(views[kind])} s
     where s.merchant_id = ${tenant.merchant_id} and s.livemode = ${tenant.livemode} and s.id = ${id}`
}

/** The most operations with one operator's reference, because several connectors may use the same text. */
export const QUOTED_MAX = 10

/** Finds the operations of a merchant with this operator's reference. */
export async function readQuoted(db: Db, tenant: Tenant, reference: string): Promise<string[]> {
  const rows = await db<{ subject_id: string }[]>`
    select distinct subject_id
      from quoted_references
     where reference = ${reference} and merchant_id = ${tenant.merchant_id} and livemode = ${tenant.livemode}
     limit ${QUOTED_MAX}`
  return rows.map(({ subject_id }) => subject_id)
}
