import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach, test } from 'node:test'
import fc from '../../tests/harness/property.ts'
import { startReceiver } from '../../tests/harness/receiver.ts'
import { type RunningTwin, startTwin } from './start-twin.ts'

const twin = await startTwin()
const receiver = await startReceiver()
after(() => twin.close())
after(() => receiver[Symbol.asyncDispose]())

const PAYER = '0758412077'

beforeEach(async () => {
  await twin.reset()
  twin.change('pawapay', { callback_url: receiver.url, sign_callbacks: false })
  receiver.requests.length = 0
  receiver.answer({})
})

async function send(kind: 'deposit' | 'payout', id: string = randomUUID(), on: RunningTwin = twin): Promise<Response> {
  const party = { type: 'MMO', accountDetails: { phoneNumber: `225${PAYER}`, provider: 'ORANGE_CIV' } }
  return await fetch(`${on.url}/pawapay/v2/${kind}s`, {
    method: 'POST',
    headers: { Authorization: 'Bearer twin-pawapay-token' },
    body: JSON.stringify({
      [`${kind}Id`]: id,
      amount: '1000',
      currency: 'XOF',
      [kind === 'deposit' ? 'payer' : 'recipient']: party,
    }),
    signal: AbortSignal.timeout(20_000),
  })
}

// biome-ignore lint/suspicious/noExplicitAny: the tests say what stands in an answer
async function steer(method: string, path: string, body?: unknown): Promise<{ status: number; body: any }> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const answer = await fetch(`${twin.url}/_twin${path}`, { method, ...(text === undefined ? {} : { body: text }) })
  return { status: answer.status, body: await answer.json() }
}

const stateOf = (id: string) => twin.operations().find(({ reference }) => reference === id)?.state
const bodies = () => receiver.requests.map(({ body }) => JSON.parse(body.toString()))

test('an order is executed at most once, whatever goes wrong and however often it is sent', async () => {
  const step = fc.oneof(
    fc.record({ do: fc.constant('send' as const), order: fc.nat(2) }),
    fc.record({
      do: fc.constant('fault' as const),
      fault: fc.constantFrom('lose_answer', 'say_500', 'cut', 'callback_early', 'refuse_and_accept', 'callback_twice'),
    }),
    fc.record({
      do: fc.constant('script' as const),
      outcome: fc.constantFrom('ask', 'succeed', 'fail', 'doubt', 'nothing'),
    }),
    fc.record({ do: fc.constant('payer' as const), act: fc.constantFrom('approve', 'decline', 'lapse') }),
    fc.record({ do: fc.constant('advance' as const), seconds: fc.nat(400) }),
  )
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('deposit' as const, 'payout' as const),
      fc.array(step, { maxLength: 25 }),
      async (kind, steps) => {
        await twin.reset()
        const orders = [randomUUID(), randomUUID(), randomUUID()]
        for (const one of steps) {
          if (one.do === 'send') await send(kind, orders[one.order]).catch(() => {})
          if (one.do === 'fault') twin.fault({ fault: one.fault, times: 1 })
          if (one.do === 'script') twin.script({ outcome: one.outcome as 'ask', times: 1 })
          if (one.do === 'payer')
            await twin
              .phone(PAYER)
              [one.act as 'approve']({ within_seconds: 0 })
              .catch(() => {})
          if (one.do === 'advance') await twin.advance(one.seconds)
        }
        const journal = twin.journal()
        assert.equal(new Set(journal.map(({ reference }) => reference)).size, journal.length)
        const executed = twin.operations().filter(({ state }) => state === 'succeeded')
        assert.deepEqual(
          executed.map(({ reference }) => reference).toSorted(),
          journal.map(({ reference }) => reference).toSorted(),
        )
        const sign = kind === 'deposit' ? -1 : 1
        assert.equal(twin.phone(PAYER).balance('orange_ci'), 250_000 + sign * 1000 * journal.length)
      },
    ),
    { numRuns: 60 },
  )
})

test('each fault of an answer has the content and the effect of its name', async () => {
  const cases: [string, 'cut' | number, string | undefined][] = [
    ['lose_answer', 'cut', 'received'],
    ['cut', 'cut', undefined],
    ['say_500', 500, 'received'],
    ['say_503', 503, undefined],
    ['say_429', 429, undefined],
    ['say_html', 200, 'received'],
    ['refuse_and_accept', 200, 'failed'],
    ['forget', 200, undefined],
  ]
  for (const [fault, status, state] of cases) {
    twin.fault({ fault, times: 1 })
    const id = randomUUID()
    const answered = await send('payout', id).then(
      (answer) => answer.status,
      () => 'cut' as const,
    )
    assert.equal(answered, status, fault)
    assert.equal(stateOf(id), state, fault)
  }
})

