import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { setCaps } from '../../src/payouts/caps/set-caps.ts'
import { expireRequests } from '../../src/payouts/decide-request.ts'
import { createClock } from '../../src/platform/clock.ts'
import { createLog } from '../../src/platform/log.ts'
import { violatedConstraint } from '../../src/platform/postgres/failures.ts'
import { actor } from '../harness/actor.ts'
import { approveRequest, rejectRequest } from '../harness/approvals.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { livemode, mode, otherMode } from '../harness/mode.ts'
import { resumeByTwo, stopPayouts } from '../harness/payout-stops.ts'
import { waitFor } from '../harness/wait-for.ts'
import { checkRefusal } from './answers.ts'
import type { Answer } from './ask.ts'
import { refused } from './commands.ts'
import { listenFor, type Told } from './events.ts'
import { checkBatch, checkPayout, checkRequest, type PayoutRequest } from './payout-answers.ts'
import { holdClock, inline, newSender, PATIENCE, payout, type Sender } from './sender.ts'

/** The caps of the service, for merchants without their own. */
const OPERATION = 100_000
const DAY = 500_000

let installation: Installation
/** The merchant of most tests. Its server gets every event. */
let sender: Sender
let told: Told
before(async () => {
  installation = await openInstallation({ own: 'moves the clock' })
  sender = await newSender(installation)
  told = await listenFor(installation, sender)
  // So that only the cap of one operation matters to it.
  await setCaps(installation.db.sql, sender.tenant, { operation: null, day: 1_000_000_000 })
})
after(async () => {
  await installation[Symbol.asyncDispose]()
  await told[Symbol.asyncDispose]()
})

const sent = (answer: Answer) => checkPayout(answer, 201)
const heldByDay = (answer: Answer, limit = DAY) => checkRequest(answer, 202, { reason: 'plafond_24h', limit })
const heldByOperation = (answer: Answer, limit = OPERATION) =>
  checkRequest(answer, 202, { reason: 'plafond_operation', limit, status: 'pending_approval' })

/** Sends so many payouts of the cap of one operation. */
async function sendFull({ send }: Sender, count: number, end?: string): Promise<string[]> {
  const ids: string[] = []
  for (let rank = 1; rank <= count; rank += 1) ids.push(sent(await send(payout(OPERATION, end))).id)
  return ids
}

const AYA = 'aya@example.com'

const decide = (verb: 'approve' | 'reject', id: string, as = AYA) =>
  installation.bandama('request', verb, '--id', id, '--as', as)

/** The same decisions without the command, where the test is not about it. */
const approve = (id: string, as = AYA) => approveRequest(desk(), id, actor(as))
const reject = (id: string, as = AYA) => rejectRequest(desk(), id, actor(as))

function desk() {
  const { sql } = installation.db
  const payoutCaps = { payout_cap_operation: OPERATION, payout_cap_day: DAY, unchecked_day_max: 200_000 }
  const log = createLog('silent', 'test')
  return { sql, clock: createClock(), payoutCaps, log }
}

const read = async ({ id }: PayoutRequest, of = sender) => checkRequest(await of.read(id), 200)

test('exactly the cap of one operation is sent; a franc more waits, and nothing has left', async () => {
  const merchant = await newSender(installation)
  sent(await merchant.send(payout(OPERATION)))
  const before = await merchant.balances()
  const body = { ...payout(OPERATION + 1), reference: 'Loyer' }
  const answer = await merchant.send(body)
  const request = heldByOperation(answer)
  const { msisdn, name } = body.beneficiary
  assert.deepEqual(request.beneficiary, { name, label: null, msisdn: `+225${msisdn}` })
  assert.deepEqual([request.amount, request.reference, request.livemode], [OPERATION + 1, 'Loyer', livemode])
  assert.equal((await merchant.read(request.id)).text, answer.text, 'reading says what was answered')
  assert.deepEqual(await merchant.balances(), before)
  const rows = await installation.db.sql`
    select from instructions where merchant_id = ${merchant.tenant.merchant_id} and amount > ${OPERATION}`
  assert.equal(rows.length, 0)
})

