import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, test } from 'node:test'
import { keepAnomalies } from '../../src/operators/doubts/anomalies.ts'
import { readDoubted } from '../../src/operators/doubts/doubt-store.ts'
import { forecast } from '../../src/operators/doubts/forecast.ts'
import { findInstruction } from '../../src/operators/store.ts'
import { createClock } from '../../src/platform/clock.ts'
import { type RunningTwin, startTwin } from '../../src/twin/start-twin.ts'
import { freePort } from '../harness/free-port.ts'
import { type Installation, newPayer, openInstallation } from '../harness/installation.ts'
import { waitFor } from '../harness/wait-for.ts'
import { withoutTriggers } from '../harness/without-triggers.ts'
import { refused } from './commands.ts'
import { newSender, PATIENCE, type Sender } from './sender.ts'

// The doubt desk in live mode, on pawaPay's connector and the operators' twin.

const AWA = ['--as', 'awa@example.com']
const LOST = { fault: 'lose_answer', api: 'pawapay', direction: 'payout' } as const
const SILENT = { fault: 'say_503', on: 'read', api: 'pawapay' } as const
const NO_CALL = { fault: 'callback_never', api: 'pawapay' } as const

let twin: RunningTwin
let installation: Installation
let folder: string
let sender: Sender

before(async () => {
  twin = await startTwin()
  twin.setWallet('pawapay/CIV', 5_000_000)
  folder = await mkdtemp(join(tmpdir(), 'doubts-'))
  const port = await freePort()
  const PUBLIC_URL = `http://127.0.0.1:${port}`
  installation = await openInstallation({ env: { PORT: String(port), PUBLIC_URL } })
  sender = await newSender(installation, { mode: 'live' })
  const settings = join(folder, 'settings.json')
  await writeFile(settings, JSON.stringify(twin.connectors().pawapay!.settings))
  const connector = ['--name', 'main', '--type', 'pawapay', '--mode', 'live', '--settings', settings]
  twin.change('pawapay', {
    callback_url: String((await bandama('connector', 'set', ...connector, ...AWA)).callback_url),
  })
  const route = ['--mode', 'live', '--operator', 'mtn_ci', '--direction', 'payout', '--connectors', 'main']
  await bandama('route', 'set', ...route, ...AWA)
  await waitFor(async () => {
    const { data } = (await installation.ask({ path: '/x/operators', key: sender.key })).json() as {
      data: { code: string; payout: { available: boolean } }[]
    }
    return data.find(({ code }) => code === 'mtn_ci')!.payout.available
  }, PATIENCE)
})
after(async () => {
  await installation[Symbol.asyncDispose]()
  await twin.close()
  await rm(folder, { recursive: true })
})

afterEach(() => twin.clear('faults'))

const bandama = (...words: string[]) => installation.bandama(...words)

type Line = { at: string; kind: string; says: string; evidence: object | null }
type Shown = {
  status: string
  open: boolean
  ends?: { if_succeeded: string; if_failed: string }
  forecast?: { kind: string; says: string }
  timeline: Line[]
  instruction: { state: string; asked: number }
}
const show = async (id: string) => (await bandama('doubt', 'show', '--id', id)) as unknown as Shown
const listed = async () => (await bandama('doubt', 'list', '--mode', 'live')).doubts as Record<string, unknown>[]

/** Pays out 2 500 F to a telephone of MTN; returns its id and the number. */
async function paid(): Promise<{ id: string; payee: string }> {
  const payee = newPayer().replace(/^07/, '05').replace(/0000$/, '7777')
  const beneficiary = { msisdn: payee, operator: 'mtn_ci', name: 'Awa Koné' }
  const answer = await sender.send({ amount: 2_500, beneficiary })
  assert.equal(answer.status, 201)
  return { id: (answer.json() as { id: string }).id, payee }
}

test('the desk is empty at first, and an unknown id is refused as unknown', async () => {
  assert.deepEqual(await listed(), [])
  const nobody = ['--id', 'txn_01k5v0e9t8fq3a7mzd4n2xw6rb']
  await refused(bandama('doubt', 'show', ...nobody), /was sent to an operator/)
  await refused(bandama('doubt', 'ask', ...nobody, ...AWA), /was sent to an operator/)
})

