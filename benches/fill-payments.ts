import { openDatabase, type Sql, type Tx } from '../src/platform/postgres/database.ts'

/** A merchant without payments, for which payments are made, and the endpoint of their events. */
export type Filled = { merchant_id: number; endpoint_id: string }

/** The payments are spread evenly over this many days. The last one is an hour old. */
const DAYS = 180

/** Days for which the service keeps answers and callbacks by default. Older ones are left out. */
const ANSWER_DAYS = 30
const CALLBACK_DAYS = 90

/** Payments made in one transaction, and concurrent transactions. */
const TOGETHER = 20_000
const CONNECTIONS = 2

/**
 * Makes completed payments of 10 000 francs: collected, credited and notified. It writes every row of a whole payment,
 * and every index, except:
 * - the rows that retention would have deleted;
 * - the logs that are partitioned by day (calls, and attempts of deliveries), because earlier days do not make today's
 *   partition larger.
 * The payments are made in the order of their time, the merchants in turn. Triggers and foreign keys are off, because
 * they check what holds here by construction. The audit verifies it afterwards.
 */
export async function fillPayments(url: string, merchants: readonly Filled[], each: number): Promise<void> {
  const sql = openDatabase({ url, connections: CONNECTIONS, name: 'fill' })
  const count = merchants.length * each
  let next = 1
  const fillOn = async () => {
    while (next <= count) {
      const from = next
      next += TOGETHER
      await fillSlice(sql, merchants, { from, to: Math.min(next - 1, count), count })
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, fillOn))
  await sql.begin((tx) => addUp(tx, merchants, each))
  await sql.end()
}

/** Sets each merchant's accounts to the sums of its payments. */
async function addUp(tx: Tx, merchants: readonly Filled[], each: number): Promise<void> {
  await tx`set local session_replication_role = replica`
  await tx`
    update accounts a
       set sequence = ${each}, balance = case account when 'available' then 10000 else -10000 end * ${each}::bigint,
           credited = case account when 'available' then 10000 * ${each}::bigint else 0 end,
           booked_at = (select e.created_at
                          from ledger_entries e
                         where (e.merchant_id, e.livemode, e.account, e.sequence)
                             = (a.merchant_id, a.livemode, a.account, ${each}))
     where merchant_id = any(${merchants.map(({ merchant_id }) => merchant_id)}::bigint[])
       and not livemode
       and account in ('available', 'held:simulator')`
}

type Slice = { from: number; to: number; count: number }

function fillSlice(sql: Sql, merchants: readonly Filled[], slice: Slice): Promise<void> {
  return sql.begin(async (tx) => {
    await tx`set local statement_timeout = 0`
    await tx`set local session_replication_role = replica`
    await tx`set local synchronous_commit = off`
    await tx`set local enable_seqscan = on`
    await tx`set local enable_hashjoin = on`
    await makeFacts(tx, merchants, slice)
    for (const statement of rows) await tx.unsafe(statement)
  })
}

/**
 * Writes one temporary row for each payment, with the values that its other rows share. Identifiers begin with their
 * time in ten letters, as ours do. The merchant's references and keys are random, as in production.
 */
async function makeFacts(tx: Tx, merchants: readonly Filled[], { from, to, count }: Slice): Promise<void> {
  const numbered = merchants.map(({ merchant_id, endpoint_id }, turn) => ({ turn, merchant_id, endpoint_id }))
  const letter = (shift: number) =>
    `substr('0123456789abcdefghjkmnpqrstvwxyz', ((ms >> ${shift}) & 31)::integer + 1, 1)`
  await tx`
    create temporary table filled on commit drop as
    select turn, merchant_id, endpoint_id
      from json_to_recordset(${tx.json(numbered)}) as m(turn integer, merchant_id bigint, endpoint_id text)`
  await tx.unsafe(`
    create temporary table made on commit drop as
    select f.merchant_id as merchant, f.endpoint_id, (n - 1) / ${merchants.length} + 1 as n, at, merchant_reference, msisdn,
           'txn_' || time || '0' || place as id, 'evt_' || time || '0' || place as pending_id,
           'evt_' || time || '1' || place as succeeded_id, 'dlv_' || time || '0' || place as delivery_id,
           left(md5('key' || place), 24) as key,
           (left(hex, 8) || '-' || right(hex, 4) || '-4' || substr(random, 1, 3) || '-8' || substr(random, 4, 3) || '-'
             || substr(random, 7, 12))::uuid as reference
      from (select n, at, lpad(n::text, 15, '0') as place, lpad(to_hex(ms), 12, '0') as hex, md5(n::text) as random,
                   ${[45, 40, 35, 30, 25, 20, 15, 10, 5, 0].map(letter).join(' || ')} as time,
                   'order-' || left(md5('order' || n), 24) as merchant_reference,
                   '+22507' || to_char(n % 10000000, 'FM0000000') || '0' as msisdn
              from (select n, at, floor(extract(epoch from at) * 1000)::bigint as ms
                      from (select n, date_trunc('milliseconds', now() - interval '1 hour'
                                        - (${count} - n)::float8 / ${count} * interval '${DAYS} days') as at
                              from generate_series(${from}, ${to}) as n) timed) clocked) named
      join filled f on f.turn = (n - 1) % ${merchants.length}`)
}

