import assert from 'node:assert/strict'
import { createClock } from '../../src/platform/clock.ts'
import type { Sql } from '../../src/platform/postgres/database.ts'
import { actor } from '../harness/actor.ts'
import { moveToTransfer } from '../harness/fill-transfer.ts'
import { type Installation, newAddress } from '../harness/installation.ts'
import { resumeByTwo, stopPayouts } from '../harness/payout-stops.ts'
import { startReceiver } from '../harness/receiver.ts'
import { paySettlement, validateSettlement } from '../harness/settlements.ts'
import { waitFor } from '../harness/wait-for.ts'
import { checkPayment } from './answers.ts'
import { addLink, newSession, openLink, payOn, submit } from './payer.ts'
import { checkBatch } from './payout-answers.ts'
import { openRefundDesk } from './refund-desk.ts'
import { inline, newNumber, PATIENCE, payout } from './sender.ts'
import { newSettler, type Settler } from './settler.ts'

/** Writes of rows that carry a merchant, by the transaction that made them. */
export type WrittenTogether = { transaction: string; merchants: number[]; tables: string[] }

/**
 * Has the database note for every transaction whose rows it writes, whichever table they stand in: by a trigger on each
 * table that has the column, so that a new table cannot be forgotten.
 */
export async function noteWrites({ sql }: { sql: Sql }): Promise<void> {
  await sql.unsafe(`
    create unlogged table writes_seen (
      transaction text not null, table_name text not null, of_merchant bigint not null,
      primary key (transaction, of_merchant, table_name));
    create function note_write() returns trigger language plpgsql as $$
    begin
      insert into writes_seen
      values (pg_current_xact_id()::text, tg_argv[0], case tg_op when 'DELETE' then old.merchant_id else new.merchant_id end)
      on conflict do nothing;
      return null;
    end $$;
    do $$
    declare
      name text;
    begin
      for name in
        select c.relname
          from pg_class c
          join pg_attribute a on a.attrelid = c.oid and a.attname = 'merchant_id'
         where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      loop
        execute format('create trigger zz_note_write after insert or update or delete on %I
                        for each row execute function note_write(%L)', name, name);
      end loop;
    end $$`)
}

/** The transactions that wrote rows of more than one merchant, and in which tables. */
export async function writtenTogether({ sql }: { sql: Sql }): Promise<WrittenTogether[]> {
  return sql<WrittenTogether[]>`
    select transaction, array_agg(distinct of_merchant order by of_merchant) as merchants,
           array_agg(distinct table_name order by table_name) as tables
      from writes_seen
     group by transaction
    having count(distinct of_merchant) > 1`
}

/** The tables that anybody wrote to. */
export async function tablesWritten({ sql }: { sql: Sql }): Promise<string[]> {
  const rows = await sql<{ table_name: string }[]>`select distinct table_name from writes_seen order by table_name`
  return rows.map(({ table_name }) => table_name)
}

/** Plays a busy hour of several merchants and the staff, and waits for all that follows from it. */
export async function liveTogether(installation: Installation, merchantCount: number): Promise<void> {
  const { db } = installation
  await using receiver = await startReceiver()
  await using broken = await startReceiver({ status: 500 })
  const merchants = await Promise.all(
    Array.from({ length: merchantCount }, () => newSettler(installation, { available: 500_000 })),
  )
  for (const { tenant } of merchants) {
    await moveToTransfer(db.sql, tenant, 200_000, createClock(), { reference: 'to begin with' })
  }
  const endpoint = ({ words }: Settler, url: string) =>
    installation.bandama('endpoint', 'create', ...words, '--url', url)
  for (const merchant of merchants) {
    await Promise.all([endpoint(merchant, receiver.url), endpoint(merchant, broken.url)])
  }
  const links = await Promise.all(
    merchants.map(({ tenant }) =>
      addLink(installation, tenant.merchant_id, { kind: 'fixed', amount: 700 } as Parameters<typeof addLink>[2]),
    ),
  )
  const closed = await Promise.all(
    merchants.map(({ merchant }) => merchant.newKey('test', 'collect', ['192.0.2.0/24'])),
  )

  // Everybody at once, so that what may travel together does.
  await Promise.all([
    ...merchants.flatMap((merchant) => [collectMuch(installation, merchant), sendMuch(installation, merchant)]),
    ...merchants.map((merchant) => beSettled(installation, merchant)),
    ...merchants.map(({ merchant }) => newSession(installation, merchant.key)),
    ...merchants.map((merchant) => checkRecipient(installation, merchant)),
    ...merchants.map(async ({ merchant }) => {
      const session = await newSession(installation, merchant.key)
      await payOn(installation, session.path, newNumber('0000'))
    }),
    ...links.map(async ({ path }) => {
      const { nonce } = await openLink(installation, path)
      await submit(installation, path, { nonce, msisdn: newNumber('0000') }, { headers: {} })
    }),
    ...closed.map(({ key }) =>
      installation.ask({ path: '/v1-beneficiaries', key, headers: { 'X-Forwarded-For': newAddress() } }),
    ),
  ])
  await pullAndRelease(installation, merchants)
  await ends(db.sql)
  await turnEndpoints(db.sql, merchants)

  // Time ends the rest: sessions after half an hour, requests after a week, answers after a month.
  for (const [moved, what] of [
    ['1 hour', 'checkout_sessions'],
    ['8 days', 'payout_requests'],
  ] as const) {
    await db.moveClock(moved)
    await waitFor(
      async () =>
        (await db.sql`select id from ${db.sql(what)} where status in ('open', 'pending_approval')`).length === 0,
      { ...PATIENCE, what: `no ${what} to be open` },
    )
  }
}

