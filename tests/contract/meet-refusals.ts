import { newKey } from '../../src/api-keys/key-format.ts'
import type { ErrorCode } from '../../src/values/error-codes.ts'
import { type IdPrefix, newId } from '../../src/values/ids.ts'
import { hold, untilWaiting } from '../harness/hold.ts'
import type { Installation } from '../harness/installation.ts'
import { waitFor } from '../harness/wait-for.ts'
import { isLimited } from './answers.ts'
import type { Asked } from './ask.ts'
import { PATIENCE, type Sender } from './sender.ts'

/** The stage of a case: a merchant of its own, with a million francs. */
export type Stage = { installation: Installation; sender: Sender }

/** The request to be refused, sent after its preparation. */
export type Prepared = {
  asked: Asked
  /** The process that gets the request. */
  process?: number
  /** Runs after the answer and the count of rows. */
  after?: () => Promise<void>
}

export type RefusalCase = {
  /** The route as the tables name it. */
  route: string
  why: string
  status: number
  code: ErrorCode
  prepare(stage: Stage): Prepared | Promise<Prepared>
}

/** An id that names nothing of this merchant is not found, and a text that is no id of the kind is told so. */
export function idCases(
  route: string,
  prefix: IdPrefix,
  ask: (sender: Sender, id: string) => Asked,
  more: readonly string[] = [],
): RefusalCase[] {
  const other = prefix === 'txn' ? 'evt_1' : 'txn_1'
  const refused = (status: number, code: ErrorCode) => (id: string) => {
    const prepare: RefusalCase['prepare'] = ({ sender }) => ({ asked: ask(sender, id) })
    return { route, why: id.slice(0, 40), status, code, prepare }
  }
  const [short, capital] = [`${prefix}_1`, `${prefix.toUpperCase()}_1`]
  const none = [
    '1',
    prefix,
    `${prefix}_`,
    other,
    capital,
    `${prefix}_a-b`,
    `${prefix}_${'z'.repeat(65)}`,
    `${prefix}_%00`,
  ]
  return [
    ...[newId(prefix, 1), short, `${prefix}_${'z'.repeat(64)}`].map(refused(404, 'resource_not_found')),
    ...[...none, ...more].map(refused(422, 'invalid_id')),
  ]
}

const written = [
  'payments',
  'checkout_sessions',
  'payment_links',
  'payouts',
  'payout_requests',
  'payout_batches',
  'payout_batch_lines',
  'payout_cap_usage',
  'settlements',
  'beneficiaries',
  'idempotency_keys',
]

/** A merchant's number of rows in each table that requests write, and its balances. */
export async function countRows(installation: Installation, sender: Sender): Promise<Record<string, number>> {
  const { sql } = installation.db
  const { tenant, balances } = sender
  const counts = written.map(async (table) => {
    const [row] = await sql<{ rows: number }[]>`
      select count(*)::int as rows from ${sql(table)} where merchant_id = ${tenant.merchant_id}`
    return [table, row!.rows] as const
  })
  // A waiting collection has no instruction yet. Later it has one, or it has ended because no operator can take it.
  await untilNoneWaits(installation, sender)
  const [instructions] = await sql<{ rows: number }[]>`
    select count(*)::int as rows from instructions where merchant_id = ${tenant.merchant_id}`
  return { ...Object.fromEntries(await Promise.all(counts)), instructions: instructions!.rows, ...(await balances()) }
}

/** Waits until no collection of a merchant waits to be sent. */
async function untilNoneWaits({ db: { sql } }: Installation, { tenant }: Sender): Promise<void> {
  await waitFor(async () => {
    const waiting = await sql`
      select id
        from collection_outbox cross join json_array_elements(collections) as one
       where (one ->> 'merchant_id')::bigint = ${tenant.merchant_id}`
    return waiting.length === 0
  }, PATIENCE)
}

/** The refusals of callers that may not use these routes. */
export function doorCases(
  wanted: Readonly<Record<string, { ask(sender: Sender): Asked; scoped: boolean }>>,
): RefusalCase[] {
  return Object.entries(wanted).flatMap(([route, { ask, scoped }]): RefusalCase[] => {
    const refusal = (status: number, code: ErrorCode, why: string, change: Partial<Asked>): RefusalCase => {
      return { route, why, status, code, prepare: ({ sender }) => ({ asked: { ...ask(sender), ...change } }) }
    }
    const scopes: RefusalCase = {
      route,
      why: 'a key of the other scope',
      status: 403,
      code: 'insufficient_scope',
      prepare({ sender }) {
        const asked = ask(sender)
        return { asked: { ...asked, key: asked.key === sender.key ? sender.merchant.key : sender.key } }
      },
    }
    return [
      refusal(401, 'authentication_required', 'no key', { key: null }),
      refusal(401, 'invalid_api_key', 'a key nobody has', { key: newKey('bdm', false).key.reveal() }),
      refusal(400, 'invalid_request', 'another version', { headers: { 'Service-Version': '2020-01-01' } }),
      ...(scoped ? [scopes] : []),
      {
        route,
        why: 'one call too many with a key in a minute',
        status: 429,
        code: 'rate_limit_exceeded',
        async prepare({ installation, sender }) {
          const asked = ask(sender)
          // Calls of all routes count together, refused ones too.
          const other = { path: '/v1-payments/wrong', key: asked.key! }
          await waitFor(async () => isLimited(await installation.ask(other, 1)), PATIENCE)
          return { asked, process: 1 }
        },
      },
    ]
  })
}

/** A fault of ours: a column that a statement needs is missing for a moment. */
export function faultCase(
  route: string,
  [table, column]: [table: string, column: string],
  ask: (stage: Stage) => Asked | Promise<Asked>,
  andThen: (stage: Stage, asked: Asked) => Promise<void>,
  code: ErrorCode = 'payout_failed',
): RefusalCase {
  return {
    route,
    why: 'the database refuses to work',
    status: 500,
    code,
    async prepare(stage) {
      const { sql } = stage.installation.db
      const asked = await ask(stage)
      await untilNoneWaits(stage.installation, stage.sender)
      await sql`alter table ${sql(table)} rename column ${sql(column)} to away`
      return {
        asked,
        async after() {
          await sql`alter table ${sql(table)} rename column away to ${sql(column)}`
          await andThen(stage, asked)
        },
      }
    },
  }
}

/** Blocks the first of two identical requests midway, so that the second finds it in progress. */
export async function holdFirst(
  { installation }: Stage,
  asked: Asked,
  table: string,
  check: (answer: Awaited<ReturnType<Installation['ask']>>) => void,
): Promise<Prepared> {
  const { sql } = installation.db
  // A lock blocks all writes to the table: the first request has claimed its key and waits.
  const holder = await hold(sql, (tx) => tx`lock table ${tx(table)} in share mode`)
  const first = installation.ask(asked)
  await untilWaiting(sql, { statement: `(into |^copy ")${table}\\M` }).catch(async (error) => {
    await holder.letGo()
    throw error
  })
  // Sent to another process, which knows of the first request only through the database.
  return {
    asked,
    process: 1,
    async after() {
      await holder.letGo()
      check(await first)
    },
  }
}
