import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { actor } from '../../../tests/harness/actor.ts'
import { setConnector } from '../../../tests/harness/connectors.ts'
import { openTestDatabase } from '../../../tests/harness/database.ts'
import { directContracts, sampleSettings, sampleSurroundings } from '../../../tests/harness/sample-connector.ts'
import { createClock } from '../../platform/clock.ts'
import { createLog } from '../../platform/log.ts'
import { readContracts } from '../contracts/contract-directory.ts'
import { createOperatorHttp } from '../operator-api/operator-http.ts'
import { orangeWebpay } from '../orange-webpay/connector.ts'
import { orderIdOf } from '../orange-webpay/translate.ts'
import { createRegistry } from '../routing/registry.ts'
import { createSimulator } from '../simulator/connector.ts'
import { withSimulator } from '../simulator/with-simulator.ts'
import { createReceiveCallback } from './receive-callback.ts'

const callbackKey = Buffer.from('a key that only the simulator and we know')

/** Makes a signed call of the simulator about a reference. */
function calling(reference: string) {
  const raw = Buffer.from(JSON.stringify({ reference, time: 1 }))
  const signature = createHmac('sha256', callbackKey).update(raw).digest('hex')
  return { connector: 'simulator', token: null, raw, headers: { 'x-simulator-signature': signature } }
}

test('callbacks that arrive together are stored once each, with their repetitions counted, and each causes one inquiry', async () => {
  await using db = await openTestDatabase()
  const { sql } = db
  const simulator = createSimulator({ sql, delay_ms: 0, callbackKey, origin: () => 'http://127.0.0.1' })
  const receive = createReceiveCallback({
    sql,
    registry: createRegistry(withSimulator(simulator)),
    clock: createClock(),
  })
  await sql`
    insert into operator_references (connector, reference, merchant_id, livemode, subject_id)
    values ('simulator', 'ref-a', 1, false, 'txn_a'), ('simulator', 'ref-b', 2, false, 'txn_b')`

  const told = ['ref-a', 'ref-b', 'nobodys', 'ref-a', 'nobodys', 'ref-a']
  // The first goes alone, because nothing is being written yet; the others while it is. Then one of them once more.
  const receipts = await Promise.all(['ref-b', ...told].map((reference) => receive(calling(reference), '')))
  await receive(calling('ref-b'), '')

  assert.deepEqual(new Set(receipts), new Set(['kept']))
  assert.deepEqual(await sql`select reference, times_received, outcome from operator_callbacks order by reference`, [
    { reference: 'nobodys', times_received: 2, outcome: 'unmatched' },
    { reference: 'ref-a', times_received: 3, outcome: 'asked' },
    { reference: 'ref-b', times_received: 3, outcome: 'asked' },
  ])
  const jobs = await sql<{ subject_id: string }[]>`
    select i.subject_id
      from jobs
     cross join lateral json_to_recordset(payload -> 'instructions') as i(subject_id text)
     where kind = 'query-operator'
     order by 1`
  assert.deepEqual(
    jobs.map(({ subject_id }) => subject_id),
    ['txn_a', 'txn_b'],
  )
  assert.equal((await sql`select id from anomalies`).length, 1, 'what nobody waits for is kept for a person, once')
})

test('a report about an unknown reference is stored in the mode of its connector, whatever its name', async () => {
  await using db = await openTestDatabase()
  const { sql } = db
  const surroundings = sampleSurroundings()
  const log = createLog('silent', 'test')
  for (const [name, livemode] of [
    ['trial', false],
    ['real', true],
  ] as const) {
    const settings = sampleSettings({ callback_secret: 'told' })
    await setConnector({ sql, surroundings }, { name, type: 'sample', livemode, settings }, actor('awa@example.com'))
  }
  const contracts = await readContracts({ sql, surroundings, log })
  const simulator = createSimulator({ sql, delay_ms: 0, callbackKey, origin: () => 'http://127.0.0.1' })
  const receive = createReceiveCallback({
    sql,
    registry: createRegistry(withSimulator(simulator, contracts)),
    clock: createClock(),
  })
  const raw = Buffer.from('nobodys')
  for (const connector of ['trial', 'real']) {
    assert.equal(await receive({ connector, token: null, raw, headers: { 'x-secret': 'told' } }, ''), 'kept')
  }
  await receive(calling('nobodys'), '')
  assert.deepEqual(await sql`select operator, livemode from anomalies order by operator`, [
    { operator: 'real', livemode: true },
    { operator: 'simulator', livemode: false },
    { operator: 'trial', livemode: false },
  ])
})