test("a merchant's own caps hold from the next payout on, in their mode", async () => {
  const merchant = await newSender(installation)
  const live = await newSender(installation, { of: merchant.merchant, mode: otherMode })
  const caps = (...words: string[]) => installation.bandama('caps', 'set', ...merchant.words, ...words)
  assert.deepEqual(await caps('--operation', '300', '--day', '1000'), { operation: 300, day: 1000, payment: 2_000_000 })
  heldByOperation(await merchant.send(payout(301)), 300)
  for (const amount of [300, 300, 99]) sent(await merchant.send(payout(amount)))
  heldByDay(await merchant.send(payout(1)), 1000)
  // A cap that is not named stays as it is.
  assert.deepEqual(await caps('--day', '2000'), { operation: 300, day: 2000, payment: 2_000_000 })
  sent(await merchant.send(payout(300)))
  heldByOperation(await merchant.send(payout(301)), 300)
  sent(await live.send(payout(OPERATION)))
  await Promise.all([
    refused(caps(), /Give --operation, --day, --payment or several of them/, 2),
    refused(caps('--operation', '0'), /--operation must be a whole number/, 2),
    refused(
      installation.bandama('caps', 'set', '--merchant', '999999', '--mode', mode, '--day', '1'),
      /no merchant 999999/,
    ),
  ])
})

test('caps are checked before funds', async () => {
  const poor = await newSender(installation, { funds: 0 })
  heldByOperation(await poor.send(payout(DAY)))
  heldByDay(await poor.send(payout(1)))
  const poorer = await newSender(installation, { funds: 99 })
  checkRefusal(await poorer.send(payout(100)), 409, 'insufficient_funds')
})

test('exactly the 24-hour cap is sent, and a franc more waits', async () => {
  const merchant = await newSender(installation)
  await sendFull(merchant, 4)
  sent(await merchant.send(payout(OPERATION - 1)))
  heldByDay(await merchant.send(payout(2)))
  // The two francs wait and count, so not even one is left.
  heldByDay(await merchant.send(payout(1)))
})

test('requests that wait and open batches count; rejected requests and cancelled batches do not', async () => {
  const merchant = await newSender(installation)
  const request = heldByOperation(await merchant.send(payout(200_000)))
  const lines = [1, 2].map(() => ({ amount: OPERATION, beneficiary: inline() }))
  const batch = checkBatch(await merchant.prepare({ lines }), 201, { status: 'brouillon' })
  sent(await merchant.send(payout(OPERATION)))
  const first = heldByDay(await merchant.send(payout(1)))

  checkBatch(await merchant.cancel(batch.id), 200, { status: 'annule' })
  await sendFull(merchant, 1)
  sent(await merchant.send(payout(OPERATION - 1)))
  const second = heldByDay(await merchant.send(payout(1)))

  for (const { id } of [request, first, second]) assert.equal((await reject(id)).kind, 'rejected')
  await sendFull(merchant, 2)
  sent(await merchant.send(payout(1)))
  heldByDay(await merchant.send(payout(1)))
})

test('a payout that failed no longer counts', async () => {
  const merchant = await newSender(installation)
  const { sql } = installation.db
  const stopped = { scope: 'merchant', merchant_id: merchant.tenant.merchant_id } as const
  // None of them fails before we have looked.
  await stopPayouts(sql, stopped, actor('a test'))
  const ids = await sendFull(merchant, 5, '0001')
  heldByDay(await merchant.send(payout(1)))
  await resumeByTwo(sql, stopped)
  await Promise.all(ids.map((id) => merchant.untilPayout(id, 'failed')))
  await sendFull(merchant, 4)
  sent(await merchant.send(payout(OPERATION - 1)))
  heldByDay(await merchant.send(payout(1)))
})

test('a replay of a 202 is the original answer, also when the request has been approved', async () => {
  const [idempotency_key, body] = [randomUUID(), payout(OPERATION + 1)]
  const original = await sender.send(body, { idempotency_key })
  const request = heldByOperation(original)
  checkRefusal(await sender.send(payout(1), { idempotency_key }), 422, 'idempotency_key_reused')
  assert.equal((await approve(request.id)).kind, 'approved')
  const replay = await sender.send(body, { idempotency_key })
  assert.deepEqual([replay.status, replay.text], [202, original.text])
})

