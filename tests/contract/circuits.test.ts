import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { type RunningTwin, startTwin } from '../../src/twin/start-twin.ts'
import { type Installation, newPayer, openInstallation } from '../harness/installation.ts'
import { waitFor } from '../harness/wait-for.ts'
import { checkPayment } from './answers.ts'
import { checkPayout } from './payout-answers.ts'
import { newSender, PATIENCE, type Sender } from './sender.ts'

// An operator that is down, met by two contracts of live mode: what was not sent takes the next, fails fast, or waits; a refund waits for
// the operator that collected, which remembers across its failure what it collected. The second process
// serves requests alone: it knows of circuits by what the first tells it.

const AWA = ['--as', 'awa@example.com']

let installation: Installation
let sender: Sender
let collects: string
let folder: string
let main: RunningTwin
let second: RunningTwin
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'circuits-'))
  main = await startTwin({ state_file: join(folder, 'main-state.json') })
  second = await startTwin()
  installation = await openInstallation({ processes: [[], ['--only', 'api']], own: 'audits all books' })
  sender = await newSender(installation, { mode: 'live' })
  collects = (await sender.merchant.newKey('live', 'collect')).key
})
after(async () => {
  await installation[Symbol.asyncDispose]()
  await Promise.all([main.close(), second.close()])
  await rm(folder, { recursive: true })
})

async function connect(name: string, twin: RunningTwin): Promise<void> {
  const path = join(folder, `${name}.json`)
  await writeFile(path, JSON.stringify(twin.connectors().pawapay!.settings))
  const words = ['--name', name, '--type', 'pawapay', '--mode', 'live', '--settings', path]
  await installation.bandama('connector', 'set', ...words, ...AWA)
  twin.setWallet('pawapay/CIV', 5_000_000)
}

let max = 900_000

/** Sets both routes, and waits until they are in force: each has a largest amount of its own. */
async function route(connectors: string): Promise<void> {
  max += 1
  for (const direction of ['collect', 'payout']) {
    const words = ['--mode', 'live', '--operator', 'mtn_ci', '--direction', direction, '--connectors', connectors]
    await installation.bandama('route', 'set', ...words, '--max', String(max), ...AWA)
  }
  await waitFor(async () => (await readMtn()).operator_limits?.payout?.max === max, { ...PATIENCE, what: 'the route' })
}

type Side = { unavailable_reason: string | null }
type Shown = {
  code: string
  collection: Side
  payout: Side
  operator_limits: { payout: { max: number } | null } | null
}

async function readMtn(process = 0): Promise<Shown> {
  const { data } = (await installation.ask({ path: '/x/operators', key: collects }, process)).json() as {
    data: Shown[]
  }
  return data.find(({ code }) => code === 'mtn_ci')!
}

/** Waits until both directions say this of MTN, in both processes: a reason, or null for available. */
async function untilReason(reason: string | null): Promise<void> {
  for (const process of [0, 1]) await untilReasonIn(process, reason)
}

async function untilReasonIn(process: number, reason: string | null): Promise<void> {
  await waitFor(
    async () => {
      const { collection, payout } = await readMtn(process)
      return collection.unavailable_reason === reason && payout.unavailable_reason === reason
    },
    { ...PATIENCE, what: `MTN to be ${reason ?? 'available'}` },
  )
}

const newPhone = () => newPayer().replace(/^07/, '05').replace(/0000$/, '7777')

async function pay(msisdn = newPhone()): Promise<string> {
  const body = { amount: 1_000, operator: 'mtn_ci', counterparty: { msisdn } }
  return checkPayment(await installation.pay(collects, body), 201).id
}

const untilPayment = (id: string, status: string, patience = PATIENCE) =>
  waitFor(
    async () => {
      const read = checkPayment(await installation.read(collects, id), 200)
      return read.status === status && read
    },
    { ...patience, what: `${id} to be ${status}` },
  )

const sendPayout = async () =>
  checkPayout(
    await sender.send({ amount: 5_000, beneficiary: { msisdn: newPhone(), operator: 'mtn_ci', name: 'Awa Koné' } }),
    201,
  ).id

/** The merchant's available balance, as it reads it itself. */
async function readAvailable(): Promise<number> {
  const balances = (await installation.ask({ path: '/x/balances', key: collects })).json()
  return (balances as { available: number }).available
}

/** Waits until an order was looked at and left as it is, to be looked at again within seconds. */
async function untilLeftWaiting(id: string): Promise<void> {
  await waitFor(
    async () => {
      const [row] = await installation.db.sql<{ seen: boolean }[]>`
        select next_check_at < created_at + interval '40 seconds' as seen from instructions where subject_id = ${id}`
      return row?.seen
    },
    { ...PATIENCE, what: `${id} to be looked at, and left waiting` },
  )
}

