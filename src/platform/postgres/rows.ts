import type { Tenant } from '../../values/caller.ts'
import { type Db, Json, Recordset, type Statement, type Tx } from './database.ts'

type OfMerchant = { readonly merchant_id: number }

/** The columns that identify a row. If a field has another name than its column, an object maps them: `{ id: 'payment_id' }`. */
type Keyed<Row> = (string & keyof Row) | readonly (string & keyof Row)[] | Readonly<Record<string, string & keyof Row>>

/** A fault in our code: the caller must query each merchant separately (`tenantOf` of a group, `eachShard`). */
export class CrossShardError extends Error {
  override name = 'CrossShardError'

  constructor() {
    super('A statement was to find rows of two merchants, which may be on two machines (SHARDED).')
  }
}

/**
 * Inserts rows into a table by COPY, the fastest way, for rows without `returning` and without a conflict. It does not
 * wait: the rows are sent with the next statement, at the latest with the commit. A refused row fails the transaction.
 *
 * It writes the fields that are columns of the table. A column that no row has gets its default. A column that only some
 * rows have is null in the others. The types are those of the table.
 */
export function insertRows(tx: Tx, table: string, rows: readonly object[]): void {
  if (rows.length > 0) tx.send(tx.copy(table, rows))
}

/**
 * Our rows, for a statement that reads them like a table: `from ${given(tx, 'payments w', rows, ['id', 'status'])}`. The text is the same for
 * any number of rows. A `Date` is sent as text, an absent field as null.
 * @param like the table whose column types the fields have, and the alias of the rows in the statement.
 *   A field that is not a column of the table is `text`, and the statement casts it if necessary
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
 * A table joined with keys of its rows, each key once: `from ${matching(tx, 'payments p', keys, { id: 'payment_id' })}` means
 * `from payments p join … k on (p.merchant_id, p.livemode, p.id) = (k.merchant_id, k.livemode, k.payment_id)`.
 * @param on the columns besides the tenant's; none: whole tenants
 * @throws CrossShardError if merchants' rows are spread over several databases and the keys are of two merchants
 */
export function matching<Key extends OfMerchant & { readonly livemode: boolean }>(
  db: Db,
  table: string,
  keys: readonly Key[],
  on: Keyed<Key> = [],
): Statement<object[]> {
  const [name, alias] = namesIn(table)
  const fields = ['merchant_id', 'livemode', ...columnsIn(on).map(([, field]) => field)] as (string & keyof Key)[]
  // Sorted, so that equal keys are neighbours. With a Set, V8 would keep a copy of each text in its table of property names.
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
 * The condition that joins a row of one table with the row of another that names it:
 * `(d.merchant_id, d.livemode, d.id) = (w.merchant_id, w.livemode, w.delivery_id)`.
 *
 * With `SHARDED` it also contains the merchant as a value: Citus finds the machine of a statement by a value and not by a list, and locks rows
 * only on a machine that it has found.
 * @param rows the rows of `theirs`, or others of the same merchants
 * @param on the columns besides the tenant's, with the field of `theirs` if it has another name; none: whole tenants
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

/**
 * Finds the key of a row by its id alone, for the staff and the command line. Null when there is none.
 * @param table a table of the caller, with the column `id`
 * @param field the name of the id in the key
 */
export async function findKeyById<Field extends string>(
  db: Db,
  table: string,
  field: Field,
  id: string,
): Promise<(Tenant & Record<Field, string>) | null> {
  const [row] = await db<(Tenant & Record<Field, string>)[]>`
    select merchant_id, livemode, id as ${db(field)}
      from ${db(table)}
     where id = ${id}
     limit 1`
  return row ?? null
}

/**
 * Locks a row that a person names by its id alone, until the transaction ends. It finds the key first, because Citus locks rows only on a
 * machine that it has found. Null when there is none.
 * @param of the id, or the key that was found already
 */
export async function lockById<Row extends object>(
  tx: Tx,
  table: string,
  columns: readonly string[],
  of: string | (Tenant & { readonly id: string }),
): Promise<Row | null> {
  const key = typeof of === 'string' ? await findKeyById(tx, table, 'id', of) : of
  if (key === null) return null
  const [row] = await tx<Row[]>`
    select ${tx(columns)}
      from ${tx(table)}
     where merchant_id = ${key.merchant_id} and livemode = ${key.livemode} and id = ${key.id}
       for no key update`
  return row ?? null
}
