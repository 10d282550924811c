import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { actor } from '../../../tests/harness/actor.ts'
import { removeConnector, setConnector, setRoute } from '../../../tests/harness/connectors.ts'
import { openTestDatabase, type TestDatabase } from '../../../tests/harness/database.ts'
import { englishOf } from '../../../tests/harness/in-both-languages.ts'
import { sampleSettings, sampleSurroundings } from '../../../tests/harness/sample-connector.ts'
import { readSettings } from './connector-store.ts'
import { listConnectors, showConnector } from './find-connectors.ts'
import { readRoutes } from './route-store.ts'
import type { RouteToSet } from './set-route.ts'

const AWA = 'awa@example.com'
const surroundings = sampleSurroundings()

let db: TestDatabase
before(async () => {
  db = await openTestDatabase()
  await db.sql`insert into merchants (merchant_id, name) overriding system value values (7, 'Seven')`
})
after(() => db[Symbol.asyncDispose]())

const set = (name: string, more: Record<string, unknown> = {}, { type = 'sample', livemode = true } = {}) =>
  setConnector({ sql: db.sql, surroundings }, { name, type, livemode, settings: sampleSettings(more) }, actor(AWA))
const setText = (name: string, text: string) =>
  setConnector(
    { sql: db.sql, surroundings },
    { name, type: 'sample', livemode: true, settings: Buffer.from(text) },
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

test('settings are sealed, shown without their secrets, and replaced ones verify callbacks for a day', async () => {
  assert.deepEqual(await set('one'), { kind: 'set', created: true, generation: 1, warning: null })
  assert.deepEqual(await set('one', { api_token: 'token-two', retries: 2 }), {
    ...{ kind: 'set', created: false, generation: 2, warning: null },
  })
  const shown = (await showConnector(db.sql, surroundings, 'one'))!
  assert.deepEqual(shown.settings, { base_url: 'https://api.example.com', api_token: '********', retries: 2 })
  assert.deepEqual([shown.generation, shown.also_verifying, shown.changed_by], [2, [1], AWA])
  assert.match(shown.callback_url!, /^https:\/\/pay\.example\.ci\/operators\/one\/callbacks\/[0-9a-z]{32}$/)

  const rows = await db.sql<{ text: string }[]>`
    select encode(settings_sealed, 'escape') as text from connector_settings where connector = 'one'`
  assert.ok(rows.every(({ text }) => !text.includes('token-') && !text.includes('example.com')))
  const acts = await db.sql<{ actor: string; subject: string; before: unknown; after: unknown }[]>`
    select actor, subject, before, after from audit_log where act = 'connector.set' and subject = 'one' order by at, id`
  assert.equal(acts.length, 2)
  assert.ok(acts.every(({ actor }) => actor === AWA))
  assert.ok(!JSON.stringify(acts).includes('token-'), 'the audit log holds no secret')

  await db.moveClock('25 hours')
  assert.deepEqual(
    (await readSettings(db.sql, 'one')).map(({ generation }) => generation),
    [2],
  )
  await db.moveClock('0')
})

test('where the operator signs, its address needs no token', async () => {
  await set('signing', { callback_secret: 'a long secret' })
  const shown = (await showConnector(db.sql, surroundings, 'signing'))!
  assert.equal(shown.callback_url, 'https://pay.example.ci/operators/signing/callbacks')
})

test('settings that do not fit their kind are refused in one sentence that names the key and not its value', async () => {
  const long = 'value-of-a-secret'
  const cases: [text: string, problem: RegExp][] = [
    ['', /not one JSON object.*empty/],
    [`{"api_token": ${long}`, /not one JSON object/],
    [`["${long}"]`, /not one JSON object/],
    [
      `{"base_url": "https://a.example", "api_token": "${long}", "api_token": "b"}`,
      /api_token.*twice|twice.*api_token/,
    ],
    [`{"base_url": "https://a.example", "apitoken": "${long}"}`, /no key "apitoken"/],
    [`{"base_url": "https://a.example"}`, /^api_token is missing/],
    [`{"base_url": "https://a.example", "api_token": 12345678}`, /^api_token must be a string, but a number/],
    [`{"base_url": "https://a.example", "api_token": "${long}", "retries": 1.5}`, /^retries must be a whole number/],
    [`{"base_url": "https://a.example", "api_token": "unusable"}`, /^api_token is none that sample gives/],
    [`{"base_url": "${long}", "api_token": "${long}"}`, /^base_url is not a URL/],
    [`{"base_url": "http://a.example", "api_token": "${long}"}`, /^base_url must begin with https/],
    [`{"base_url": "https://u:${long}@a.example", "api_token": "${long}"}`, /^base_url must not hold/],
  ]
  for (const [text, problem] of cases) {
    const result = await setText('wrong', text)
    assert.equal(result.kind, 'refused', text)
    const said = result.kind === 'refused' ? result.problem.join(' ') : ''
    assert.match(result.kind === 'refused' ? result.problem[1] : '', problem)
    assert.ok(!said.includes(long) && !said.includes('12345678'), said)
    assert.equal(said.split('\n').length, 1)
  }
  assert.equal(await showConnector(db.sql, surroundings, 'wrong'), null)
  assert.equal((await setText('loop', '{"base_url": "http://127.0.0.1:4010/x", "api_token": "abcd"}')).kind, 'set')
})

test('a name keeps its kind and its mode', async () => {
  await set('kept')
  const other = await set('kept', {}, { livemode: false })
  assert.match(other.kind === 'refused' ? englishOf(other.problem) : '', /type sample in live mode already/)
  assert.equal((await set('none', {}, { type: 'nothing' })).kind, 'refused')
  for (const name of ['simulator', 'Upper', 'a/b', '', 'x'.repeat(41)]) {
    assert.equal((await set(name)).kind, 'refused', name)
  }
})

test('a sandbox is refused in live mode, and real money in test mode is set with a warning', async () => {
  const sandbox = await set('sandbox', { base_url: 'https://sandbox.example.com' })
  assert.match(sandbox.kind === 'refused' ? englishOf(sandbox.problem) : '', /of the sandbox, and the mode is live/)
  assert.equal(await showConnector(db.sql, surroundings, 'sandbox'), null)
  const real = await set('real', { base_url: 'https://real.example.com' }, { livemode: false })
  assert.match(real.kind === 'set' && real.warning !== null ? englishOf(real.warning) : '', /real money/)
})

test('a route leads to connectors of its mode that offer it, and a connector is not removed while one does', async () => {
  await set('first')
  await set('second')
  await set('trial', {}, { livemode: false })
  const problems: [result: ReturnType<typeof route>, problem: RegExp][] = [
    [route(['first', 'nobody']), /no connector nobody/],
    [route(['trial']), /trial is of test mode/],
    [route(['first'], { operator: 'mtn_ci' }), /first does not reach mtn_ci/],
    [route(['first'], { operator: 'wave_ci', direction: 'payout' }), /first offers no payout for wave_ci/],
    [route([]), /no such route/],
  ]
  for (const [result, problem] of problems) {
    const said = await result
    assert.match(said.kind === 'refused' ? englishOf(said.problem) : said.kind, problem)
  }
  assert.deepEqual(await route(['first', 'second'], { amount_max: 1_000 }), { kind: 'set' })
  assert.deepEqual(await route(['second'], { merchant_id: 7 }), { kind: 'set' })
  const routes = await readRoutes(db.sql, true)
  assert.deepEqual(
    routes.map(({ merchant_id, connectors, amount_max }) => [merchant_id, connectors, amount_max]),
    [
      [0, ['first', 'second'], 1_000],
      [7, ['second'], null],
    ],
  )

  const refused = await removeConnector(db.sql, 'second', actor(AWA))
  assert.equal(refused.kind === 'refused' && refused.code, 'in_routes')
  await route([], { merchant_id: 7 })
  await route(['first'])
  assert.deepEqual(await removeConnector(db.sql, 'second', actor(AWA)), { kind: 'removed' })
  assert.deepEqual(await removeConnector(db.sql, 'second', actor(AWA)), { kind: 'removed' }, 'it stays removed')
  assert.deepEqual(await removeConnector(db.sql, 'nobody', actor(AWA)), { kind: 'refused', code: 'resource_not_found' })
  assert.match(
    await route(['first', 'second']).then((said) => ('problem' in said ? englishOf(said.problem) : '')),
    /was removed/,
  )
  assert.equal((await readSettings(db.sql, 'second')).length, 1, 'its settings stay')
  assert.equal((await listConnectors(db.sql)).at(-1)!.name, 'second')
  await assert.rejects(db.sql`delete from connectors where name = 'second'`, /append-only/)

  assert.deepEqual(await set('second'), { kind: 'set', created: false, generation: 2, warning: null })
  assert.deepEqual(await route(['first', 'second']), { kind: 'set' })
})
