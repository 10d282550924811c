import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { actor } from '../../../tests/harness/actor.ts'
import { removeConnector, setConnector, setRoute } from '../../../tests/harness/connectors.ts'
import { openTestDatabase, type TestDatabase } from '../../../tests/harness/database.ts'
import { englishOf } from '../../../tests/harness/in-both-languages.ts'
import { sampleSettings, sampleSurroundings } from '../../../tests/harness/sample-connector.ts'
import { waitFor } from '../../../tests/harness/wait-for.ts'
import { createLog } from '../../platform/log.ts'
import type { OperatorHttp } from '../operator-api/operator-http.ts'
import type { Connector, Order } from '../port.ts'
import { createRegistry } from '../routing/registry.ts'
import { withSimulator } from '../simulator/with-simulator.ts'
import { checkConnector } from './check-connector.ts'
import { readSettings } from './connector-store.ts'
import { followContracts } from './contract-directory.ts'
import { showConnector } from './find-connectors.ts'
import type { RouteToSet } from './set-route.ts'

const AWA = 'awa@example.com'
const log = createLog('silent', 'test')

/** Ways to the operator, by the settings that they were opened for, with the calls that wait on each. */
type Way = { token: string; open: boolean; calls: { answer(): void }[] }
const ways: Way[] = []
function openHttp(settings: Readonly<Record<string, unknown>> = {}): OperatorHttp {
  const way: Way = { token: String(settings.api_token), open: true, calls: [] }
  ways.push(way)
  return {
    call: () =>
      new Promise((resolve) => {
        way.calls.push({ answer: () => resolve({ kind: 'answered', status: 200, headers: {}, body: '' }) })
      }),
    async close() {
      way.open = false
    },
  }
}

const surroundings = { ...sampleSurroundings(), openHttp }
const offered = { collect: true, payout: true, refund: 'partial' }
const simulator = { name: 'simulator', callbacks: 'signed', capabilitiesOf: () => offered } as unknown as Connector
let db: TestDatabase
before(async () => {
  db = await openTestDatabase()
  await db.sql`insert into merchants (merchant_id, name) overriding system value values (7, 'Seven')`
})
after(() => db[Symbol.asyncDispose]())

const set = (name: string, more: Record<string, unknown> = {}, livemode = true) =>
  setConnector(
    { sql: db.sql, surroundings },
    { name, type: 'sample', livemode, settings: sampleSettings(more) },
    actor(AWA),
  )
const route = (connectors: string[], more: Partial<RouteToSet> = {}) =>
  setRoute(
    { sql: db.sql, surroundings },
    {
      ...{ merchant_id: 0, livemode: true, operator: 'orange_ci', direction: 'collect' },
      ...{ connectors, amount_min: null, amount_max: null, ...more },
    },
    actor(AWA),
  )
const order = { merchant_id: 7, livemode: true, operator: 'orange_ci', direction: 'collect' } as const

test('settings changed are in force within a second, and connections of the old ones end with their calls', async () => {
  await using contracts = await following()
  const { registry, is } = contracts
  assert.equal(registry.connectorFor(order), null)
  await set('one', { callback_secret: 'first' })
  await route(['one'])
  await is(() => registry.connectorFor(order)?.name === 'one')
  const first = registry.connectorFor(order)!
  const sending = first.send({} as Order)
  assert.deepEqual([ways.at(-1)!.token, ways.length], ['token-one', 1])

  await set('one', { api_token: 'token-two', callback_secret: 'second' })
  await is(() => registry.connectorFor(order) !== first)
  assert.ok(ways[0]!.open, 'a call is under way')
  ways[0]!.calls[0]!.answer()
  assert.equal((await sending).kind, 'accepted')
  await waitFor(() => !ways[0]!.open)
  // Somebody who took it before the change calls now.
  const late = first.send({} as Order)
  ways.at(-1)!.calls[0]!.answer()
  assert.equal((await late).kind, 'accepted')
  await waitFor(() => !ways.at(-1)!.open)

  const call = (secret: string) =>
    registry.readCallback({ connector: 'one', token: null, raw: Buffer.from('r'), headers: { 'x-secret': secret } })
  assert.deepEqual(
    (await Promise.all(['second', 'first', 'third'].map(call))).map(({ kind }) => kind),
    ['about', 'about', 'forged'],
  )
  await db.moveClock('25 hours')
  await waitFor(async () => (await call('first')).kind === 'forged')
  assert.equal((await call('second')).kind, 'about')
  await db.moveClock('0')
})

test("a merchant's own route comes before everybody's, and the first connector that offers it is taken", async () => {
  await using contracts = await following()
  const { registry, is } = contracts
  await set('everybodys')
  await set('own')
  await route(['everybodys'], { amount_min: 200, amount_max: 900_000 })
  await route(['own', 'everybodys'], { merchant_id: 7 })
  await is(() => registry.connectorFor(order)?.name === 'own')
  assert.equal(registry.connectorFor({ ...order, merchant_id: 8 })?.name, 'everybodys')
  assert.equal(registry.connectorFor({ ...order, direction: 'payout' }), null)
  assert.equal(registry.connectorFor({ ...order, direction: 'refund' })?.name, 'own')
  assert.equal(registry.connectorFor({ ...order, operator: null }), null)
  assert.deepEqual(registry.boundsFor(order), { min: 100, max: 500_000, step: 5 })
  assert.deepEqual(registry.boundsFor({ ...order, merchant_id: 8 }), { min: 200, max: 500_000, step: 5 })

  await route([], { merchant_id: 7 })
  await removeConnector(db.sql, 'own', actor(AWA))
  await is(() => registry.connectorFor(order)?.name === 'everybodys')
  assert.equal(registry.connectorNamed('own')?.name, 'own', 'what it has sent is still asked about')
})

