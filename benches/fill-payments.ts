import { openDatabase, type Sql, type Tx } from '../src/platform/postgres/database.ts'

/** Whose payments are made: a merchant without any, and the endpoint that was told of them. */
export type Filled = { merchant_id: number; endpoint_id: string }

/** The payments lie evenly over this many days, the last of them an hour ago. Nothing of them is old enough to be dropped. */
const DAYS = 20

/** Merchants filled at once. */
const CONNECTIONS = 2

/**
 * Makes payments of 10 000 francs as they are when all is over: collected, credited and told. Every row that a whole payment
 * leaves is there, with every index kept, but for the logs that are cut into days (calls and attempts of deliveries), because
 * today's part of those is no larger for what came before. Triggers and foreign keys are left aside, because they read what is
 * known to hold here; that it does hold is what the audit says afterwards.
 */
export async function fillPayments(url: string, merchants: readonly Filled[], each: number): Promise<void> {
  const sql = openDatabase({ url, connections: CONNECTIONS, name: 'fill' })
  const waiting = [...merchants]
  const fillNext = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await fillOne(sql, next, each)
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, fillNext))
  await sql.end()
}

function fillOne(sql: Sql, { merchant_id, endpoint_id }: Filled, each: number): Promise<void> {
  return sql.begin(async (tx) => {
    await tx`set local statement_timeout = 0`
    await tx`set local session_replication_role = replica`
    await tx`set local synchronous_commit = off`
    await tx`set local enable_seqscan = on`
    await makeFacts(tx, merchant_id, each)
    for (const statement of rowsOf(merchant_id, endpoint_id)) await tx.unsafe(statement)
    await tx`
      update accounts
         set sequence = ${each}, balance = case account when 'available' then 10000 else -10000 end * ${each}::bigint,
             credited = case account when 'available' then 10000 * ${each}::bigint else 0 end,
             booked_at = (select max(at) from made)
       where merchant_id = ${merchant_id} and not livemode and account in ('available', 'operator:orange_ci')`
  })
}

/** One row for each payment, with all that its other rows share. References are random, as they are in life. */
function makeFacts(tx: Tx, merchant_id: number, each: number) {
  return tx.unsafe(`
    create temporary table made on commit drop as
    select n, digits, 'txn_' || digits as id, gen_random_uuid() as reference, at,
           'order-' || left(md5(digits), 24) as merchant_reference,
           '+22507' || to_char(n % 10000000, 'FM0000000') || '0' as msisdn
      from (select n, to_char(${merchant_id}::bigint * 100000000 + n, 'FM00000000000000000000000000') as digits,
                   date_trunc('milliseconds', now() - interval '1 hour'
                     - (${each} - n)::float8 / ${each} * interval '${DAYS} days') as at
              from generate_series(1, ${each}) as n) numbered`)
}

/** The body of an event, or of the answer that is kept, as it would have been written. */
const viewOf = (status: string) =>
  `'{"id":"' || id || '","object":"payment","amount":10000,"amount_collected":10000,"fee_amount":0,"net_amount":10000,` +
  `"currency":"XOF","status":"${status}","operator":"orange_ci","merchant_reference":"' || merchant_reference || ` +
  `'","failure_code":null,"failure_message":null,"livemode":false,"created_at":"' || at || '","succeeded_at":null,"failed_at":null}'`

const eventOf = (prefix: string, status: string) => `
  select merchant, false, '${prefix}' || right(digits, 25), 'payment.${status}', id,
         '{"id":"${prefix}' || right(digits, 25) || '","object":"event","type":"payment.${status}","api_version":"2026-08-25","created_at":"'
           || at || '","livemode":false,"data":' || ${viewOf(status)} || '}', at`

