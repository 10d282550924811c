import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { audit } from '../../src/app/audit.ts'
import { prefixOf, type Source } from '../../src/listings/store.ts'
import { setCaps } from '../../src/payouts/caps/set-caps.ts'
import { firstIdAt } from '../../src/values/ids.ts'
import { hold, untilWaiting } from '../harness/hold.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { livemode } from '../harness/mode.ts'
import { openSeed } from '../harness/seed.ts'
import { waitFor } from '../harness/wait-for.ts'
import { checkBatch, checkPayout, checkRequest } from './payout-answers.ts'
import { newSender, payout, type Sender } from './sender.ts'

// The use of 24 hours when the database's clock ran ahead and came back, and when the sum is larger than a number holds exactly.

/** The caps of a merchant without its own. */
const OPERATION = 100_000

let installation: Installation
before(async () => {
  installation = await openInstallation({ processes: [[], ['--only', 'api']], waits: true })
})
after(() => installation[Symbol.asyncDispose]())

/** How far the clock is ahead of the real time. */
async function clockAhead(interval: string): Promise<void> {
  await installation.db.moveClock(interval)
  await listsKnowTheClock()
}

/**
 * Until the worker has noticed a clock that came back. It lists what was made before a look of its own: a clock that comes back and runs ahead
 * again between two looks leaves rows unlisted, which the audit reports.
 */
async function listsKnowTheClock(): Promise<void> {
  const { sql } = installation.db
  await waitFor(
    async () => {
      const [row] = await sql<{ now: Date }[]>`select clock_now() as now`
      const progress = await sql<
        { source: Source; before_id: string }[]
      >`select source, before_id from listing_progress`
      return progress.every(({ source, before_id }) => before_id <= firstIdAt(prefixOf(source), row!.now.getTime()))
    },
    { deadline_ms: 60_000, what: 'the lists to know the clock' },
  )
}

/**
 * Has the clock jump from one distance ahead of the real time to another in a moment. A transaction has one time, that of its
 * beginning, also when the clock jumps while it runs. Written without `case`, in which Citus lets no update ask for the time.
 */
async function jumpSoon(from: string, to: string): Promise<() => Promise<boolean>> {
  const { sql } = installation.db
  const [row] = await sql<{ at: string }[]>`select (now() + interval '80 milliseconds')::text as at`
  await sql.unsafe(`create or replace function clock_now() returns timestamptz language sql stable parallel safe
    return now() + (array[interval '${from}', interval '${to}'])[1 + (now() >= timestamptz '${row!.at}')::integer]`)
  return async () => {
    const [now] = await sql<{ is_over: boolean }[]>`select now() >= ${row!.at}::timestamptz as is_over`
    return now!.is_over
  }
}

async function sendFull(sender: Sender, count: number): Promise<void> {
  for (let rank = 1; rank <= count; rank += 1) checkPayout(await sender.send(payout(OPERATION)), 201)
}

const held = async (sender: Sender) =>
  checkRequest(await sender.send(payout(1)), 202, { reason: 'plafond_24h', status: 'pending_approval' })

const reject = (id: string) => installation.bandama('request', 'reject', '--id', id, '--as', 'aya@example.com')

async function booksHold(): Promise<void> {
  const { checks } = await audit(installation.db.sql)
  assert.deepEqual(
    checks.filter(({ wrong }) => wrong > 0),
    [],
  )
}

for (const jump of ['25 hours', '3 days']) {
  test(`a clock that ran ahead ${jump} and came back leaves the cap unchanged, and full for at most a day`, async () => {
    await clockAhead('0')
    const sender = await newSender(installation, { funds: 5_000_000 })
    await sendFull(sender, 3)
    await clockAhead(jump)
    await sendFull(sender, 2)
    const ahead = checkBatch(await sender.prepare({ lines: [payout(OPERATION)] }), 201, { status: 'brouillon' })
    await booksHold()

    await clockAhead('0')
    await booksHold()
    // Three before, two and a draft meanwhile: more than the cap, all of it of today.
    const first = await held(sender)
    await booksHold()
    checkBatch(await sender.cancel(ahead.id), 200, { status: 'annule' })
    await reject(first.id)
    await booksHold()
    const second = await held(sender)
    await reject(second.id)

    await clockAhead('24 hours 1 minute')
    await sendFull(sender, 5)
    await held(sender)
    await booksHold()
  })
}

test('a released use no longer counts, whatever its time', async () => {
  await clockAhead('0')
  const sender = await newSender(installation, { funds: 5_000_000 })
  const before_jump = checkBatch(await sender.prepare({ lines: [payout(OPERATION)] }), 201, { status: 'brouillon' })
  await clockAhead('2 days')
  const meanwhile = checkBatch(await sender.prepare({ lines: [payout(OPERATION)] }), 201, { status: 'brouillon' })
  // Cancelled while the pointer of the clock that ran ahead is still there.
  await clockAhead('0')
  for (const { id } of [before_jump, meanwhile]) {
    checkBatch(await sender.cancel(id), 200, { status: 'annule' })
    await booksHold()
  }
  await sendFull(sender, 5)
  await held(sender)
  await booksHold()
})

test('a draft dated in the future can be executed, and counts from then on', async () => {
  await clockAhead('2 days')
  const sender = await newSender(installation, { funds: 5_000_000 })
  const made = checkBatch(await sender.prepare({ lines: [payout(OPERATION), payout(OPERATION)] }), 201)
  await clockAhead('0')
  checkBatch(await sender.execute(made.id), 200, { status: 'termine' })
  await booksHold()
  await sendFull(sender, 3)
  await held(sender)
  await clockAhead('24 hours 1 minute')
  await sendFull(sender, 5)
  await booksHold()
})