test('a forged callback among others is refused and leaves nothing', async () => {
  await using db = await openTestDatabase()
  const { sql } = db
  const simulator = createSimulator({ sql, delay_ms: 0, callbackKey, origin: () => 'http://127.0.0.1' })
  const receive = createReceiveCallback({
    sql,
    registry: createRegistry(withSimulator(simulator)),
    clock: createClock(),
  })
  const { headers } = calling('another')
  const receipts = await Promise.all([receive(calling('ref-a'), ''), receive({ ...calling('ref-b'), headers }, '')])
  assert.deepEqual(receipts, ['kept', 'forged'])
  assert.equal((await sql`select digest from operator_callbacks`).length, 1)
})

test('a callback with another token than that of its order is ignored, and one that arrives before any token is stored is not', async () => {
  await using db = await openTestDatabase()
  const { sql } = db
  const simulator = createSimulator({ sql, delay_ms: 0, callbackKey, origin: () => 'http://127.0.0.1' })
  const connector = orangeWebpay.create(
    { base_url: 'https://api.example.com', country_path: 'ci', client_id: 'c', client_secret: 's', merchant_key: 'k' },
    {
      name: 'orange',
      livemode: true,
      http: createOperatorHttp({ base_url: 'https://api.example.com' }),
      callback_url: 'https://pay.example.ci/operators/orange/callbacks/',
      return_url: 'https://pay.example.ci/return',
      now: () => new Date(0),
    },
  )
  const registry = createRegistry(withSimulator(simulator, directContracts([connector])))
  const receive = createReceiveCallback({ sql, registry, clock: createClock() })
  const orders = { answered: '8f0c5a4e-6d0d-4f0b-9e0e-0c8f4b1a7d10', early: '8f0c5a4e-6d0d-4f0b-9e0e-0c8f4b1a7d11' }
  for (const [name, reference] of Object.entries(orders)) {
    const state = name === 'answered' ? JSON.stringify({ pay_token: 'one', notif_token: 'known-to-two' }) : null
    await sql`
      insert into instructions (merchant_id, livemode, subject_id, direction, operator, connector, amount, currency, reference, state,
                                operator_state)
      values (1, true, ${`txn_${name}`}, 'collect', 'orange_ci', 'orange', 2500, 'XOF', ${reference}, 'sent', ${state}::jsonb)`
    await sql`
      insert into operator_references (connector, reference, merchant_id, livemode, subject_id)
      values ('orange', ${reference}, 1, true, ${`txn_${name}`})`
  }
  const notice = (reference: string, notif_token: string) => {
    const raw = Buffer.from(JSON.stringify({ status: 'SUCCESS', notif_token, txnid: 'MP1' }))
    return receive({ connector: 'orange', token: `.${orderIdOf(reference)}`, raw, headers: {} }, '')
  }
  assert.equal(await notice(orders.answered, 'known-to-twO'), 'mismatched')
  assert.equal(await notice(orders.answered, ''), 'mismatched')
  assert.equal((await sql`select digest from operator_callbacks`).length, 0)
  assert.equal(await notice(orders.answered, 'known-to-two'), 'kept')
  assert.equal(await notice(orders.early, 'not-kept-yet'), 'kept')
  const kept = await sql<{ evidence: object }[]>`select evidence from operator_callbacks`
  assert.equal(kept.length, 2)
  assert.doesNotMatch(JSON.stringify(kept), /known-to-two|not-kept-yet/)
})
