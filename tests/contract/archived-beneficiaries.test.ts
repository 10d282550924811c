import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createClock } from '../../src/platform/clock.ts'
import { actor } from '../harness/actor.ts'
import { approveRequest } from '../harness/approvals.ts'
import { archiveBeneficiary } from '../harness/destinations.ts'
import { type Held, hold, untilWaiting } from '../harness/hold.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { checkRefusal } from './answers.ts'
import { refused } from './commands.ts'
import { type Batch, checkBatch, checkPayout, checkRequest, type Line } from './payout-answers.ts'
import { newNumber, newSender, payout, type Sender } from './sender.ts'

/** The caps of a merchant without its own. */
const OPERATION = 100_000
const DAY = 500_000

const ARCHIVED = 'The destination was archived after the batch was made. Nothing was sent.'

let installation: Installation
before(async () => {
  installation = await openInstallation({ env: { BATCH_WAIT_SECONDS: '10' }, waits: true })
})
after(() => installation[Symbol.asyncDispose]())

type Entry = { id: string; name: string; active: boolean }

/** Adds a number to the book, as the merchant does. */
async function add(sender: Sender, msisdn: string, name = 'Loyer'): Promise<string> {
  const body = { msisdn, operator: 'orange_ci', name }
  const answer = await installation.ask({ path: '/v1-beneficiaries', key: sender.key, body })
  assert.ok(answer.status === 201 || answer.status === 200, answer.text)
  return (answer.json() as Entry).id
}

async function archive(id: string): Promise<void> {
  await archiveBeneficiary(installation.db.sql, id)
}

/** The merchant's book, oldest first. */
async function book(sender: Sender): Promise<Entry[]> {
  const answer = await installation.ask({ method: 'GET', path: '/v1-beneficiaries?limit=100', key: sender.key })
  assert.equal(answer.status, 200, answer.text)
  return (answer.json() as { data: Entry[] }).data
}

const to = (msisdn: string, name = 'Awa Koné') => ({ amount: 1_000, beneficiary: { msisdn, name } })

const draft = async (sender: Sender, lines: object[]) =>
  checkBatch(await sender.prepare({ lines }), 201, { status: 'brouillon' })

const outcomes = ({ lines }: Batch) => lines.map(({ status, failure_code }: Line) => failure_code ?? status)

test('a held payout with an archived destination cannot be approved; it goes on waiting and can be rejected', async () => {
  const sender = await newSender(installation)
  const rent = await add(sender, newNumber())
  const number = newNumber()
  const requests = await Promise.all(
    [
      { amount: OPERATION + 1, beneficiary_id: rent },
      { amount: OPERATION + 2, beneficiary: { msisdn: number, name: 'Awa' } },
    ].map(async (body) => checkRequest(await sender.send(body), 202)),
  )
  await installation.bandama('beneficiary', 'archive', '--id', rent)
  const inline = (await book(sender)).find(({ name }) => name === 'Awa')!
  await archive(inline.id)
  // The request names the archived entry, also if its number was added again.
  await add(sender, number)
  for (const { id, ...request } of requests) {
    await refused(
      installation.bandama('request', 'approve', '--id', id, '--as', 'aya@example.com'),
      /destination of this payout was archived/,
    )
    assert.deepEqual(checkRequest(await sender.read(id), 200), { id, ...request })
  }
  const { transfer, payouts_in_flight } = await sender.balances()
  assert.deepEqual({ transfer, payouts_in_flight }, { transfer: 1_000_000, payouts_in_flight: 0 })
  for (const { id } of requests) {
    await installation.bandama('request', 'reject', '--id', id, '--as', 'aya@example.com')
  }
  checkPayout(await sender.send(payout(OPERATION)), 201)
})