test('while the clock jumps during payouts of two processes, the total equals the sum of its uses', async (t) => {
  const seed = openSeed(t)
  await clockAhead('0')
  const sender = await newSender(installation, { funds: 50_000_000 })
  const CAP = 10_000
  await setCaps(installation.db.sql, sender.tenant, { operation: null, day: CAP })
  let sent = 0
  async function sendTogether(): Promise<void> {
    const amounts = Array.from({ length: 10 }, () => seed.between(1, 400))
    const answers = await Promise.all(amounts.map((amount) => sender.send(payout(amount), {}, seed.between(0, 1))))
    for (const { status, text } of answers) assert.ok(status === 201 || status === 202, text)
    for (const amount of amounts) sent += amount
  }
  let ahead = '0'
  for (let round = 0; round < 12; round += 1) {
    const next = seed.pick(['0', '25 hours', '30 seconds', '1 hour', '4 days'])
    const hasJumped = await jumpSoon(ahead, next)
    ahead = next
    while (!(await hasJumped())) await sendTogether()
    await sendTogether()
    await listsKnowTheClock()
    await booksHold()
  }
  assert.ok(sent > CAP, 'the cap was met at all')
  await clockAhead('0')
  await held(sender)
  await booksHold()
  const { sql } = installation.db
  const { merchant_id } = sender.tenant
  const [window] = await sql<{ used: number; ahead: number }[]>`
    select used, (select count(*)::int from payout_cap_usage where merchant_id = ${merchant_id} and used_at > clock_now() + interval '1 minute') as ahead
      from payout_cap_totals
     where merchant_id = ${merchant_id} and livemode = ${livemode}`
  // All of it was asked for within these minutes. A clock that came back by less than a minute leaves its uses where they are.
  assert.deepEqual({ ...window }, { used: sent + 1, ahead: 0 })
})

test('a payout counts towards the cap, also when the clock comes back between its reading and its writing', async () => {
  await clockAhead('25 hours')
  const sender = await newSender(installation, { funds: 5_000_000 })
  await sendFull(sender, 3)
  // It lets others read the usage, and not write it. In a cluster the time of a statement depends on the server that runs it.
  const held_back = await hold(installation.db.sql, (tx) => tx`lock table payout_cap_usage in share mode`)
  try {
    const fourth = sender.send(payout(OPERATION))
    await untilWaiting(installation.db.sql, { statement: 'payout_cap_usage' })
    await installation.db.moveClock('0')
    await held_back.letGo()
    checkPayout(await fourth, 201)
  } finally {
    await held_back.letGo()
  }
  await listsKnowTheClock()
  await booksHold()
  await sendFull(sender, 1)
  await held(sender)
  await booksHold()
})

/** Nineteen drafts of 500 times the largest amount, as an earlier version took them: together more than a number holds exactly. */
async function leaveNineteenDrafts(sender: Sender): Promise<string[]> {
  const { sql } = installation.db
  const { merchant_id, livemode } = sender.tenant
  // One that was made makes the window.
  checkBatch(await sender.prepare({ lines: [payout(1)] }), 201)
  const drafts = Array.from({ length: 19 }, (_, at) => `pob_${merchant_id}left${at}`)
  await sql.begin(async (tx) => {
    await tx`
      insert into payout_batches (merchant_id, livemode, id, status, currency, total_amount, line_count, cap_day, made_by)
      select ${merchant_id}, ${livemode}, id, 'en_attente_validation', 'XOF', 500000000000000, 500, 500000, 'key:1'
        from unnest(${drafts}::text[]) as d(id)`
    await tx`
      insert into payout_batch_lines (merchant_id, livemode, batch_id, rank, amount, fee_amount, is_inline, name, msisdn)
      select ${merchant_id}, ${livemode}, id, rank, 1000000000000, 0, true, 'Awa', '+2250700000000'
        from unnest(${drafts}::text[]) as d(id)
       cross join generate_series(1, 500) as ranks(rank)`
    await tx`
      insert into payout_cap_usage (merchant_id, livemode, subject_id, amount)
      select ${merchant_id}, ${livemode}, id, 500000000000000
        from unnest(${drafts}::text[]) as d(id)`
    await tx`
      update payout_cap_totals
         set used = used + 19 * 500000000000000
       where merchant_id = ${merchant_id} and livemode = ${livemode}`
  })
  return drafts
}

test('a sum beyond exact numbers stops nothing: new payouts wait, waiting ones are decided, and it ends after a day', async () => {
  await clockAhead('0')
  const sender = await newSender(installation, { funds: 5_000_000 })
  const before_it = checkPayout(await sender.send(payout(100, '0001')), 201)
  const [cancelled, executed, ...others] = await leaveNineteenDrafts(sender)
  await booksHold()
  const waiting = await held(sender)
  const rejected = await held(sender)
  await sender.untilPayout(before_it.id, 'failed')
  await reject(rejected.id)
  await installation.bandama('request', 'approve', '--id', waiting.id, '--as', 'aya@example.com')
  checkBatch(await sender.readBatch(cancelled!), 200, { status: 'en_attente_validation' })
  checkBatch(await sender.cancel(cancelled!), 200, { status: 'annule' })
  await installation.bandama('batch', 'reject', '--id', others[0]!, '--as', 'aya@example.com')
  await installation.bandama('batch', 'approve', '--id', executed!, '--as', 'aya@example.com')
  checkBatch(await sender.execute(executed!), 200, { status: 'termine_avec_erreurs' })
  checkBatch(await sender.prepare({ lines: [payout(1)] }), 201, { status: 'en_attente_validation' })
  await booksHold()
  await clockAhead('24 hours 1 minute')
  await sendFull(sender, 5)
  await booksHold()
})
