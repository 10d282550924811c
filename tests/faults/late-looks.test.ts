import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { STAFF } from '../../src/people/person.ts'
import { createClock } from '../../src/platform/clock.ts'
import { type RunningTwin, startTwin } from '../../src/twin/start-twin.ts'
import type { OperatorCode } from '../../src/values/operators.ts'
import { contracts } from '../conformance/contracts.ts'
import { asked } from '../contract/refund-desk.ts'
import { newSender, PATIENCE, type Sender } from '../contract/sender.ts'
import { actor } from '../harness/actor.ts'
import { type Browser, openBrowser } from '../harness/console.ts'
import { freePort } from '../harness/free-port.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { connectTwin } from '../harness/live-twin.ts'
import { createRefund } from '../harness/refunds.ts'
import { openSmtpServer, type SmtpServer } from '../harness/smtp-server.ts'
import type { Service } from '../harness/start-service.ts'
import { waitFor } from '../harness/wait-for.ts'

// An operator says FAILED about orders that it has executed: every contract, collections, payouts and refunds. The service is killed
// between the vague answer and the second one, and between the refusal and the look at it.

type Direction = 'collect' | 'payout' | 'refund'
/**
 * - `once`: without a reason, and the second answer is the truth;
 * - `twice`: without a reason, and the second answer says the same;
 * - `final`: with a reason;
 * - `of_the_send`: the operator does not take the order, and executes nothing.
 */
type Lie = 'once' | 'twice' | 'final' | 'of_the_send'

type Case = {
  readonly contract: (typeof contracts)[number]
  readonly direction: Direction
  readonly lie: Lie
  /** The operator's word for the lie, with our failure code. */
  readonly word: readonly [string, string]
  /** The amount names the order in the twin, because Orange learns the number only on its page. */
  readonly amount: number
  readonly name: string
  /** The payment, payout or refund, once it is made. */
  id: string
}

/** The operator of each contract, and the prefix of its numbers. Each contract has its own merchant, because two reach Orange. */
const reached: Readonly<Record<string, { operator: OperatorCode; prefix: string }>> = {
  pawapay: { operator: 'orange_ci', prefix: '0758' },
  orange: { operator: 'orange_ci', prefix: '0759' },
  mtn: { operator: 'mtn_ci', prefix: '0558' },
  wave: { operator: 'wave_ci', prefix: '0158' },
  moov: { operator: 'moov_ci', prefix: '0159' },
}
const directions: readonly Direction[] = ['collect', 'payout', 'refund']
const lies: readonly Lie[] = ['once', 'twice', 'final', 'of_the_send']

/** The word for a lie. Null when the contract has none: Wave's sessions fail only with their end, and Orange and Moov refund nothing. */
function wordOf({ refusals, failures, type }: Case['contract'], direction: Direction, lie: Lie): Case['word'] | null {
  if (lie === 'of_the_send') return Object.entries(refusals[direction])[0] ?? null
  if (type.type === 'wave' && direction === 'collect') return null
  const words = Object.entries(failures[direction])
  return words.find(([, code]) => (code === 'operator_refused') === (lie !== 'final')) ?? null
}

let amounts = 2_000
const cases = contracts.flatMap((contract) =>
  directions.flatMap((direction) =>
    lies.flatMap((lie): Case[] => {
      const word = wordOf(contract, direction, lie)
      if (word === null) return []
      amounts += 1
      const name = `${contract.type.type}: a ${direction}, refused ${lie}`
      return [{ contract, direction, lie, word, amount: amounts, name, id: '' }]
    }),
  ),
)

const isVague = ({ lie }: Case) => lie === 'once' || lie === 'twice'
const hasMoved = ({ lie }: Case) => lie !== 'of_the_send'
/** A lapsed request is paid after all when a proof comes. */
const isCredited = ({ direction, lie, word }: Case) =>
  lie === 'once' || (lie === 'final' && direction === 'collect' && word[1] === 'payer_timeout')
const isFound = (one: Case) => hasMoved(one) && !isCredited(one)

let twin: RunningTwin
let installation: Installation
let service: Service
let smtp: SmtpServer
let metrics_port: number
let operations: Browser