test('a line fails if its destination was archived after the draft was made, and the others are sent', async () => {
  const sender = await newSender(installation)
  const [kept, gone, of_book, later, anew, meant] = Array.from({ length: 6 }, () => newNumber())
  const entries = {
    kept: await add(sender, kept!),
    gone: await add(sender, gone!),
    of_book: await add(sender, of_book!),
  }
  const readded = await add(sender, anew!)
  await archive(await add(sender, meant!))
  const made = await draft(sender, [
    { amount: 1_000, beneficiary_id: entries.kept },
    { amount: 2_000, beneficiary_id: entries.gone },
    to(of_book!),
    to(later!),
    to(anew!),
    to(meant!),
    to(newNumber()),
  ])
  await archive(entries.gone)
  await archive(entries.of_book)
  // Added after the draft was made, and archived already.
  await archive(await add(sender, later!))
  // Archived and then added again, so the merchant means it.
  await archive(readded)
  const active = await add(sender, anew!)

  const ended = checkBatch(await sender.execute(made.id), 200, { status: 'termine_avec_erreurs' })
  assert.deepEqual(outcomes(ended), [
    'succeeded',
    'cancelled',
    'cancelled',
    'cancelled',
    'succeeded',
    'succeeded',
    'succeeded',
  ])
  for (const line of ended.lines.slice(1, 4)) {
    assert.deepEqual([line.status, line.payout_id, line.failure_message], ['failed', null, ARCHIVED])
  }
  const { transfer, payouts_in_flight } = await sender.balances()
  assert.deepEqual({ transfer, payouts_in_flight }, { transfer: 1_000_000 - 4_000, payouts_in_flight: 0 })
  const rows = await installation.db.sql<{ rank: number; beneficiary_id: string }[]>`
    select rank, beneficiary_id from payouts where batch_id = ${made.id} order by rank`
  assert.deepEqual(
    rows.map(({ rank }) => rank),
    [1, 5, 6, 7],
  )
  assert.equal(rows[1]!.beneficiary_id, active)
  // A failed line no longer counts, so the rest of the day's cap is free.
  checkBatch(await sender.prepare({ lines: [payout(DAY - 4_000)] }), 201, { status: 'brouillon' })
})

test('a batch whose destinations were all archived ends at once', async () => {
  const sender = await newSender(installation)
  const id = await add(sender, newNumber())
  const made = await draft(sender, [{ amount: 100, beneficiary_id: id }])
  await archive(id)
  const ended = checkBatch(await sender.execute(made.id), 200, { status: 'termine_avec_erreurs' })
  assert.deepEqual(outcomes(ended), ['cancelled'])
})

test('a draft of an earlier version, which added its numbers to the book, sends nothing to a number archived since', async () => {
  const sender = await newSender(installation)
  const [stays, goes] = [newNumber(), newNumber()]
  const made = await draft(sender, [to(stays), to(goes)])
  // In the form of the earlier version.
  const { sql } = installation.db
  for (const [at, msisdn] of [stays, goes].entries()) {
    const id = await add(sender, msisdn)
    await sql`update payout_batch_lines set beneficiary_id = ${id}, archived_before = null
               where batch_id = ${made.id} and rank = ${at + 1}`
    if (msisdn === goes) await archive(id)
  }
  const ended = checkBatch(await sender.execute(made.id), 200, { status: 'termine_avec_erreurs' })
  assert.deepEqual(outcomes(ended), ['succeeded', 'cancelled'])
})

test('a draft adds nothing to the book, and neither does a cancelled one', async () => {
  const sender = await newSender(installation)
  const made = await draft(sender, [to(newNumber()), to(newNumber())])
  assert.deepEqual(await book(sender), [])
  checkBatch(await sender.cancel(made.id), 200, { status: 'annule' })
  assert.deepEqual(await book(sender), [])
})

test('an executed batch adds the destinations of its sent lines: each number once, and none that is in the book', async () => {
  const sender = await newSender(installation, { funds: 3_000 })
  const [twice, known, unpaid] = [newNumber(), newNumber(), newNumber()]
  const id = await add(sender, known, 'Loyer')
  const lines = [to(twice, 'Awa'), to(known, 'Issa'), to(`+225 ${twice}`, 'Yao'), to(unpaid)]
  const made = await draft(sender, lines)
  const written = { label: null, msisdn: `+225${twice}` }
  assert.deepEqual(
    made.lines.slice(0, 3).map(({ beneficiary }) => beneficiary),
    [
      { name: 'Awa', ...written },
      { name: 'Issa', label: 'Loyer', msisdn: `+225${known}` },
      { name: 'Yao', ...written },
    ],
  )
  const ended = checkBatch(await sender.execute(made.id), 200, { status: 'termine_avec_erreurs' })
  assert.deepEqual(outcomes(ended), ['succeeded', 'succeeded', 'succeeded', 'insufficient_funds'])
  assert.deepEqual(
    ended.lines.map(({ beneficiary }) => beneficiary),
    made.lines.map(({ beneficiary }) => beneficiary),
  )
  const entries = await book(sender)
  assert.deepEqual(
    entries.map(({ name, active }) => [name, active]),
    [
      ['Loyer', true],
      ['Awa', true],
    ],
  )
  const paid = await installation.db.sql<{ beneficiary_id: string }[]>`
    select beneficiary_id from payouts where batch_id = ${made.id} order by rank`
  assert.deepEqual(
    paid.map(({ beneficiary_id }) => beneficiary_id),
    [entries[1]!.id, id, entries[1]!.id],
  )
})