test('an approved request takes the funds, becomes a payout, and cannot be decided again', async () => {
  await installation.db.sql`
    insert into fee_schedules (merchant_id, service, effective_from, fixed)
    values (${sender.tenant.merchant_id}, 'payout', clock_now(), 50)`
  const { transfer } = await sender.balances()
  const request = heldByOperation(await sender.send({ ...payout(150_000), reference: 'Rent' }))
  assert.equal((await sender.balances()).transfer, transfer, 'nothing has left')

  const decision = await decide('approve', request.id)
  const { payout_id } = decision as { payout_id: string }
  assert.deepEqual(decision, { request_id: request.id, status: 'approved', payout_id })
  const approved = await read(request)
  assert.deepEqual(approved, { ...request, status: 'approved', payout_id, decided_at: approved.decided_at })
  const paid = await sender.untilPayout(payout_id, 'succeeded')
  const { beneficiary, reference } = request
  assert.deepEqual(paid, { ...paid, amount: 150_000, fee_amount: 50, beneficiary, reference })
  assert.deepEqual(await sender.balances(), { ...(await sender.balances()), transfer: transfer - 150_050 })

  const [event] = await told.until(request.id, ['payout_request.approved'])
  assert.deepEqual(event!.data, approved, 'the event says what reading says')
  await told.until(payout_id, ['payout.processing', 'payout.succeeded'])
  await refused(decide('approve', request.id), /was decided or has expired/)
  assert.deepEqual(await reject(request.id), { kind: 'refused', code: 'already_decided' })
  assert.deepEqual(await read(request), approved)
})

test('of concurrent decisions one counts', async () => {
  const merchant = await newSender(installation)
  for (let round = 1; round <= 5; round += 1) {
    const { transfer } = await merchant.balances()
    const request = heldByOperation(await merchant.send(payout(OPERATION + round)))
    const decided = await Promise.all([approve, reject, approve, reject].map((one) => one(request.id)))
    const [won, ...others] = decided.toSorted(
      (one, other) => Number(one.kind === 'refused') - Number(other.kind === 'refused'),
    )
    for (const other of others) assert.deepEqual(other, { kind: 'refused', code: 'already_decided' })
    const { status } = await read(request, merchant)
    assert.equal(status, won!.kind)
    const left = status === 'approved' ? OPERATION + round : 0
    assert.equal((await merchant.balances()).transfer, transfer - left)
  }
})

test('a request without funds goes on waiting, and can be approved once the funds are there', async () => {
  const poor = await newSender(installation, { funds: 150_000 })
  const request = heldByOperation(await poor.send(payout(150_001)))
  await refused(decide('approve', request.id), /transfer balance does not cover this payout yet/)
  assert.deepEqual(await read(request, poor), request)
  await installation.bandama('deposit', ...poor.words, '--amount', '1')
  const approved = await approve(request.id)
  assert.ok(approved.kind === 'approved')
  await poor.untilPayout(approved.payout_id, 'succeeded')
  assert.equal((await poor.balances()).transfer, 0)
})

test('a rejected request ends there, and its merchant is told', async () => {
  const { transfer } = await sender.balances()
  const request = heldByOperation(await sender.send(payout(150_000)))
  assert.deepEqual(await decide('reject', request.id), { request_id: request.id, status: 'rejected' })
  const rejected = await read(request)
  assert.deepEqual(rejected, { ...request, status: 'rejected', decided_at: rejected.decided_at })
  const [event] = await told.until(request.id, ['payout_request.rejected'])
  assert.deepEqual(event!.data, rejected)
  assert.deepEqual(await approve(request.id), { kind: 'refused', code: 'already_decided' })
  assert.equal((await sender.balances()).transfer, transfer)
})