/**
 * Waits until a refund is `prepared`, which it also is again after it was tried and did not leave. Meanwhile its merchant sees that the
 * money is set aside, and that the payer does not have it.
 */
async function untilRefundWaits(id: string, payment_id: string, available: number): Promise<void> {
  await waitFor(
    async () => {
      const [row] = await installation.db.sql<{ state: string }[]>`
        select state from instructions where subject_id = ${id}`
      return row!.state === 'prepared'
    },
    { ...PATIENCE, what: 'the refund to wait' },
  )
  const { status, amount_refunded } = checkPayment(await installation.read(collects, payment_id), 200)
  assert.deepEqual([status, amount_refunded], ['succeeded', undefined])
  assert.equal(await readAvailable(), available)
  const shown = await installation.bandama('refund', 'show', '--id', id)
  assert.ok(['requested', 'processing'].includes(String(shown.status)), 'staff see it as not concluded')
}

/** The connector that is recorded for an order, and its sends. */
async function orderOf(id: string): Promise<{ connector: string | null; attempts: number } | undefined> {
  const [row] = await installation.db.sql<{ connector: string | null; attempts: number }[]>`
    select connector, attempts from instructions where subject_id = ${id}`
  return row
}

test('without an available connector a collection fails fast, and payouts and refunds wait for the route’s next connector', async () => {
  await connect('main', main)
  await connect('second', second)
  await route('main')
  assert.equal((await readMtn()).payout.unavailable_reason, null)
  const payer = newPhone()
  const collected = await pay(payer)
  await main.phone(payer).approve()
  await untilPayment(collected, 'succeeded')
  await main.close()

  await Promise.all(Array.from({ length: 5 }, () => pay()))
  await untilReason('operator_unavailable')
  const asked = { method: 'POST', path: '/v1-checkout', key: collects, body: { amount: 500 } } as const
  const { url } = (await installation.ask(asked)).json() as { url: string }
  const page = await installation.ask({ path: new URL(url).pathname, headers: { Accept: 'application/json' } }, 1)
  const { operators, unavailable_operators } = page.json() as Record<string, string[]>
  assert.deepEqual([operators, unavailable_operators], [['mtn_ci'], ['mtn_ci']])
  const { failure_code, created_at, failed_at } = await untilPayment(await pay(), 'failed')
  assert.equal(failure_code, 'operator_unavailable')
  assert.ok(Date.parse(failed_at!) - Date.parse(created_at) < 10_000)

  const { transfer } = await sender.balances()
  const available = await readAvailable()
  const waiting = await sendPayout()
  const refunding = installation.bandama('refund', 'create', '--payment', collected, ...AWA)
  const { refund_id } = (await refunding) as { refund_id: string }
  for (const id of [waiting, refund_id]) await untilLeftWaiting(id)
  await untilRefundWaits(refund_id, collected, available - 1_000)
  checkPayout(await sender.read(waiting), 200, { status: 'created' })
  assert.ok((await sender.balances()).transfer < transfer, 'its money is held')
  assert.deepEqual(await orderOf(waiting), { connector: null, attempts: 0 })

  await route('main,second')
  assert.equal((await readMtn()).collection.unavailable_reason, null)
  await untilReasonIn(1, null)
  await sender.untilPayout(waiting, 'succeeded')
  assert.deepEqual(await orderOf(waiting), { connector: 'second', attempts: 1 })
  await untilRefundWaits(refund_id, collected, available - 1_000)

  main = await startTwin({ port: Number(new URL(main.url).port), state_file: join(folder, 'main-state.json') })
  await route('main')
  // The circuit rests for half a minute, perhaps once more since the refund itself was tried, and it is looked at only now and then.
  const refunded = await untilPayment(collected, 'refunded', { deadline_ms: 120_000 })
  assert.equal(refunded.amount_refunded, 1_000)
  assert.equal((await installation.bandama('refund', 'show', '--id', refund_id)).status, 'succeeded')
  assert.equal(await readAvailable(), available - 1_000, 'it was taken once')
  const { connector, reference } = await whole(refund_id)
  assert.equal(connector, 'main', 'it goes back the way that its collection came')
  const returned = [...main.journal(), ...second.journal()].filter((one) => one.reference === reference)
  assert.deepEqual(
    returned.map(({ amount }) => amount),
    [1_000],
    'and exactly once',
  )
  assert.equal((await installation.bandama('audit')).ok, true)
  const probes = [await sendPayout(), await sendPayout(), await sendPayout()]
  for (const id of probes) {
    await sender.untilPayout(id, 'succeeded')
    assert.equal((await orderOf(id))?.connector, 'main', 'it answers again')
  }
})

