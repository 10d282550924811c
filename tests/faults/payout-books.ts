import assert from 'node:assert/strict'
import { audit } from '../../src/app/audit.ts'
import { scenarioOf } from '../../src/operators/simulator/scenarios.ts'
import type { PayoutStatus } from '../../src/payouts/payout.ts'
import type { Sql, Tx } from '../../src/platform/postgres/database.ts'
import { waitFor } from '../harness/wait-for.ts'
import { readUnknown } from './books.ts'

/** A payout beside what the operator's own journal says of it. */
type Fact = { id: string; status: PayoutStatus; msisdn_end: string; state: string; orders: number }

/**
 * Nothing went out twice, by the operator's own journal, and nothing reached it that ours does not know to have left; a payout says
 * succeeded when the operator paid and failed when it
 * refused; the books balance; nothing waited for anything in a circle. To be called when nothing moves any more.
 * @returns how many payouts stand in each state
 */
export async function checkPayouts(sql: Sql): Promise<Record<string, number>> {
  const facts = await readFacts(sql)
  const wrong = facts.filter((fact) => !isTrue(fact))
  assert.deepEqual(wrong, [], 'every payout says what the operator did')
  const unknown = await readWhole(sql, readUnknown)
  assert.deepEqual(unknown, [], 'the operator was given nothing that we did not write down before')
  await checkBooks(sql)
  const counts: Record<string, number> = {}
  for (const { status } of facts) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

/** The audit finds nothing, and the database never had to break a circle of waiting transactions. */
export async function checkBooks(sql: Sql): Promise<void> {
  const { ok, checks } = await audit(sql)
  assert.ok(ok, JSON.stringify(checks.filter(({ wrong }) => wrong > 0)))
  const [row] = await sql<{ deadlocks: number }[]>`
    select deadlocks from pg_stat_database where datname = current_database()`
  assert.equal(row!.deadlocks, 0, 'deadlocks')
}

/** What a payout may say, given what the operator did. */
function isTrue({ status, msisdn_end, orders }: Fact): boolean {
  if (orders > 1) return false
  if (orders === 0) return status === 'created'
  const paid = scenarioOf('payout', msisdn_end).end.kind === 'settled'
  return status === 'indeterminate' || status === (paid ? 'succeeded' : 'failed')
}

function readFacts(sql: Sql): Promise<Fact[]> {
  return readWhole(
    sql,
    (tx) => tx<Fact[]>`
      select p.id, p.status, right(p.msisdn, 4) as msisdn_end, i.state,
             (select count(*)
                from simulator_orders o
               where (o.merchant_id, o.livemode, o.reference) = (i.merchant_id, i.livemode, i.reference)) as orders
        from payouts p
        join instructions i on (i.merchant_id, i.livemode, i.subject_id) = (p.merchant_id, p.livemode, p.id)`,
  )
}

/** Waits until every payout has ended by itself, and every batch that was executed with them. */
export async function waitForPayouts(sql: Sql, deadline_ms: number): Promise<void> {
  await waitFor(async () => (await readOpen(sql)).length === 0, { deadline_ms, what: 'every payout to end' }).catch(
    async (error) => assert.fail(`${error.message} Left: ${JSON.stringify((await readOpen(sql)).slice(0, 10))}`),
  )
}

function readOpen(sql: Sql) {
  return readWhole(
    sql,
    (tx) => tx`
      select p.id, p.status, i.state, i.asked, i.attempts, i.next_check_at, i.sent_at, right(p.msisdn, 4) as msisdn_end
        from payouts p
        join instructions i on (i.merchant_id, i.livemode, i.subject_id) = (p.merchant_id, p.livemode, p.id)
       where p.status in ('created', 'processing', 'indeterminate')
       union all
      select id, status, null, null, null, null, executed_at, null
        from payout_batches
       where status = 'en_cours'`,
  )
}

/** Reads whole tables, as the service never does: its pools are set against it. */
export function readWhole<Result>(sql: Sql, read: (tx: Tx) => PromiseLike<Result>): Promise<Result> {
  return sql.begin('read only', async (tx) => {
    await tx`select set_config(name, 'on', true)
               from unnest(array['enable_seqscan', 'enable_hashjoin', 'enable_mergejoin']) as name`
    await tx`set local statement_timeout = '60s'`
    return await read(tx)
  }) as Promise<Result>
}
