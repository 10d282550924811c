import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { carryOutAlone } from '../../src/payouts/alone/carry-out-alone.ts'
import { createLog } from '../../src/platform/log.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { aloneDeps, backToThePresent, DAY, newAloneShop, outcomeOf } from './alone-shop.ts'

// The sweep over approvals by one person. No worker runs; each test runs the sweep itself.

let installation: Installation
before(async () => {
  installation = await openInstallation({ processes: [['--only', 'api']], own: 'moves the clock' })
})
after(() => installation[Symbol.asyncDispose]())

test('an approval that cannot be written delays no other of its merchant, and is tried again', async () => {
  const { sql, moveClock } = installation.db
  const shop = await newAloneShop(installation)
  await shop.allow()
  const [bad, good] = [await shop.held(), await shop.held()]
  for (const id of [bad, good]) await shop.approve(id)
  await sql.unsafe(`
    create function is_poisoned() returns trigger language plpgsql as $$
      begin raise exception 'a poisoned row'; end $$;
    create trigger aa_poisoned before update on payout_requests for each row
      when (old.id = '${bad}') execute function is_poisoned()`)
  const told: { task: string; failed: number; examples: string[] }[] = []
  const write = (line: string) => told.push(JSON.parse(line)) > 0
  const log = createLog('error', 'test', { write } as unknown as NodeJS.WritableStream)
  await moveClock(DAY)
  await carryOutAlone(aloneDeps(installation, log))
  assert.equal((await outcomeOf(installation, good))?.outcome, 'carried_out')
  assert.equal((await outcomeOf(installation, bad))?.outcome, null)
  assert.deepEqual(
    told.map(({ task, failed, examples }) => ({ task, failed, examples })),
    [{ task: 'approvals by one person', failed: 1, examples: [bad] }],
  )
  await sql.unsafe('drop trigger aa_poisoned on payout_requests')
  await carryOutAlone(aloneDeps(installation, log))
  assert.equal((await outcomeOf(installation, bad))?.outcome, 'carried_out')
  await backToThePresent(installation)
})

test('terms that no longer hold end in one round, however many merchants have some', async () => {
  const { sql } = installation.db
  await sql`
    with made as (insert into merchants (name) select 'Boutique ' || n from generate_series(1, 1001) as n returning merchant_id)
    insert into single_person_terms (merchant_id, person, proposed_by, reason)
    select merchant_id, 'nobody@example.ci', 'kofi@example.ci', 'One person' from made`
  await carryOutAlone(aloneDeps(installation))
  const [left] = await sql<{ count: number }[]>`
    select count(*)::int from single_person_terms where ended_at is null and person = 'nobody@example.ci'`
  assert.equal(left?.count, 0)
})

test('more refused approvals than a sweep reads delay none that came later', async () => {
  const { sql, moveClock } = installation.db
  const [poor, shop] = [await newAloneShop(installation, { funds: 0 }), await newAloneShop(installation)]
  for (const one of [poor, shop]) await one.allow()
  const first = await poor.held()
  await poor.approve(first)
  // No identifier holds a u, so none of the copies can be the request that they are made from.
  await sql`
    insert into payout_requests (merchant_id, livemode, id, reason, cap, amount, currency, beneficiary_id, is_inline, name,
           msisdn, made_by, expires_at)
    select merchant_id, livemode, left(id, 26) || 'u' || lpad(n::text, 3, '0'), reason, cap, amount, currency, beneficiary_id, is_inline,
           name, msisdn, made_by, expires_at
      from payout_requests
     cross join generate_series(1, 210) as n
     where id = ${first}`
  await sql`
    insert into solo_approvals (merchant_id, livemode, subject_id, approved_by, step_up_id, takes_effect_at)
    select merchant_id, livemode, id, ${poor.aya.email}, 'stp_1', clock_now() + interval '24 hours'
      from payout_requests
     where merchant_id = ${poor.merchant_id} and id <> ${first}`
  const last = await shop.held()
  await shop.approve(last)
  await moveClock(DAY)
  for (const _ of [1, 2]) await carryOutAlone(aloneDeps(installation))
  assert.equal((await outcomeOf(installation, last))?.outcome, 'carried_out')
  assert.equal((await outcomeOf(installation, first))?.outcome, null)
  await backToThePresent(installation)
})

test('an approval above the limit of an unchecked merchant is held, says why, and is carried out after the check', async () => {
  const { sql, moveClock } = installation.db
  const shop = await newAloneShop(installation, { mode: 'live' })
  const { merchant_id } = shop
  await shop.allow()
  const id = await shop.held()
  await shop.approve(id)
  await sql`update merchants set is_checked = false where merchant_id = ${merchant_id}`
  const deps = aloneDeps(installation)
  const limited = { ...deps, payoutCaps: { ...deps.payoutCaps, unchecked_day_max: 100_000 } }
  await moveClock(DAY)
  await carryOutAlone(limited)
  assert.equal((await outcomeOf(installation, id))?.outcome, null)
  const [held] = await sql`select refusal from solo_approvals where subject_id = ${id}`
  assert.deepEqual(held, { refusal: 'unchecked' })
  await sql`update merchants set is_checked = true where merchant_id = ${merchant_id}`
  await carryOutAlone(limited)
  assert.equal((await outcomeOf(installation, id))?.outcome, 'carried_out')
  await backToThePresent(installation)
})