test('one send that did not leave is enough to try the next connector, even while the circuit is closed', async () => {
  await route('main,second')
  await main.close()
  const payer = newPhone()
  const id = await pay(payer)
  await untilSends(id, [['main', false]])
  assert.equal((await readMtn()).collection.unavailable_reason, null, 'one is too few for the circuit')
  await installation.db.sql`update instructions set next_check_at = clock_now() where subject_id = ${id}`
  await untilSends(id, [
    ['main', false],
    ['second', true],
  ])
  await second.phone(payer).approve()
  await untilPayment(id, 'succeeded')

  main = await startTwin({ port: Number(new URL(main.url).port), state_file: join(folder, 'main-state.json') })
  const answered = await sendPayout()
  await sender.untilPayout(answered, 'succeeded')
  assert.equal((await orderOf(answered))?.connector, 'main')
})

test('an order that provably did not leave moves to the next connector, and one that may have left stays', async () => {
  await route('main,second')
  main.fault({ fault: 'lose_answer', times: 1 })
  main.fault({ fault: 'read_not_found', on: 'read' })
  main.fault({ fault: 'callback_never' })
  const lost = await sendPayout()
  await untilSends(lost, [['main', true]])
  await route('main')
  await main.close()

  const unsent = await sendPayout()
  const asked = await pay()
  const [early] = await Promise.all(Array.from({ length: 3 }, () => pay()))
  await untilReason('operator_unavailable')
  await untilSends(early!, [['main', false]])
  await installation.db.sql`update instructions set next_check_at = clock_now() where subject_id = ${early!}`
  assert.equal((await untilPayment(early!, 'failed')).failure_code, 'operator_unavailable', 'it does not wait')
  await untilSends(early!, [['main', false]])

  const { transfer } = await sender.balances()
  await route('main,second')
  await sender.untilPayout(unsent, 'succeeded')
  for (const id of [unsent, asked]) await untilMoved(id)
  const { reference, msisdn } = await whole(unsent)
  const moved = second.journal().filter((one) => one.msisdn === msisdn)
  assert.deepEqual(
    moved.map((one) => one.reference),
    [reference],
    'once, under the reference that it has had from the first',
  )
  assert.equal((await sender.balances()).transfer, transfer, 'its money was taken once')

  assert.equal((await whole(lost)).connector, 'main')
  await untilSends(lost, [['main', true]])
  assert.equal((await installation.bandama('audit')).ok, true)
})

/** Waits until an order left through the second connector; before that it may have been the one with which the first was tried again. */
async function untilMoved(id: string): Promise<void> {
  await waitFor(async () => (await whole(id)).connector === 'second', { ...PATIENCE, what: `${id} to move` })
  const sends = await installation.db.sql<{ connector: string; may_have_left: boolean }[]>`
    select connector, not_sent_at is null as may_have_left from sends where subject_id = ${id} order by attempt`
  assert.deepEqual({ ...sends.at(-1) }, { connector: 'second', may_have_left: true })
  for (const one of sends.slice(0, -1)) assert.deepEqual({ ...one }, { connector: 'main', may_have_left: false })
  const { reference } = await whole(id)
  const [known] = await installation.db.sql<{ connector: string }[]>`
    select connector from operator_references where reference = ${reference}`
  assert.equal(known!.connector, 'second', 'a callback of the second finds the order')
}

/** The sends of an order, in turn: through which connector, and whether it may have left. */
async function untilSends(id: string, wanted: [connector: string, may_have_left: boolean][]): Promise<void> {
  await waitFor(
    async () => {
      const rows = await installation.db.sql<{ connector: string; may_have_left: boolean }[]>`
        select connector, not_sent_at is null as may_have_left from sends where subject_id = ${id} order by attempt`
      return isDeepStrictEqual(
        rows.map(({ connector, may_have_left }) => [connector, may_have_left]),
        wanted,
      )
    },
    { ...PATIENCE, what: `${id} to be sent as ${JSON.stringify(wanted)}` },
  )
}

async function whole(id: string): Promise<{ connector: string | null; reference: string; msisdn: string }> {
  const [row] = await installation.db.sql<{ connector: string | null; reference: string; msisdn: string }[]>`
    select connector, reference, msisdn from instructions where subject_id = ${id}`
  return row!
}