before(async () => {
  twin = await startTwin({ first_balance: 1_000_000_000 })
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  smtp = await openSmtpServer({ user: 'bandama', pass: 'secret' })
  metrics_port = await freePort()
  const mails = { MAIL_URL: `smtp://bandama:secret@127.0.0.1:${smtp.port}`, MAIL_FROM: 'bandama@example.com' }
  const env = { PORT: String(port), PUBLIC_URL: origin, METRICS_PORT: String(metrics_port), ...mails }
  installation = await openInstallation({ env, processes: [] })
  const senders = new Map<string, Sender>()
  for (const { api } of contracts) {
    const sender = await newSender(installation, { mode: 'live' })
    const { merchant_id } = sender.merchant
    const connected = {
      secret_key: installation.secret_key,
      origin,
      operators: [{ api, ...reached[api]! }],
      merchant_id,
    }
    await connectTwin(installation.db.sql, twin, { ...connected, charges: {} })
    // Nothing but the service itself makes it ask.
    twin.fault({ fault: 'callback_never', api })
    senders.set(api, sender)
  }
  await start()
  const { db, services } = installation
  operations = await openBrowser(db.sql, services[0]!.address, { merchant_id: STAFF, roles: ['operations'] })
  await Promise.all(cases.map((one) => begin(one, senders.get(one.contract.api)!)))
})
after(async () => {
  await installation[Symbol.asyncDispose]()
  await Promise.all([twin.close(), smtp.close()])
})

async function start(): Promise<void> {
  service = await installation.start()
  installation.services[0] = service
}

async function begin(one: Case, sender: Sender): Promise<void> {
  const { contract, direction, amount } = one
  const { operator, prefix } = reached[contract.api]!
  const msisdn = `${prefix}${String(amount).padStart(6, '0')}`
  const { key } = await sender.merchant.newKey('live', 'collect')
  const pay = async () =>
    (await installation.pay(key, { amount, operator, counterparty: { msisdn } })).json() as { id: string }
  if (direction === 'collect') {
    lieAbout(one, {})
    one.id = (await pay()).id
  } else if (direction === 'payout') {
    lieAbout(one, {})
    const beneficiary = { msisdn, operator, name: 'Awa Koné' }
    one.id = ((await sender.send({ amount, beneficiary })).json() as { id: string }).id
  } else {
    const way = { api: contract.api, amount }
    twin.script({ ...way, outcome: 'succeed', direction: 'collection' })
    const { id } = await pay()
    await waitFor(async () => (await readCase({ ...one, direction: 'collect', id })).status === 'succeeded', {
      ...PATIENCE,
      what: `${id} to be paid`,
    })
    lieAbout(one, { direction: 'refund' })
    const deps = { sql: installation.db.sql, clock: createClock(), canRefund: () => true }
    const order = { ...asked, amount: null, payment_id: id, requested_by: actor('ama@example.com') }
    const made = await createRefund(deps, order)
    assert.ok(made.kind === 'created', JSON.stringify(made))
    one.id = made.refund.id
  }
}

function lieAbout({ contract, lie, word, amount }: Case, more: { direction?: string }): void {
  const way = { api: contract.api, amount, ...more }
  if (lie === 'of_the_send') return void twin.script({ ...way, outcome: 'refuse', reason: word[0] })
  twin.script({ ...way, outcome: 'succeed', after_seconds: 1 })
  twin.fault({ ...way, fault: 'read_opposite', on: 'read', times: lie === 'twice' ? 2 : 1, reason: word[0] })
}

const tables = { collect: 'payments', payout: 'payouts', refund: 'refunds' } as const

type Read = {
  status: string
  state: string
  failure_code: string | null
  vague: boolean
  look_after: number | null
  answers: number
}

async function readCase({ direction, id }: Pick<Case, 'direction' | 'id'>): Promise<Read> {
  const { sql } = installation.db
  const [row] = await sql<Read[]>`
    select s.status, i.state, i.failure_code, i.vague_since is not null as vague,
           round(extract(epoch from i.look_again_at - i.concluded_at))::float8 as look_after,
           (select count(*)::int from operator_answers a where a.subject_id = i.subject_id) as answers
      from instructions i
      join ${sql(tables[direction])} s on (s.id, s.merchant_id, s.livemode) = (i.subject_id, i.merchant_id, i.livemode)
     where i.subject_id = ${id}`
  return row ?? { status: 'created', state: '', failure_code: null, vague: false, look_after: null, answers: 0 }
}

async function untilAll(some: readonly Case[], isRight: (read: Read) => boolean, what: string): Promise<void> {
  for (const one of some) {
    await waitFor(async () => isRight(await readCase(one)), { ...PATIENCE, what: `${one.name} ${what}` })
  }
}

test('every contract and direction is tried with every lie that it can tell', () => {
  const tried = (lie: Lie) =>
    cases.filter((one) => one.lie === lie).map(({ contract, direction }) => `${contract.api} ${direction}`)
  const failing = ['pawapay collect', 'pawapay payout', 'pawapay refund', 'mtn collect', 'mtn payout', 'mtn refund']
  const all = [...failing, 'orange collect', 'moov collect', 'moov payout', 'wave payout']
  for (const lie of ['once', 'twice', 'final'] as const) assert.deepEqual(tried(lie).toSorted(), all.toSorted(), lie)
  assert.deepEqual(tried('of_the_send').toSorted(), [...all, 'wave collect', 'wave refund'].toSorted())
})