function rowsOf(merchant_id: number, endpoint_id: string): string[] {
  const made = `from (select ${merchant_id}::bigint as merchant, n, digits, id, reference, at, merchant_reference, msisdn from made) m`
  return [
    `insert into payments (merchant_id, livemode, id, amount, amount_collected, fee_amount, net_amount, currency, status,
                           operator, merchant_reference, msisdn, description, metadata, moves, created_at, succeeded_at)
     select merchant, false, id, 10000, 10000, 0, 10000, 'XOF', 'succeeded', 'orange_ci', merchant_reference, msisdn,
            'Two bags of rice', '{"shop":"Treichville","lines":2}', 2, at, at
     ${made}`,
    `insert into payment_moves (merchant_id, livemode, payment_id, number, from_status, to_status, cause, moved_at)
     select merchant, false, id, s.number, s.from_status, s.to_status, s.cause, at
     ${made}
     cross join (values (1, 'created', 'pending', 'sending_began'), (2, 'pending', 'succeeded', 'proof_received'))
       as s(number, from_status, to_status, cause)`,
    `insert into instructions (merchant_id, livemode, subject_id, direction, operator, amount, currency, msisdn, state,
                               reference, asked, attempts, created_at, sent_at, concluded_at, next_check_at)
     select merchant, false, id, 'collect', 'orange_ci', 10000, 'XOF', msisdn, 'confirmed', reference, 2, 1, at, at, at, null
     ${made}`,
    `insert into sends (merchant_id, livemode, subject_id, attempt, operator, reference, sent_at)
     select merchant, false, id, 1, 'orange_ci', reference, at
     ${made}`,
    `insert into operator_answers (merchant_id, livemode, subject_id, number, source, outcome, evidence, answered_at)
     select merchant, false, id, s.number, s.source, s.outcome, s.evidence::jsonb, at
     ${made}
     cross join (values (1, 'send', 'accepted', '{"simulator":"took the order"}'),
                        (2, 'inquiry', 'settled', '{"amount":10000,"simulator":"settled"}'))
       as s(number, source, outcome, evidence)`,
    `insert into operator_references (operator, reference, merchant_id, livemode, subject_id)
     select 'simulator', reference::text, merchant, false, id
     ${made}`,
    `insert into operator_callbacks (operator, digest, reference, evidence, received_at, outcome)
     select 'simulator', sha256(reference::text::bytea), reference::text,
            jsonb_build_object('time', 1, 'reference', reference), at, 'asked'
     ${made}`,
    `insert into simulator_orders (merchant_id, livemode, reference, taken_at, direction, amount, msisdn_end)
     select merchant, false, reference, at, 'collect', 10000, right(msisdn, 4)
     ${made}`,
    `insert into events (merchant_id, livemode, id, type, subject_id, body, created_at)
     ${eventOf('evt_0', 'pending')}
     ${made}`,
    `insert into events (merchant_id, livemode, id, type, subject_id, body, created_at)
     ${eventOf('evt_1', 'succeeded')}
     ${made}`,
    `insert into deliveries (merchant_id, livemode, id, event_id, endpoint_id, status, attempts, scheduled_attempts, fence,
                             created_at, finished_at, next_attempt_at)
     select merchant, false, 'dlv_' || digits, 'evt_1' || right(digits, 25), '${endpoint_id}', 'delivered', 1, 1, 1, at, at,
            null
     ${made}`,
    `insert into ledger_transactions (merchant_id, livemode, subject_id, operation, legs, created_at)
     select merchant, false, id, 'collection_confirmed', 2, at
     ${made}`,
    `insert into ledger_entries (merchant_id, livemode, account, sequence, subject_id, operation, leg, amount, balance_after,
                                 credited_after, created_at)
     select merchant, false, l.account, n, id, 'collection_confirmed', l.leg, l.amount, l.amount * n,
            greatest(l.amount, 0) * n, at
     ${made}
     cross join (values ('operator:orange_ci', 1, -10000::bigint), ('available', 2, 10000)) as l(account, leg, amount)`,
    `insert into idempotency_keys (merchant_id, livemode, key, fingerprint, status, body, created_at)
     select merchant, false, left(md5('key' || digits), 24), sha256(digits::bytea), 201, ${viewOf('created')}, at
     ${made}`,
  ]
}

/** The tables that are filled. */
export const filledTables = [
  'payments',
  'payment_moves',
  'instructions',
  'sends',
  'operator_answers',
  'operator_references',
  'operator_callbacks',
  'simulator_orders',
  'events',
  'deliveries',
  'ledger_transactions',
  'ledger_entries',
  'idempotency_keys',
  'accounts',
] as const