test('the execution adds five hundred destinations to the book, and none is added before', async () => {
  const sender = await newSender(installation)
  const lines = Array.from({ length: 500 }, () => payout(100))
  const made = await draft(sender, lines)
  assert.deepEqual(await book(sender), [])
  checkBatch(await sender.execute(made.id), 200, { status: 'termine' })
  const [row] = await installation.db.sql<{ count: number }[]>`
    select count(*)::int as count from beneficiaries where merchant_id = ${sender.tenant.merchant_id} and active`
  assert.equal(row!.count, 500)
})

/** Locks the merchant's balance, so that operations that need the lock run one after the other once it is released. */
function holdTransfer({ tenant }: Sender): Promise<Held> {
  return hold(
    installation.db.sql,
    (tx) => tx`
    select from accounts
     where merchant_id = ${tenant.merchant_id} and livemode = ${tenant.livemode} and account = 'transfer'
       for no key update`,
  )
}

/** Starts two operations while the balance is locked, the first before the second, and returns both results. */
async function inThisOrder<First, Second>(sender: Sender, first: () => Promise<First>, second: () => Promise<Second>) {
  const { sql } = installation.db
  await using held = await holdTransfer(sender)
  const begun = first()
  await untilWaiting(sql)
  const follows = second()
  await untilWaiting(sql, { count: 2 })
  await held.letGo()
  return Promise.all([begun, follows])
}

test('a simultaneous archiving comes before an execution, and the line fails, or after it, and the line is sent', async () => {
  const sender = await newSender(installation)
  const prepare = async () => {
    const id = await add(sender, newNumber())
    return { id, batch: await draft(sender, [{ amount: 100, beneficiary_id: id }]) }
  }
  const [early, late] = [await prepare(), await prepare()]
  const [, failed] = await inThisOrder(
    sender,
    () => archive(early.id),
    () => sender.execute(early.batch.id),
  )
  assert.deepEqual(outcomes(checkBatch(failed, 200)), ['cancelled'])
  const [sent] = await inThisOrder(
    sender,
    () => sender.execute(late.batch.id),
    () => archive(late.id),
  )
  assert.deepEqual(outcomes(checkBatch(sent, 200)), ['succeeded'])
  assert.deepEqual(
    (await book(sender)).map(({ active }) => active),
    [false, false],
  )
})

test('a simultaneous archiving comes before an approval, which is refused, or after it', async () => {
  const sender = await newSender(installation)
  const { sql } = installation.db
  const payoutCaps = { payout_cap_operation: OPERATION, payout_cap_day: DAY, unchecked_day_max: 200_000 }
  const approve = (id: string) =>
    approveRequest({ sql, clock: createClock(), payoutCaps }, id, actor('aya@example.com'))
  const prepare = async () => {
    const entry = await add(sender, newNumber())
    const { id } = checkRequest(await sender.send({ amount: OPERATION + 1, beneficiary_id: entry }), 202)
    return { entry, id }
  }
  const [early, late] = [await prepare(), await prepare()]
  const [, none] = await inThisOrder(
    sender,
    () => archive(early.entry),
    () => approve(early.id),
  )
  assert.deepEqual(none, { kind: 'refused', code: 'beneficiary_archived' })
  const [approved] = await inThisOrder(
    sender,
    () => approve(late.id),
    () => archive(late.entry),
  )
  assert.equal(approved.kind, 'approved')
})

test('a simultaneous archiving comes before a payout, which is refused, or after it', async () => {
  const sender = await newSender(installation)
  const [early, late] = [await add(sender, newNumber()), await add(sender, newNumber())]
  const [, none] = await inThisOrder(
    sender,
    () => archive(early),
    () => sender.send({ amount: 100, beneficiary_id: early }),
  )
  checkRefusal(none, 404, 'resource_not_found')
  const [sent] = await inThisOrder(
    sender,
    () => sender.send({ amount: 100, beneficiary_id: late }),
    () => archive(late),
  )
  checkPayout(sent, 201)
})

test('the books hold', async () => {
  const report = await installation.bandama('audit')
  assert.equal(report.ok, true, JSON.stringify(report))
})