test('a vague refusal of an accepted order holds its money until the operator says it again, also over a kill', async () => {
  const vague = cases.filter(isVague)
  await untilAll(vague, ({ vague }) => vague, 'to be refused vaguely')
  await service.kill('SIGKILL')
  for (const one of vague) {
    const { state, status } = await readCase(one)
    assert.deepEqual([state, status], ['sent', one.direction === 'collect' ? 'pending' : 'processing'], one.name)
  }
  await start()
  for (const lie of ['once', 'twice'] as const) {
    const status = lie === 'once' ? 'succeeded' : 'failed'
    await untilAll(
      cases.filter((one) => one.lie === lie),
      (read) => read.status === status,
      `to be ${status}`,
    )
  }
  const { sql } = installation.db
  const early = await sql`
    select a.subject_id
      from operator_answers a
      join operator_answers b using (merchant_id, livemode, subject_id)
     where a.outcome = 'refused' and a.source = 'inquiry' and b.source = 'inquiry' and b.number > a.number
       and b.answered_at < a.answered_at + interval '9 seconds'
       and a.subject_id = any(${vague.map(({ id }) => id)}::text[])`
  assert.deepEqual([...early], [], 'an answer less than ten seconds after the first')
})

test('a refusal with a reason, and one of the send itself, fails at once', async () => {
  for (const one of cases.filter((other) => !isVague(other))) {
    await waitFor(async () => (await readCase(one)).state === 'refused', { ...PATIENCE, what: one.name })
    const { status, failure_code, answers } = await readCase(one)
    assert.equal(failure_code, one.word[1], one.name)
    assert.equal(status, failure_code === 'payer_timeout' ? 'expired' : 'failed', one.name)
    if (one.lie === 'of_the_send') assert.equal(answers, 1, one.name)
  }
})

test('an order that was refused after it was accepted is looked at again by plan, and one that was refused at the send is not', async () => {
  for (const one of cases.filter(({ lie }) => lie !== 'once')) {
    const first = one.direction === 'collect' ? 3_600 : 600
    assert.equal((await readCase(one)).look_after, one.lie === 'of_the_send' ? null : first, one.name)
  }
})

test('a look after a kill finds the money that moved: an anomaly with a notice for each, and the end stays', async () => {
  const { sql } = installation.db
  await service.kill('SIGKILL')
  const ids = cases.map(({ id }) => id)
  await sql`update instructions set look_again_at = clock_now() where look_again_at is not null and subject_id = any(${ids}::text[])`
  await start()
  const found = cases.filter(isFound)
  const anomalies = () => sql<{ id: string; subject_id: string }[]>`
    select id, subject_id from anomalies where kind = 'proof_after_refusal' and subject_id = any(${ids}::text[])`
  await waitFor(async () => (await anomalies()).length >= found.length, { ...PATIENCE, what: 'the anomalies' })
  assert.deepEqual(
    (await anomalies()).map(({ subject_id }) => subject_id).toSorted(),
    found.map(({ id }) => id).toSorted(),
  )
  await untilAll(cases.filter(isCredited), ({ status }) => status === 'succeeded', 'to be credited')
  for (const one of found) {
    const { state, status, look_after } = await readCase(one)
    assert.deepEqual([state, status, look_after], ['refused', 'failed', null], one.name)
  }
  const about = (await anomalies()).map(({ id }) => id)
  await waitFor(() => smtp.mails.length >= found.length, { ...PATIENCE, what: 'the mails' })
  assert.ok(smtp.mails.every(({ to }) => to.includes(operations.email)))
  for (const id of about) {
    assert.equal(smtp.mails.filter(({ text }) => text.includes(`/desk/live/cases/${id}`)).length, 1, id)
  }
  const metrics = await (await fetch(`http://127.0.0.1:${metrics_port}/metrics`)).text()
  for (const { api } of contracts) {
    const [, counted] =
      new RegExp(`^bandama_moved_after_refusal_total\\{connector="${api}"\\} (\\d+)$`, 'm').exec(metrics) ?? []
    assert.equal(Number(counted), found.filter(({ contract }) => contract.api === api).length, api)
  }
  assert.equal(
    twin.journal().filter(({ direction }) => direction !== 'collection').length,
    cases.filter((one) => one.direction !== 'collect' && hasMoved(one)).length,
  )
})

test('the books hold', async () => {
  const report = await installation.bandama('audit')
  assert.equal(report.ok, true, JSON.stringify(report))
})