test('an answer can be late, slow or never come', async () => {
  twin.fault({ fault: 'late_answer', after_seconds: 0.2, times: 1 })
  const began = performance.now()
  assert.equal((await send('payout')).status, 200)
  assert.ok(performance.now() - began >= 190)
  twin.fault({ fault: 'slow_bytes', times: 1 })
  const slow = await send('payout')
  const reader = slow.body!.getReader()
  assert.ok((await reader.read()).value!.length <= 8)
  await reader.cancel()
  twin.fault({ fault: 'hang', on: 'read', times: 1 })
  const read = (patience_ms: number): Promise<Response> =>
    fetch(`${twin.url}/pawapay/v2/payouts/${randomUUID()}`, {
      headers: { Authorization: 'Bearer twin-pawapay-token' },
      signal: AbortSignal.timeout(patience_ms),
    })
  await assert.rejects(read(1_000), { name: 'TimeoutError' })
  assert.equal((await read(20_000)).status, 200)
})

test('each fault of a callback falsifies what its name says', async () => {
  const sendAndCall = async (fault: string, more: object = {}) => {
    receiver.requests.length = 0
    twin.fault({ fault, times: 1, ...more })
    const id = randomUUID()
    await send('payout', id)
    await twin.advance(1)
    return id
  }
  let id = await sendAndCall('callback_twice')
  assert.deepEqual(
    bodies().map(({ payoutId }) => payoutId),
    [id, id],
  )
  await sendAndCall('callback_never')
  assert.deepEqual(bodies(), [])
  await sendAndCall('callback_amount', { claimed_amount: 999 })
  assert.equal(bodies()[0].amount, '999.00')
  id = await sendAndCall('callback_reference')
  assert.notEqual(bodies()[0].payoutId, id)
  id = await sendAndCall('callback_opposite')
  assert.deepEqual([bodies()[0].status, stateOf(id)], ['FAILED', 'succeeded'])
  await sendAndCall('callback_late', { after_seconds: 3600 })
  assert.equal(bodies().length, 0)
  await twin.advance(3600)
  assert.equal(bodies().length, 1)
  const held = await sendAndCall('callback_swapped')
  assert.equal(bodies().length, 0)
  const next = randomUUID()
  await send('payout', next)
  await twin.advance(1)
  assert.deepEqual(
    bodies().map(({ payoutId }) => payoutId),
    [next, held],
  )
})

test('a reset waits for a callback under way, so that none comes after it', async () => {
  const id = randomUUID()
  await send('payout', id)
  const isUnderWay = () => twin.callbacks().some(({ reference, attempts }) => reference === id && attempts.length > 0)
  while (!isUnderWay()) await new Promise((turn) => setImmediate(turn))
  await twin.reset()
  assert.deepEqual(
    bodies().map(({ payoutId }) => payoutId),
    [id],
  )
})

test('a false read states the opposite of an outcome, and is true while there is none', async () => {
  const id = randomUUID()
  await send('payout', id)
  twin.fault({ fault: 'read_opposite' })
  const said = async () => {
    const headers = { Authorization: 'Bearer twin-pawapay-token' }
    const answer = await fetch(`${twin.url}/pawapay/v2/payouts/${id}`, { headers })
    return ((await answer.json()) as { data: { status: string } }).data.status
  }
  assert.notEqual(await said(), 'FAILED')
  await twin.advance(1)
  assert.deepEqual([await said(), stateOf(id)], ['FAILED', 'succeeded'])
  twin.clear('faults')
  assert.equal(await said(), 'COMPLETED')
})

test('a callback can come before the answer, and state an outcome that has not happened', async () => {
  twin.fault({ fault: 'callback_early', times: 1 })
  await send('payout')
  assert.equal(bodies()[0].status, 'COMPLETED')
  receiver.requests.length = 0
  twin.fault({ fault: 'callback_claims_success', times: 1 })
  const id = randomUUID()
  await send('deposit', id)
  await twin.advance(0)
  assert.equal(bodies()[0].status, 'COMPLETED')
  assert.equal(stateOf(id), 'asking')
  assert.equal(twin.journal().length, 1)
})

test('an invalid callback address is recorded as an attempt without an answer', async () => {
  twin.change('pawapay', { callback_url: 'nowhere', sign_callbacks: true })
  await send('payout')
  await twin.advance(1)
  assert.equal(twin.callbacks()[0]?.attempts[0]?.status, null)
})

test('a rule counts what fits: the n-th, a part, so many', async () => {
  twin.script({ outcome: 'fail', rank: 2 })
  const ids = [randomUUID(), randomUUID(), randomUUID()]
  for (const id of ids) await send('payout', id)
  await twin.advance(2)
  assert.deepEqual(ids.map(stateOf), ['succeeded', 'failed', 'succeeded'])
  twin.clear('scripts')
  twin.script({ outcome: 'fail', share: 0.5 })
  for (let sent = 0; sent < 60; sent += 1) await send('payout')
  await twin.advance(2)
  const failed = twin.operations().filter(({ state }) => state === 'failed').length - 1
  assert.ok(failed > 10 && failed < 50, `${failed} of 60`)
})

