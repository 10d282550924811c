import { type Db, Json, Recordset, type Statement, type Tx } from './database.ts'

type OfMerchant = { readonly merchant_id: number }

/** Columns by which rows are told apart, and the field with the value of each where it is named otherwise: `{ id: 'payment_id' }`. */
type Keyed<Row> = (string & keyof Row) | readonly (string & keyof Row)[] | Readonly<Record<string, string & keyof Row>>

/** A fault of ours: the caller must query each merchant apart (`tenantOf` of a group, `eachShard`). */
export class CrossShardError extends Error {
  override name = 'CrossShardError'

  constructor() {
    super('A statement was to find rows of two merchants, which may be on two machines (SHARDED).')
  }
}

/**
 * Inserts rows into a table by COPY, the fastest way. For rows without a `returning` and without a conflict. Does not
 * wait: the rows travel with the next statement, at the latest with the commit. A refused row fails the transaction.
 *
 * Writes the fields that are columns of the table. A column that no row has takes its default. A column that only some
 * rows have is null in the others. The types are those of the table, read when the pool was opened.
 */
export function insertRows(tx: Tx, table: string, rows: readonly object[]): void {
  if (rows.length > 0) tx.send(tx.copy(table, rows))
}

/**
 * Rows of ours as a statement reads a table: `from ${given(tx, 'payments w', rows, ['id', 'status'])}`. One text for any number of
 * rows. A `Date` travels as text, an absent field as null.
 * @param like the table whose columns' types the fields of the same names have, and the name of the rows in the statement.
 *   A field that is no column of it is `text`, which the statement casts where it must
 * @param fields the fields that the statement reads; the others are not sent
 */
export function given<Row extends object>(
  db: Db,
  like: string,
  rows: readonly Row[],
  fields: readonly (string & keyof Row)[],
): Recordset {
  const [table, alias] = namesIn(like)
  return new Recordset(table, alias, fields, db.json(rows.map((row) => pick(row, fields))))
}

/**
 * A table joined with keys of its rows, each key once: `from ${matching(tx, 'payments p', keys, { id: 'payment_id' })}` stands for
 * `from payments p join … k on (p.merchant_id, p.livemode, p.id) = (k.merchant_id, k.livemode, k.payment_id)`.
 * @param on the columns besides the tenant's; none: whole tenants
 * @throws CrossShardError when merchants' rows are spread over machines and the keys are of two merchants
 */
export function matching<Key extends OfMerchant & { readonly livemode: boolean }>(
  db: Db,
  table: string,
  keys: readonly Key[],
  on: Keyed<Key> = [],
): Statement<object[]> {
  const [name, alias] = namesIn(table)
  const fields = ['merchant_id', 'livemode', ...columnsIn(on).map(([, field]) => field)] as (string & keyof Key)[]
  // In order, equal ones are neighbours. A set would have the engine keep a copy of each text among the names of the program.
  const texts = keys.map((key) => JSON.stringify(pick(key, fields))).sort()
  const rows = new Recordset(
    name,
    'k',
    fields,
    new Json(`[${texts.filter((text, at) => text !== texts[at - 1]).join(',')}]`),
  )
  return db`${db(name)} ${db(alias)} join ${rows} on ${sameRow(db, alias, 'k', keys, on)}`
}

/**
 * The condition that a row of one table is the one that a row of another speaks of:
 * `(d.merchant_id, d.livemode, d.id) = (w.merchant_id, w.livemode, w.delivery_id)`.
 *
 * Where merchants' rows are spread over machines (`SHARDED`) it names their merchant by its value besides: Citus finds the machine of
 * a statement by a value and not by what is in a list, and locks rows only on a machine that it has found.
 * @param rows those of `theirs`, or others of the same merchants
 * @param on the columns besides the tenant's, with the field of `theirs` where it is named otherwise; none: whole tenants
 * @throws CrossShardError as `matching`
 */
export function sameRow(
  db: Db,
  ours: string,
  theirs: string,
  rows: readonly OfMerchant[],
  on: Keyed<Record<string, unknown>> = [],
): Statement<object[]> {
  const pairs = [['merchant_id', 'merchant_id'], ['livemode', 'livemode'], ...columnsIn(on)]
  const left = db(pairs.map(([column]) => `${ours}.${column}`))
  const right = db(pairs.map(([, field]) => `${theirs}.${field}`))
  const same = db`(${left}) = (${right})`
  if (!db.sharded) return same
  const [first, ...others] = rows
  if (first === undefined) return db`false`
  if (others.some(({ merchant_id }) => merchant_id !== first.merchant_id)) throw new CrossShardError()
  return db`${same} and ${db(`${ours}.merchant_id`)} = ${first.merchant_id}`
}

/** `payments p` is the table and its name in the statement. */
function namesIn(table: string): [name: string, alias: string] {
  const [name = '', alias = name] = table.split(' ')
  return [name, alias]
}

function columnsIn(on: Keyed<Record<string, unknown>>): (readonly [column: string, field: string])[] {
  if (typeof on === 'string') return [[on, on]]
  return Array.isArray(on) ? on.map((column) => [column, column]) : Object.entries(on)
}

function pick<Row extends object>(row: Row, fields: readonly (string & keyof Row)[]): object {
  const picked: Record<string, unknown> = {}
  for (const field of fields) picked[field] = row[field]
  return picked
}
