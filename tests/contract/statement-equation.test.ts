import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { ledgerChecks } from '../../src/app/audit/ledger-checks.ts'
import { post as book } from '../../src/ledger/post.ts'
import { adjustment } from '../../src/ledger/postings.ts'
import { createClock } from '../../src/platform/clock.ts'
import { exportStatement } from '../../src/statements/export-statement.ts'
import { actor } from '../harness/actor.ts'
import { decideAdjustment, proposeAdjustment } from '../harness/adjustments.ts'
import { moveToTransfer } from '../harness/fill-transfer.ts'
import { type Installation, newPayer, openInstallation } from '../harness/installation.ts'
import { livemode } from '../harness/mode.ts'
import { closeRefund, createRefund } from '../harness/refunds.ts'
import { openSeed, type Seed } from '../harness/seed.ts'
import { paySettlement, rejectSettlement, validateSettlement } from '../harness/settlements.ts'
import { waitFor } from '../harness/wait-for.ts'
import { checkPayment } from './answers.ts'
import { PATIENCE, payout } from './sender.ts'
import { newSettler, type Settler } from './settler.ts'
import { checkStatement, type Movement, STATEMENTS, type Statement, totalsOf } from './statement-answers.ts'

const PERIODS = 1_000
const READERS = 4
const MOVERS = 6
/** The number of days before today on which the merchant began. */
const DAYS = 75

let installation: Installation
before(async () => {
  installation = await openInstallation({ own: 'moves the clock' })
})
after(() => installation[Symbol.asyncDispose]())

type Stage = { settler: Settler; seed: Seed; paid: string[] }

/** The operations that move money while statements are read. Add every new one that changes `available`. */
const operations: Record<string, (stage: Stage) => Promise<unknown>> = {
  async collect({ settler, seed, paid }) {
    const asked = { amount: seed.between(5_000, 90_000), counterparty: { msisdn: newPayer() }, simulate: 'succeed' }
    const sent = { ...asked, merchant_reference: `commande ${randomUUID()}` }
    paid.push(checkPayment(await installation.pay(settler.merchant.key, sent), 201).id)
  },
  transfer: ({ settler, seed }) =>
    moveToTransfer(installation.db.sql, settler.tenant, seed.between(1, 3_000), createClock()),
  payout: ({ settler, seed }) =>
    installation.ask({
      method: 'POST',
      path: '/v1-payouts',
      key: settler.key,
      idempotency_key: randomUUID(),
      body: payout(seed.between(1, 500)),
    }),
  async settle({ settler, seed }) {
    const answer = await settler.request(seed.between(5_000, 9_000))
    if (answer.status !== 202) return
    const { id } = answer.json() as { id: string }
    const { sql } = installation.db
    const deps = { sql, clock: createClock() }
    if (seed.chance(0.5)) return rejectSettlement(deps, id, actor('awa@example.com'), null)
    await validateSettlement(deps, id, actor('awa@example.com'))
    return paySettlement(deps, id, actor('issa@example.com'), randomUUID())
  },
  async refund({ seed, paid }) {
    if (paid.length === 0) return
    const deps = { sql: installation.db.sql, clock: createClock(), canRefund: () => true }
    const made = await createRefund(deps, {
      payment_id: seed.pick(paid),
      livemode,
      amount: seed.between(1, 2_000),
      key: randomUUID(),
      given_seen: null,
      requested_by: actor('awa@example.com'),
      reason: null,
      by_hand: seed.chance(0.5),
    })
    if (made.kind === 'refused' || !made.refund.by_hand) return
    const closed_by = 'issa@example.com'
    if (seed.chance(0.5))
      return closeRefund(deps, made.refund.id, { kind: 'given_up', reason: 'gone', closed_by: actor(closed_by) })
    return closeRefund(deps, made.refund.id, {
      kind: 'paid',
      hand_reference: randomUUID(),
      closed_by: actor(closed_by),
    })
  },
  async adjust({ settler, seed }) {
    const { sql } = installation.db
    const proposed = await proposeAdjustment(
      { sql, clock: createClock() },
      {
        ...settler.tenant,
        direction: seed.pick(['credit', 'debit']),
        amount: seed.between(1, 4_000),
        counterpart: 'fees',
        reason: 'counted again',
        proposed_by: actor('awa@example.com'),
      },
    )
    assert.ok(proposed.kind === 'proposed')
    return decideAdjustment(sql, proposed.adjustment.id, { status: 'approved', decided_by: actor('issa@example.com') })
  },
}

/** Makes movements about every hour of the days before today, as corrections. Returns them, oldest first. */
async function bookHistory(
  settler: Pick<Settler, 'tenant'>,
  seed: Seed,
  today: Temporal.PlainDate,
): Promise<Movement[]> {
  const history: Movement[] = []
  let balance = 0
  const midnight = today.toZonedDateTime('UTC').epochMilliseconds
  for (let at = midnight - DAYS * 86_400_000; at < midnight; ) {
    const amount = seed.chance(0.4) ? -seed.between(0, balance) : seed.between(1, 50_000)
    const created_at = new Date(at).toISOString()
    at += seed.chance(0.1) ? 86_400_000 : seed.between(1, 8 * 3_600_000)
    if (amount === 0) continue
    const id = `adj_${history.length}`
    await installation.db.sql.begin(async (tx) => {
      await tx.unsafe(`create or replace function clock_now() returns timestamptz
                         language sql stable parallel safe return timestamptz '${created_at}'`)
      const legs = adjustment({ counterpart: 'held:bank', amount })
      await book(tx, [{ ...settler.tenant, subject_id: id, operation: 'adjustment', legs }])
      await tx.unsafe(`create or replace function clock_now() returns timestamptz
                         language sql stable parallel safe return now()`)
    })
    balance += amount
    const direction = amount > 0 ? 'in' : 'out'
    const common = { object: 'movement', type: 'adjustment', reference: null, payment_id: null } as const
    history.push({ ...common, id, direction, amount: Math.abs(amount), balance, created_at })
  }
  return history
}