test("a payout whose answer is lost is on the desk's list; after a person's inquiry it ends by itself", async () => {
  const { transfer } = await sender.balances()
  for (const fault of [{ ...LOST, times: 1 }, SILENT, NO_CALL]) twin.fault(fault)
  const { id, payee } = await paid()
  const doubt = await waitFor(async () => (await listed()).find((one) => one.id === id), PATIENCE)
  assert.deepEqual(
    [doubt.why, doubt.amount, doubt.direction, doubt.operator, doubt.connector, doubt.state],
    ['answer lost', 2_500, 'payout', 'mtn_ci', 'main', 'unknown'],
  )
  assert.ok(Date.parse(String(doubt.next_check_at)) > Date.parse(String(doubt.sent_at)))

  const { ends, forecast, open, status, timeline } = await show(id)
  assert.deepEqual([open, status, forecast?.kind], [true, 'processing', 'too_little_history'])
  assert.match(ends!.if_succeeded, /^the beneficiary has 2 500 F/)
  assert.match(ends!.if_failed, /^nothing moved: the 2 \d{3} F that are held go back/)
  const order = timeline.filter(({ kind }) => ['prepared', 'committed', 'answered'].includes(kind))
  assert.deepEqual(
    order.map(({ says }) => says),
    ['the order is prepared', 'we commit to the send, to main', 'answer to the send: no answer that tells anything'],
  )
  const times = timeline.map(({ at }) => at)
  assert.deepEqual(times, times.toSorted())

  const { sql } = installation.db
  await waitFor(async () => (await show(id)).instruction.asked >= 2, PATIENCE)
  const asked = (await bandama('doubt', 'ask', '--id', id, ...AWA)).answers_so_far as number
  await waitFor(async () => (await show(id)).instruction.asked > asked, PATIENCE)
  const acts = (await bandama('audit-log', 'list')).acts as { act: string; actor: string; subject: string }[]
  const act = acts.find(({ act }) => act === 'doubt.ask')!
  assert.deepEqual([act.actor, act.subject], ['awa@example.com', id])

  twin.clear('faults')
  await sender.untilPayout(id, 'succeeded')
  const ended = await show(id)
  assert.deepEqual([ended.open, ended.status, ended.ends], [false, 'succeeded', undefined])
  assert.ok(ended.timeline.some(({ says }) => says === 'the money moved'))
  assert.equal(ended.timeline.at(-1)!.says, 'processing → succeeded: proof received')
  assert.deepEqual(await listed(), [])
  await refused(bandama('doubt', 'ask', '--id', id, ...AWA), /it has ended/)
  assert.equal(twin.journal().filter(({ msisdn }) => msisdn?.endsWith(payee.slice(1))).length, 1)
  assert.ok(!JSON.stringify(ended.timeline).includes(payee.slice(1)), 'no number is shown')
  assert.ok((await sender.balances()).transfer <= transfer - 2_500)
  assert.equal((await sql`select from sends where subject_id = ${id}`).length, 1)
})

test('people cannot fail a payout that was sent a moment ago', async () => {
  const { sql } = installation.db
  for (const fault of [{ ...LOST, times: 1 }, SILENT, NO_CALL]) twin.fault(fault)
  const { id } = await paid()
  await waitFor(async () => (await listed()).some((one) => one.id === id), PATIENCE)
  const { merchant_id, livemode, operator } = (await findInstruction(sql, id))!
  // As the service opens it after the last of five sends.
  const about = {
    merchant_id,
    livemode,
    subject_id: id,
    operator,
    kind: 'in_doubt',
    fact: '5 sends',
    evidence: {},
  } as const
  const [anomaly] = await sql.begin((tx) => keepAnomalies(tx, [about], createClock().now()))
  assert.equal((await listed()).find((one) => one.id === id)!.why, 'anomaly open')
  const propose = (resolution: string, of = anomaly!) =>
    bandama('anomaly', 'propose', '--id', of, '--resolution', resolution, '--reason', 'Not in its books', ...AWA)
  await refused(propose('as_refused'), /less than 15 minutes ago/)
  // A word that is not listed, in answer to an earlier send, is no proof of what becomes of the last.
  const word = { ...about, kind: 'unknown_status', fact: 'NEW_WORD' } as const
  const [strange] = await sql.begin((tx) => keepAnomalies(tx, [word], createClock().now()))
  await refused(propose('as_refused', strange), /less than 15 minutes ago/)
  await sql`update instructions set sent_at = clock_now() - interval '16 minutes' where subject_id = ${id}`
  await refused(propose('as_refused'), /less than 15 minutes ago/)
  await sql.begin(async (tx) => {
    await withoutTriggers(tx)
    await tx`update sends set sent_at = clock_now() - interval '16 minutes' where subject_id = ${id}`
  })
  assert.equal((await propose('as_refused')).status, 'proposed')
  twin.clear('faults')
  await sender.untilPayout(id, 'succeeded')
  assert.ok((await show(id)).timeline.some(({ says }) => says === `anomaly ${anomaly} is opened`))
})

test('the timeline shows a callback with its content', async () => {
  const { id } = await paid()
  await sender.untilPayout(id, 'succeeded')
  const called = await waitFor(async () => (await show(id)).timeline.find(({ kind }) => kind === 'called'), PATIENCE)
  assert.match(called.says, /^the operator calls us; a reason to ask, no proof/)
  assert.notEqual(called.evidence, null)
})

test("the forecast comes from this operator's earlier operations in doubt", async () => {
  // Each between two whose answer comes: an operator that loses every second one is left alone.
  const ids: string[] = []
  for (let lost = 0; lost < 20; lost += 1) {
    for (const times of [0, 1, 0]) {
      if (times === 1) twin.fault({ ...LOST, times })
      const { id } = await paid()
      await waitFor(async () => ((await findInstruction(installation.db.sql, id))?.asked ?? 0) > 0, PATIENCE)
      ids.push(id)
    }
  }
  for (const id of ids) await sender.untilPayout(id, 'succeeded')
  const { id } = await paid()
  const instruction = await waitFor(() => findInstruction(installation.db.sql, id), PATIENCE)
  await sender.untilPayout(id, 'succeeded')
  const connector = 'main'
  const history = await readDoubted(installation.db.sql, { ...instruction!, connector })
  assert.equal(history.length, 22, 'those of the tests before, and none whose answer came')
  const told = forecast(0, history)
  assert.ok(told.kind === 'told')
  assert.match(told.says, /^\d+ % of such end within .*, 100 % of them as succeeded/)
  for (const other of [
    { operator: 'wave_ci' },
    { direction: 'collect' },
    { livemode: false },
    { connector: 'other' },
  ] as const) {
    assert.deepEqual(await readDoubted(installation.db.sql, { ...instruction!, connector, ...other }), [])
  }
})