/** Payments with every kind of end, and a part of one given back. */
export async function collectMuch(installation: Installation, { merchant }: Settler): Promise<void> {
  const ask = (end: string) =>
    installation.pay(merchant.key, { amount: 2_000, counterparty: { msisdn: newNumber(end) } })
  const answers = await Promise.all(['0000', '0000', '0000', '0002', '0003', '0004', '0005', '0006'].map(ask))
  const { id } = checkPayment(answers[0]!, 201)
  const desk = openRefundDesk(installation)
  await waitFor(async () => checkPayment(await installation.read(merchant.key, id), 200).status === 'succeeded', {
    ...PATIENCE,
    what: `${id} to be paid`,
  })
  await desk.made(id, { amount: 500 })
}

async function checkRecipient(installation: Installation, { key }: Settler): Promise<void> {
  const body = { beneficiary: inline() }
  assert.equal((await installation.ask({ method: 'POST', path: '/x/recipients/check', key, body })).status, 200)
}

async function sendMuch(installation: Installation, { key }: Settler): Promise<void> {
  const send = (path: string, body: unknown) =>
    installation.ask({ method: 'POST', path, key, idempotency_key: crypto.randomUUID(), body })
  await Promise.all(['1234', '1234', '0002', '0004'].map((end) => send('/v1-payouts', payout(1_000, end))))
  // Above the cap: a request, which nobody decides.
  assert.equal((await send('/v1-payouts', payout(150_000))).status, 202)
  const lines = ['1234', '0001', '1234'].map((end) => ({ amount: 1_000, beneficiary: inline(end) }))
  const { id } = checkBatch(await send('/v1-payout-batches', { lines }), 201)
  assert.equal((await send(`/v1-payout-batches/${id}/execute`, undefined)).status, 200)
}

async function beSettled({ db: { sql } }: Installation, { request }: Settler): Promise<void> {
  const answer = await request(5_000)
  assert.equal(answer.status, 202, answer.text)
  const { id } = answer.json() as { id: string }
  const clock = createClock()
  await validateSettlement({ sql, clock }, id, actor('ama@example.com'))
  const paid = await paySettlement({ sql, clock }, id, actor('kofi@example.com'), `VIR ${id}`)
  assert.notEqual(paid.kind, 'refused')
}

/** Payouts wait behind the kill switch, and all of them are looked at when it is released. */
async function pullAndRelease(installation: Installation, merchants: readonly Settler[]): Promise<void> {
  const { sql } = installation.db
  await stopPayouts(sql, { scope: 'all' }, actor('ama@example.com'))
  await Promise.all(
    merchants.map(({ key }) =>
      installation.ask({
        method: 'POST',
        path: '/v1-payouts',
        key,
        idempotency_key: crypto.randomUUID(),
        body: payout(1_000),
      }),
    ),
  )
  await resumeByTwo(sql, { scope: 'all' })
}

/** Until the operator has spoken about everything but what it never will. */
function ends(sql: Sql): Promise<unknown> {
  return waitFor(
    async () => {
      const open = await sql`
        select subject_id
          from instructions
         where state not in ('confirmed', 'refused') and msisdn not like '%0006'
         union all
        select id::text from collection_outbox`
      return open.length === 0
    },
    { ...PATIENCE, what: 'what was sent to have an end' },
  )
}

/** Endpoints are switched off and on behind the service's back, so that only its sweep can follow. */
async function turnEndpoints(sql: Sql, merchants: readonly Settler[]): Promise<void> {
  for (const [status, left] of [
    ['disabled', 'pending'],
    ['enabled', 'held'],
  ] as const) {
    for (const { tenant } of merchants) {
      await sql`update endpoints set status = ${status} where merchant_id = ${tenant.merchant_id}`
    }
    await waitFor(async () => (await sql`select id from deliveries where status = ${left}`).length === 0, {
      ...PATIENCE,
      what: `nothing to be ${left}`,
    })
  }
}