async function read(settler: Settler, query: string): Promise<Statement> {
  return checkStatement(await installation.ask({ path: `${STATEMENTS}?${query}`, key: settler.merchant.key }))
}

/** Checks that a period before today equals the history, whatever happens meanwhile. */
function checkPast({ from, to, data, ...figures }: Statement, history: readonly Movement[]): void {
  const inside = history.filter(({ created_at }) => created_at.slice(0, 10) >= from && created_at.slice(0, 10) <= to)
  const opening_balance = history.findLast(({ created_at }) => created_at.slice(0, 10) < from)?.balance ?? 0
  const fact = ({ id, direction, amount, balance }: Movement) => [id, direction, amount, balance]
  const page = inside.slice(figures.offset, figures.offset + figures.limit)
  assert.deepEqual(data.map(fact), page.map(fact))
  assert.deepEqual(
    [figures.opening_balance, figures.total_in, figures.total_out, figures.total_count],
    [opening_balance, ...Object.values(totalsOf(inside)), inside.length],
  )
}

/** Checks that the figures of a current period are those of its movements at the time of the read. */
async function checkPresent(settler: Settler, statement: Statement): Promise<void> {
  const { from, to, total_count, total_in, total_out, closing_balance } = statement
  const data: Movement[] = []
  while (data.length < total_count) {
    data.push(...(await read(settler, `from=${from}&to=${to}&limit=500&offset=${data.length}`)).data)
  }
  const then = data.slice(0, total_count)
  assert.deepEqual(totalsOf(then), { total_in, total_out })
  if (total_count > 0) assert.equal(then.at(-1)!.balance, closing_balance)
}

/** Checks that in one snapshot a period up to today closes on the available balance. */
async function checkClosing({ tenant }: Settler, from: string): Promise<void> {
  await installation.db.sql.begin('isolation level repeatable read read only', async (tx) => {
    const exported = await exportStatement(tx, tenant, { from, to: '9999-12-31' })
    const [row] = await tx<{ balance: number }[]>`
      select balance
        from accounts
       where merchant_id = ${tenant.merchant_id} and livemode = ${tenant.livemode} and account = 'available'`
    assert.equal(exported!.figures.closing_balance, row!.balance)
  })
}

test('for 1 000 periods the statement adds up to the franc while money moves by every operation', async (t) => {
  const seed = openSeed(t)
  const merchant = await installation.newMerchant()
  const today = Temporal.Now.plainDateISO('UTC')
  const tenant = { merchant_id: merchant.merchant_id, livemode }
  const history = await bookHistory({ tenant }, seed, today)
  const settler = await newSettler(installation, { available: 1_900_000, of: merchant })
  const stage: Stage = { settler, seed, paid: [] }

  let reading = true
  const done = new Map(Object.keys(operations).map((name) => [name, 0]))
  const moving = Array.from({ length: MOVERS }, async () => {
    while (reading) {
      const name = seed.pick([...Object.keys(operations), 'collect'])
      await operations[name]!(stage)
      done.set(name, done.get(name)! + 1)
    }
  })
  // Waits until every operation has begun.
  await waitFor(() => [...done.values()].every((times) => times > 0), { ...PATIENCE, what: 'money to move' })

  let [periods, present] = [0, 0]
  const readers = Array.from({ length: READERS }, async () => {
    while (periods < PERIODS) {
      periods += 1
      const [one, other] = [seed.between(-2, DAYS + 3), seed.between(-2, DAYS + 3)]
      const from = today.subtract({ days: Math.max(one, other) }).toString()
      // Half of the periods reach today.
      const to = today.subtract({ days: seed.chance(0.4) ? -2 : Math.min(one, other) }).toString()
      const statement = await read(
        settler,
        `from=${from}&to=${to}&limit=${seed.between(1, 500)}&offset=${seed.between(0, 90)}`,
      )
      if (to < today.toString()) {
        checkPast(statement, history)
        continue
      }
      present += 1
      if (present % 15 === 0) await checkPresent(settler, statement)
      if (present % 15 === 7) await checkClosing(settler, from)
    }
  })
  await Promise.all(readers).finally(() => {
    reading = false
  })
  await Promise.all(moving)
  assert.ok(present > PERIODS / 4, `${present} periods went on`)

  const { total_count } = await read(settler, `from=${today}&to=9999-12-31&limit=1`)
  const types = new Set<string>()
  for (let offset = 0; offset < total_count; offset += 500) {
    const page = await read(settler, `from=${today}&to=9999-12-31&limit=500&offset=${offset}`)
    for (const { type, payment_id, reference } of page.data) {
      types.add(type)
      if (!type.startsWith('refund')) continue
      assert.ok(stage.paid.includes(payment_id!), 'a refund names its payment')
      assert.match(String(reference), /^commande /)
    }
  }
  // All types of movements, in alphabetical order.
  const every = [
    'adjustment',
    'collection',
    'refund',
    'refund_returned',
    'settlement',
    'settlement_returned',
    'transfer',
  ]
  assert.deepEqual([...types].sort(), every, JSON.stringify([...done]))
  await checkClosing(settler, today.toString())
  await installation.db.sql.begin('isolation level repeatable read read only', async (tx) => {
    for (const { check, contradictions } of ledgerChecks) assert.deepEqual(await contradictions(tx), [], check)
  })
  t.diagnostic(`${total_count} movements meanwhile: ${JSON.stringify(Object.fromEntries(done))}`)
})