test('the steering over HTTP does the same', async () => {
  const script = await steer('POST', '/scripts', { outcome: 'ask', msisdn: '07 58 41 20 77' })
  assert.equal(script.status, 200)
  assert.equal((await steer('POST', `/phones/${PAYER}/approve`)).status, 409)
  const id = randomUUID()
  const approved = steer('POST', `/phones/${PAYER}/approve`, { within_seconds: 5 })
  await send('deposit', id)
  assert.equal((await approved).body.state, 'succeeded')
  assert.equal((await steer('GET', `/phones/${PAYER}`)).body.messages[0].about, 'paid')
  assert.equal((await steer('GET', '/journal')).body.journal[0].reference, id)
  const before = Date.parse((await steer('GET', '/clock')).body.now)
  const later = Date.parse((await steer('POST', '/clock', { advance_seconds: 86_400 })).body.now)
  assert.ok(later - before >= 86_400_000)
  const balances = await steer('POST', '/balances', { msisdn: PAYER, operator: 'wave_ci', amount: 7 })
  assert.equal(balances.body.phones[`+225${PAYER}`].wave_ci, 7)
  assert.match((await steer('POST', `/phones/${PAYER}/code`, { operator: 'orange_ci' })).body.code, /^\d{4}$/)
  assert.equal((await steer('DELETE', `/scripts/${script.body.id}`)).status, 200)
  assert.deepEqual((await steer('GET', '/scripts')).body.scripts, [])
})

test('the first answer of the steering lists every fault, those of one API alone too, and each can be injected', async () => {
  const { faults, faults_of } = (await steer('GET', '')).body
  assert.equal(faults_of.pawapay.callback_wrong_digest, 'signs the digest of other bytes')
  assert.ok('callback_dotted' in faults_of.wave)
  for (const fault of [faults, ...Object.values(faults_of)].flatMap((words) => Object.keys(words as object)))
    assert.equal((await steer('POST', '/faults', { fault, times: 1 })).status, 200, fault)
})

test('steering that cannot be read is refused with a sentence, and nothing changes', async () => {
  const cases: [string, string, unknown, number][] = [
    ['POST', '/scripts', { outcome: 'explode' }, 400],
    ['POST', '/scripts', { outcome: 'succeed', msisdn: '12' }, 400],
    ['POST', '/faults', { fault: 'toString' }, 400],
    ['POST', '/clock', { advance_seconds: -1 }, 400],
    ['POST', '/clock', '{', 400],
    ['POST', '/clock', '[]', 400],
    ['PATCH', '/apis/pawapay', { colour: 'red' }, 400],
    ['PATCH', '/apis/pawapay', { payout_status: 'CLOSED' }, 400],
    ['PATCH', '/apis/pawapay', { callback_url: null }, 400],
    ['PATCH', '/apis/pawapay', { payout_status: { ORANGE_CIV: 'BROKEN' } }, 400],
    ['PATCH', '/apis/pawapay', { company_name: 'Autre', signature_encoding: 'RAW' }, 400],
    ['PATCH', '/apis/wave', { error_shape: 'none' }, 400],
    ['PATCH', '/apis/toString', {}, 400],
    ['POST', '/apis/pawapay/toString', {}, 400],
    ['POST', '/phones/%ZZ/approve', {}, 400],
    ['GET', '/nothing', undefined, 404],
  ]
  for (const [method, path, body, status] of cases) {
    const answer = await steer(method, path, body)
    assert.equal(answer.status, status, `${method} ${path}`)
    assert.equal(typeof answer.body.error, 'string')
  }
  assert.deepEqual(twin.rules(), { scripts: [], faults: [] })
  assert.equal(twin.settings('pawapay').company_name, 'Bandama')
})

test('with a file the twin keeps its state over a restart', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'twin-'))
  after(() => rm(folder, { recursive: true }))
  const state_file = join(folder, 'state.json')
  const id = randomUUID()
  const first = await startTwin({ state_file })
  first.change('pawapay', { display_name: 'Chez Awa' })
  await send('deposit', id, first)
  await first.advance(60)
  await first.close()
  const second = await startTwin({ state_file })
  assert.equal(second.settings('pawapay').display_name, 'Chez Awa')
  await second.phone(PAYER).approve({ within_seconds: 0 })
  assert.deepEqual(
    second.journal().map(({ reference }) => reference),
    [id],
  )
  await second.close()
  await writeFile(state_file, '{"a":1}')
  await assert.rejects(startTwin({ state_file }), /is not the state of a twin/)
})

test('a rule may be about the end of a number', async () => {
  twin.script({ outcome: 'succeed', after_seconds: 0 })
  twin.script({ outcome: 'nothing', msisdn_end: PAYER.slice(-4) })
  const [ours, other] = [randomUUID(), randomUUID()]
  await send('deposit', ours)
  twin.clear('scripts')
  twin.script({ outcome: 'succeed', after_seconds: 0 })
  twin.script({ outcome: 'nothing', msisdn_end: '0000' })
  await send('deposit', other)
  await twin.advance(1)
  assert.deepEqual([stateOf(ours), stateOf(other)], ['received', 'succeeded'])
  assert.equal((await steer('POST', '/scripts', { outcome: 'nothing', msisdn_end: '07x' })).status, 400)
})