/** The body of an event, or of a stored answer, as the service would have written it. */
const viewOf = (status: string) =>
  `'{"id":"' || id || '","object":"payment","amount":10000,"amount_collected":10000,"fee_amount":0,"net_amount":10000,` +
  `"currency":"XOF","status":"${status}","operator":"orange_ci","merchant_reference":"' || merchant_reference || ` +
  `'","failure_code":null,"failure_message":null,"livemode":false,"created_at":"' || at || '","succeeded_at":null,"failed_at":null}'`

const eventOf = (status: string) => `
  select merchant, false, ${status}_id, 'payment.${status}', id,
         '{"id":"' || ${status}_id || '","object":"event","type":"payment.${status}","api_version":"2026-08-25","created_at":"'
           || at || '","livemode":false,"data":' || ${viewOf(status)} || '}', at`

const rows = [
  `insert into payments (merchant_id, livemode, id, amount, amount_collected, fee_amount, net_amount, currency, status,
                           operator, merchant_reference, msisdn, description, metadata, transition_count, created_at, succeeded_at)
     select merchant, false, id, 10000, 10000, 0, 10000, 'XOF', 'succeeded', 'orange_ci', merchant_reference, msisdn,
            'Two bags of rice', '{"shop":"Treichville","lines":2}', 2, at, at
     from made`,
  `insert into payment_transitions_log (merchant_id, livemode, payment_id, number, from_status, to_status, cause, transitioned_at)
     select merchant, false, id, s.number, s.from_status, s.to_status, s.cause, at
     from made
     cross join (values (1, 'created', 'pending', 'sending_began'), (2, 'pending', 'succeeded', 'proof_received'))
       as s(number, from_status, to_status, cause)`,
  `insert into instructions (merchant_id, livemode, subject_id, direction, operator, connector, amount, currency, msisdn,
                               state, reference, asked, attempts, created_at, sent_at, concluded_at, next_check_at)
     select merchant, false, id, 'collect', 'orange_ci', 'simulator', 10000, 'XOF', msisdn, 'confirmed', reference, 2, 1, at, at, at, null
     from made`,
  `insert into sends (merchant_id, livemode, subject_id, attempt, connector, reference, sent_at)
     select merchant, false, id, 1, 'simulator', reference, at
     from made`,
  `insert into operator_answers (merchant_id, livemode, subject_id, number, source, outcome, evidence, answered_at)
     select merchant, false, id, s.number, s.source, s.outcome, s.evidence::jsonb, at
     from made
     cross join (values (1, 'send', 'accepted', '{"simulator":"took the order"}'),
                        (2, 'inquiry', 'settled', '{"amount":10000,"simulator":"settled"}'))
       as s(number, source, outcome, evidence)`,
  `insert into operator_references (connector, reference, merchant_id, livemode, subject_id)
     select 'simulator', reference::text, merchant, false, id
     from made`,
  `insert into operator_callbacks (connector, digest, reference, evidence, received_at, outcome)
     select 'simulator', overlay(sha256(reference::text::bytea) placing left(reference::text, 8)::bytea from 1 for 8), reference::text,
            jsonb_build_object('time', 1, 'reference', reference), at, 'asked'
     from made
     where at > now() - interval '${CALLBACK_DAYS} days'`,
  `insert into simulator_orders (merchant_id, livemode, reference, taken_at, direction, amount, msisdn_end)
     select merchant, false, reference, at, 'collect', 10000, right(msisdn, 4)
     from made`,
  `insert into events (merchant_id, livemode, id, type, subject_id, body, created_at)
     ${eventOf('pending')}
     from made`,
  `insert into events (merchant_id, livemode, id, type, subject_id, body, created_at)
     ${eventOf('succeeded')}
     from made`,
  `insert into deliveries (merchant_id, livemode, id, event_id, endpoint_id, status, attempts, scheduled_attempts, fence,
                             created_at, finished_at, next_attempt_at)
     select merchant, false, delivery_id, succeeded_id, endpoint_id, 'delivered', 1, 1, 1, at, at, null
     from made`,
  `insert into ledger_transactions (merchant_id, livemode, subject_id, operation, legs, created_at)
     select merchant, false, id, 'collection_confirmed', 2, at
     from made`,
  `insert into ledger_entries (merchant_id, livemode, account, sequence, subject_id, operation, leg, amount, balance_after,
                                 credited_after, created_at)
     select merchant, false, l.account, n, id, 'collection_confirmed', l.leg, l.amount, l.amount * n,
            greatest(l.amount, 0) * n, at
     from made
     cross join (values ('held:simulator', 1, -10000::bigint), ('available', 2, 10000)) as l(account, leg, amount)`,
  `insert into idempotency_keys (merchant_id, livemode, key, fingerprint, status, body, created_at)
     select merchant, false, key, sha256(key::bytea), 201, ${viewOf('created')}, at
     from made
     where at > now() - interval '${ANSWER_DAYS} days'`,
]

/** The tables that are filled. */
export const filledTables = [
  'payments',
  'payment_transitions_log',
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
