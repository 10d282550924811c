import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { createOrderKeys } from '../../src/operators/order-keys.ts'
import { referenceFrom } from '../../src/operators/reference.ts'
import { claimGroups } from '../../src/operators/sending/outbox-store.ts'
import { checkPayment } from '../contract/answers.ts'
import { auditPasses } from '../contract/payer.ts'
import { hold, untilWaiting } from '../harness/hold.ts'
import { type Installation, newPayer, openInstallation } from '../harness/installation.ts'
import { livemode, mode } from '../harness/mode.ts'
import { readOperatorOrders } from '../harness/twin-as-operator.ts'
import { waitFor } from '../harness/wait-for.ts'

/** Creates accepted payments that wait as one group with one job; no worker has begun to send them. */
async function acceptTogether({ db: { sql }, pay, newMerchant }: Installation, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let at = 0; at < count; at += 1) {
    const { key } = await newMerchant()
    ids.push(checkPayment(await pay(key, { amount: 100, counterparty: { msisdn: newPayer() } }), 201).id)
  }
  const group = randomUUID()
  // As if the payments had come at the same moment.
  await sql.begin(async (tx) => {
    await tx`
      with apart as (delete from collection_outbox returning partition_key, collections)
      insert into collection_outbox (id, partition_key, collections)
      select ${group}, min(partition_key), json_agg(one) from apart cross join json_array_elements(collections) as one`
    await tx`
      with apart as (delete from jobs where kind = 'send-collections' returning queue, partition_key, payload)
      insert into jobs (queue, partition_key, kind, run_at, payload)
      select min(queue), min(partition_key), 'send-collections', now(),
             json_build_object('group', ${group}::text, 'collections', json_agg(one))
        from apart cross join json_array_elements(payload -> 'collections') as one`
  })
  assert.deepEqual(await groups(sql), [count])
  return ids
}

/** The number of waiting collections in each group. */
async function groups(sql: Installation['db']['sql']): Promise<number[]> {
  const rows = await sql<{ size: number }[]>`
    select json_array_length(collections) as size from collection_outbox order by 1`
  return rows.map(({ size }) => size)
}

const haveEnded = ({ db: { sql } }: Installation, ids: readonly string[]) =>
  waitFor(
    async () => {
      const [row] = await sql<{ ended: number }[]>`
        select count(*) as ended from payments where status = 'succeeded' and id = any(${[...ids]})`
      return row!.ended === ids.length
    },
    { deadline_ms: 40_000, what: 'the payments to have been sent and to have ended' },
  )

/** Checks that the operator received each payment once. */
async function sentOnce({ db: { sql } }: Installation, ids: readonly string[]): Promise<void> {
  const orders = await readOperatorOrders(sql)
  const rows = await sql<{ subject_id: string; reference: string; sends: number }[]>`
    select subject_id, reference::text,
           (select count(*)::int from sends s
             where s.merchant_id = i.merchant_id and s.livemode = i.livemode and s.subject_id = i.subject_id) as sends
      from instructions i`
  assert.deepEqual(
    new Map(
      rows.map(({ subject_id, reference, sends }) => {
        return [subject_id, [orders.filter((order) => order.reference === reference).length, sends]]
      }),
    ),
    new Map(ids.map((id) => [id, [1, 1]])),
  )
}

test('a group in the outbox and its job name the same collections, with the references of their keys', async () => {
  await using installation = await openInstallation({ processes: [['--only', 'api']], own: 'reads whole tables' })
  const { db, pay, newMerchant } = installation
  const { key, merchant_id } = await newMerchant()
  const body = { amount: 100, counterparty: { msisdn: newPayer() } }
  const { id } = checkPayment(await pay(key, body, { idempotency_key: 'order-47' }), 201)
  const order_key = await createOrderKeys(db)({ merchant_id, livemode }, 'order-47')
  const rows = await db.sql<object[]>`
    select j.queue, j.partition_key, w.partition_key as of_group, j.payload, w.collections
      from jobs j
      join collection_outbox w on w.id::text = j.payload ->> 'group'
     where j.kind = 'send-collections'`
  const reference = referenceFrom(order_key, 'collect')
  const collections = [{ merchant_id, livemode, subject_id: id, simulate: null, reference }]
  const [group] = await db.sql<{ id: string }[]>`select id from collection_outbox`
  assert.deepEqual(
    [...rows],
    [
      {
        queue: 'money',
        partition_key: `${mode}/orange_ci`,
        of_group: `${mode}/orange_ci`,
        payload: { group: group!.id, collections },
        collections,
      },
    ],
  )
})

