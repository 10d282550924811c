import type pg from 'pg'
import { failureOf, PostgresError, refusedForAnother } from '../failures.ts'
import type { Answer, Enqueued, Outgoing } from './pipeline.ts'
import { type CopiedRows, type Scalar, toWire, type WireValue } from './statement.ts'
import { Names } from './tables.ts'

/** The running statements of each connection: settled when all of them have ended. */
const underWay = new WeakMap<pg.ClientBase, Promise<void>>()

/**
 * Sends each statement after the answer to the previous one, by the driver's public API only. It is much slower than a batch, because
 * every statement waits for an answer. With it we can use a new version of the driver at once.
 */
export function sendOneByOne(client: pg.ClientBase, statements: readonly Enqueued[]): void {
  const before = underWay.get(client) ?? Promise.resolve()
  underWay.set(
    client,
    before.then(() => sendInTurn(client, statements)),
  )
}

async function sendInTurn(client: pg.ClientBase, statements: readonly Enqueued[]): Promise<void> {
  let refusal: unknown = null
  for (const { statement, resolve, reject } of statements) {
    if (refusal !== null) {
      reject(refusal)
      continue
    }
    try {
      resolve(await askDriver(client, statement))
    } catch (error) {
      const failure = failureOf(error)
      refusal = failure instanceof PostgresError ? refusedForAnother() : failure
      reject(failure)
    }
  }
}

/** The answer; for a text of several statements, that of the last. */
export async function askDriver(client: pg.ClientBase, { text, values, copied }: Outgoing): Promise<Answer> {
  const asked = copied === undefined ? { text, values: values as WireValue[] } : insertOf(copied)
  const result: pg.QueryResult | pg.QueryResult[] = await client.query(values === null ? text : asked)
  const { command, rowCount, rows } = Array.isArray(result) ? result.at(-1)! : result
  return { command, count: rowCount ?? 0, rows }
}

/** Writes the rows of a COPY by an insert, because the driver's public API has no COPY. */
function insertOf({ table, fields, rows }: CopiedRows): { text: string; values: WireValue[] } {
  const named = new Names(fields.map(({ name }) => name)).text
  const lists = fields.map(({ type }, at) => `$${at + 1}::${type}[]`)
  return {
    text: `
      insert into ${new Names(table).text} (${named})
      select ${named} from unnest(${lists.join(', ')}) as given(${named})`,
    values: fields.map(({ name }) => toWire(rows.map((row) => elementOf(row[name as never] ?? null)))),
  }
}

/** The value of a field: null if it is absent, and JSON as text. */
function elementOf(value: unknown): Scalar {
  const isScalar = typeof value !== 'object' || value === null || value instanceof Date || value instanceof Uint8Array
  return isScalar ? (value as Scalar) : JSON.stringify(value)
}