test('in test mode the simulator answers, unless a route leads to a sandbox; numbers that choose an outcome stay with the simulator', async () => {
  await using contracts = await following()
  const { registry, is } = contracts
  const trial = { ...order, livemode: false, msisdn: '+2250700000000' }
  assert.equal(registry.connectorFor(trial), simulator)
  await set('sandbox', {}, false)
  await route(['sandbox'], { livemode: false })
  await is(() => registry.connectorFor(trial)?.name === 'sandbox')
  assert.equal(registry.connectorFor({ ...trial, operator: 'wave_ci' }), simulator)
  assert.equal(registry.connectorFor({ ...trial, msisdn: '+2250700000003' }), simulator)
})

test('callbacks of an operator that signs nothing are read only at the address with its token', async () => {
  await using contracts = await following()
  const { registry, is } = contracts
  await set('unsigned')
  await is(() => registry.connectorNamed('unsigned') !== null)
  const url = (await showConnector(db.sql, surroundings, 'unsigned'))!.callback_url!
  const told = url.slice(url.lastIndexOf('/') + 1)
  const read = async (token: string | null) =>
    (await registry.readCallback({ connector: 'unsigned', token, raw: Buffer.from('r'), headers: {} })).kind
  assert.deepEqual(await Promise.all([told, null, '', `${told}x`, told.replace(/^./, '!')].map(read)), [
    ...['about', 'unknown', 'unknown', 'unknown', 'unknown'],
  ])
  assert.equal(await read(told), 'about')
  assert.deepEqual(await Promise.all([`${told}.order`, `${told}x.order`, '.order'].map(read)), [
    ...['about', 'unknown', 'unknown'],
  ])
})

test('once its operator signs, unsigned callbacks are ignored, although replaced settings still verify callbacks', async () => {
  await using contracts = await following()
  const { registry, is } = contracts
  await set('signs')
  await is(() => registry.connectorNamed('signs') !== null)
  await set('signs', { callback_secret: 'its own' })
  await is(() => registry.connectorNamed('signs')?.callbacks === 'signed')
  const read = async (headers: Record<string, string>) =>
    (await registry.readCallback({ connector: 'signs', token: null, raw: Buffer.from('r'), headers })).kind
  assert.deepEqual([await read({}), await read({ 'x-secret': 'its own' })], ['forged', 'about'])
})

test('settings that cannot be opened here leave the others in force', async () => {
  await set('foreign')
  await db.sql`update connector_settings set settings_sealed = '\\x01' where connector = 'foreign'`
  await using contracts = await following()
  assert.equal(contracts.registry.connectorNamed('foreign'), null)
  assert.equal(contracts.registry.connectorNamed('everybodys')?.name, 'everybodys')
})

test('a process that a test can end refuses contracts that move real money', async () => {
  const beforeUse = (names: readonly string[]) => {
    if (names.length > 0) throw new Error(`refused beside ${names.join()}`)
  }
  await assert.rejects(followContracts({ sql: db.sql, surroundings, log, beforeUse }), /refused beside everybodys/)
})

async function following() {
  const contracts = await followContracts({ sql: db.sql, surroundings, log })
  return {
    ...contracts,
    registry: createRegistry(withSimulator(simulator, contracts)),
    /** A change is in force within a second. */
    is: (so: () => boolean) => waitFor(so),
    [Symbol.asyncDispose]: () => contracts.stop(),
  }
}

test('settings of a sandbox that were stored in live mode carry no order, and each place says why', async () => {
  await using contracts = await following()
  const { registry, is } = contracts
  await set('stored')
  await route(['stored'])
  await is(() => registry.connectorFor(order)?.name === 'stored')
  const [row] = await readSettings(db.sql, 'stored')
  const sandbox = { base_url: 'https://sandbox.example.com', api_token: 'token-one' }
  await db.sql`
    update connector_settings set settings_sealed = ${surroundings.box.sealSettings(row!, sandbox)} where connector = 'stored'`
  // A process that starts now opens them for the first time.
  await using started = await following()
  assert.equal(started.registry.connectorFor(order), null)
  assert.deepEqual(
    [contracts, started].map((one) => one.closedGenerationOf('stored')),
    [null, 1],
  )
  assert.equal(started.registry.connectorNamed('stored'), null, 'what it calls paid is not asked about either')
  const words = /of the sandbox, and the mode is live/
  const shown = (await showConnector(db.sql, surroundings, 'stored'))!
  assert.match(englishOf(shown.problem!), words)
  assert.equal(shown.settings.base_url, 'https://sandbox.example.com', 'so that a person can mend it')
  const checked = await checkConnector(db.sql, surroundings, 'stored')
  assert.match(checked.kind === 'fails' ? englishOf(checked.problem) : checked.kind, words)
  assert.equal((await showConnector(db.sql, surroundings, 'stored'))!.check_fails, true)
})