test('a locked payment does not delay the others of its group, and is sent once the lock is released', async () => {
  await using installation = await openInstallation({ processes: [['--only', 'api']], own: 'reads whole tables' })
  const { sql } = installation.db
  const ids = await acceptTogether(installation, 4)
  const [held, ...others] = ids

  const [{ merchant_id } = { merchant_id: 0 }] = await sql<{ merchant_id: number }[]>`
    select merchant_id from payments where id = ${held!}`
  await using holder = await hold(
    sql,
    (tx) => tx`select from payments where merchant_id = ${merchant_id} and id = ${held!} for update`,
  )
  await using _worker = await installation.start({ args: ['--only', 'worker'] })
  await haveEnded(installation, others)
  assert.deepEqual(await groups(sql), [1], 'the one that is held waits by itself')
  await holder.letGo()
  await haveEnded(installation, ids)
  assert.deepEqual(await groups(sql), [])
  await sentOnce(installation, ids)
  await auditPasses(installation)
})

test('a payment whose row is not visible yet does not delay the others of its group, and goes on waiting', async () => {
  await using installation = await openInstallation({ processes: [['--only', 'api']], own: 'reads whole tables' })
  const { sql } = installation.db
  const ids = await acceptTogether(installation, 3)
  // As on a cluster where the row of another machine is not visible yet.
  const hidden = JSON.stringify([{ merchant_id: 1, livemode, subject_id: 'txn_unseen', simulate: null }])
  await sql`
    update collection_outbox set collections = (collections::jsonb || ${hidden}::jsonb)::json`
  await sql`
    update jobs
       set payload = jsonb_set(payload::jsonb, '{collections}', payload::jsonb -> 'collections' || ${hidden}::jsonb)::json
     where kind = 'send-collections'`
  await using _worker = await installation.start({ args: ['--only', 'worker'] })
  await haveEnded(installation, ids)
  await sentOnce(installation, ids)
  assert.deepEqual(await groups(sql), [1])
  const [left] = await sql<{ waits: string }[]>`
    select collections -> 0 ->> 'subject_id' as waits from collection_outbox`
  assert.equal(left!.waits, 'txn_unseen')
})

test('if two workers claim one group at once, only one gets it', async () => {
  await using installation = await openInstallation({ processes: [['--only', 'api']], own: 'reads whole tables' })
  const { sql } = installation.db
  await acceptTogether(installation, 2)
  const [group] = await sql<{ id: string }[]>`select id from collection_outbox`
  const taken = Promise.withResolvers<void>()
  const commit = Promise.withResolvers<void>()
  const first = sql.begin(async (tx) => {
    const groups = await claimGroups(tx, [group!.id])
    taken.resolve()
    await commit.promise
    return groups.length
  })
  await taken.promise
  const second = sql.begin(async (tx) => (await claimGroups(tx, [group!.id])).length)
  await untilWaiting(sql)
  commit.resolve()
  assert.deepEqual([await first, await second], [1, 0])
})

test('two workers with many jobs for one group send the group once', async () => {
  await using installation = await openInstallation({ processes: [['--only', 'api']], own: 'reads whole tables' })
  const { sql } = installation.db
  const ids = await acceptTogether(installation, 20)
  await sql`
    insert into jobs (queue, partition_key, kind, payload, run_at)
    select queue, partition_key, kind, payload, run_at from jobs cross join generate_series(1, 9) where kind = 'send-collections'`
  await using _workers = new AsyncDisposableStack()
  for (const service of await Promise.all([1, 2].map(() => installation.start({ args: ['--only', 'worker'] })))) {
    _workers.use(service)
  }
  await haveEnded(installation, ids)
  await waitFor(async () => (await sql`select from jobs where kind = 'send-collections'`).length === 0, {
    what: 'every job to have run',
  })
  await sentOnce(installation, ids)
  await auditPasses(installation)
})