test('neither the maker nor an API key can decide: the request goes on waiting', async () => {
  const request = heldByOperation(await sender.send(payout(150_000)))
  const another = await sender.merchant.newKey(mode, 'payout')
  await Promise.all([
    refused(decide('approve', request.id, `key:${sender.key_id}`), /cannot decide/),
    refused(decide('reject', request.id, `key:${sender.key_id}`), /cannot decide/),
    refused(decide('approve', request.id, ' '), /--as must name a person/, 2),
  ])
  assert.deepEqual(await approve(request.id, `key:${another.key_id}`), { kind: 'refused', code: 'same_person' })
  assert.deepEqual(await read(request), request)
  // Nor does the database let it, with our code out of the way.
  await assert.rejects(
    installation.db.sql`update payout_requests
                           set status = 'rejected', decided_at = clock_now(), decided_by = ${`key:${sender.key_id}`}
                         where id = ${request.id}`,
    (error) => violatedConstraint(error)?.startsWith('payout_requests') === true,
  )
})

test('the commands explain their refusals about a request', async () => {
  await Promise.all([
    refused(decide('approve', 'por_1'), /There is no such payout request/),
    refused(installation.bandama('request', 'approve'), /--id is missing/, 2),
  ])
})

test('no payout leaves for a merchant that may not operate, whoever approves', async () => {
  const merchant = await newSender(installation)
  const request = heldByOperation(await merchant.send(payout(150_000)))
  const { merchant_id } = merchant.tenant
  await installation.db.sql`update merchants set active = false where merchant_id = ${merchant_id}`
  await refused(decide('approve', request.id), /deactivated/)
  assert.equal((await read(request, merchant)).status, 'pending_approval')
})

const SECOND = 1_000
const HOUR = 3_600_000

test('a payout counts for 24 hours to the second', async () => {
  const merchant = await newSender(installation, { funds: 2_000_000 })
  const start = (await installation.db.sql<{ now: Date }[]>`select now()`)[0]!.now.getTime()
  const at = (milliseconds: number) => holdClock(installation, new Date(start + milliseconds))
  await at(0)
  await sendFull(merchant, 5)
  await at(24 * HOUR - SECOND)
  heldByDay(await merchant.send(payout(1)))
  await at(24 * HOUR + SECOND)
  // The franc that waits counts.
  await sendFull(merchant, 4)
  sent(await merchant.send(payout(OPERATION - 1)))
  heldByDay(await merchant.send(payout(1)))
  await at(48 * HOUR)
  heldByDay(await merchant.send(payout(1)))
  await at(48 * HOUR + 2 * SECOND)
  await sendFull(merchant, 4)
})

test('a request that nobody decides in seven days expires and counts no more, and its merchant is told', async () => {
  await installation.db.moveClock('0')
  const request = heldByOperation(await sender.send(payout(150_000)))
  const { transfer } = await sender.balances()
  await installation.db.moveClock('6 days 23 hours 59 minutes')
  assert.equal((await read(request)).status, 'pending_approval')
  await installation.db.moveClock('7 days 1 second')
  // Whether the sweep has come to it or not.
  assert.deepEqual(await approve(request.id), { kind: 'refused', code: 'already_decided' })

  // Another, made before the wait, so that the sweep has just been when it expires.
  const merchant = await newSender(installation)
  const early = heldByOperation(await merchant.send(payout(DAY)))
  const expired = await waitFor(
    async () => {
      const now = await read(request)
      return now.status === 'expired' && now
    },
    { ...PATIENCE, what: 'the request to expire' },
  )
  // It expires while it still counts: the sweep has not come to it.
  await installation.db.sql`update payout_requests set expires_at = clock_now() where id = ${early.id}`
  heldByDay(await merchant.send(payout(1)))
  assert.deepEqual(expired, { ...request, status: 'expired', decided_at: expired.decided_at })
  const [event] = await told.until(request.id, ['payout_request.expired'])
  assert.deepEqual(event!.data, expired)
  assert.equal((await sender.balances()).transfer, transfer)

  await expireRequests(desk())
  assert.equal((await read(early, merchant)).status, 'expired')
  sent(await merchant.send(payout(OPERATION)))
})

test('the books hold', async () => {
  const report = await installation.bandama('audit')
  assert.equal(report.ok, true, JSON.stringify(report))
})
