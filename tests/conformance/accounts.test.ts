import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createSurroundings } from '../../src/app/contracts.ts'
import { type RunningTwin, startTwin } from '../../src/twin/start-twin.ts'
import { Secret } from '../../src/values/secret.ts'
import { actor } from '../harness/actor.ts'
import { removeConnector, setConnector } from '../harness/connectors.ts'
import { openTestDatabase, type TestDatabase } from '../harness/database.ts'
import { englishOf } from '../harness/in-both-languages.ts'
import { contracts } from './contracts.ts'

// An account has one name in a mode, because its callbacks and its balance belong to one connector.

const AWA = 'awa@example.com'
const surroundings = createSurroundings({
  secretKey: new Secret('a secret key of thirty-two letters and more'),
  origin: { get: () => 'https://pay.example.ci' },
  config: { proxy: null, operator_http_allow: [] },
})

let db: TestDatabase
let twin: RunningTwin
before(async () => {
  db = await openTestDatabase()
  twin = await startTwin()
})
after(async () => {
  await db[Symbol.asyncDispose]()
  await twin.close()
})

/** Settings that keep the account, and settings that lead to another account. */
const changes: Record<string, { same: Record<string, unknown>; another: Record<string, unknown> }> = {
  pawapay: { same: { customer_message: 'Merci' }, another: { api_token: 'a-token-of-another' } },
  mtn: {
    same: { message: 'Merci', 'collection.api_key': 'a-newer-key-of-the-user' },
    another: {
      'collection.api_user': '0b9ad5f6-1c3e-4f53-8f0f-3c8a8e1d9a01',
      'disbursement.api_user': '0b9ad5f6-1c3e-4f53-8f0f-3c8a8e1d9a02',
    },
  },
  orange: { same: { reference: 'Merci' }, another: { merchant_key: 'a-key-of-another-merchant' } },
  moov: { same: { password: 'another-password' }, another: { user: 'ANOTHER' } },
  wave: { same: { payment_reason: 'Merci' }, another: { api_key: 'a-key-of-another-wallet' } },
}

for (const { api, type } of contracts) {
  const set = (name: string, more: Record<string, unknown> = {}, livemode = true) => {
    const settings = Buffer.from(JSON.stringify({ ...twin.connectors()[api]!.settings, ...more }))
    return setConnector({ sql: db.sql, surroundings }, { name, type: type.type, livemode, settings }, actor(AWA))
  }
  const refusedFor = async (other: string, setting: ReturnType<typeof set>) => {
    const result = await setting
    const problem = result.kind === 'refused' ? englishOf(result.problem) : ''
    assert.match(problem, new RegExp(`connector ${other} reaches this account`))
    for (const secret of type.secrets) {
      const value = twin.connectors()[api]!.settings[secret]
      assert.ok(value === undefined || !problem.includes(value), 'no secret is said')
    }
  }

  test(`${api}: an account cannot get a second name in its mode, and keeps its name when other settings change`, async () => {
    const { same, another } = changes[api]!
    const [a, b] = [`${api}-a`, `${api}-b`]
    const told = await Promise.all([set(a), set(b)])
    assert.deepEqual(told.map(({ kind }) => kind).sort(), ['refused', 'set'], 'at the same time')
    const [first, second] = told[0]!.kind === 'set' ? [a, b] : [b, a]
    await refusedFor(first, set(second))
    await refusedFor(first, set(second, same))
    const { base_url } = twin.connectors()[api]!.settings
    await refusedFor(first, set(second, { base_url: `${base_url!.replace('http:', 'HTTP:')}/` }))
    assert.equal((await set(first, same)).kind, 'set')
    assert.equal((await set(second, another)).kind, 'set')
    await refusedFor(first, set(second))
    await refusedFor(second, set(first, another))
    assert.deepEqual(await removeConnector(db.sql, first, actor(AWA)), { kind: 'removed' })
    await refusedFor(first, set(`${api}-c`))
    assert.equal((await set(first)).kind, 'set')
  })
}

test('each aggregated merchant of a Wave key has exactly one name of its own', async () => {
  const set = (name: string, aggregated_merchant_id: string) => {
    const settings = { ...twin.connectors().wave!.settings, api_key: 'a-key-of-an-aggregator', aggregated_merchant_id }
    const wanted = { name, type: 'wave', livemode: true, settings: Buffer.from(JSON.stringify(settings)) }
    return setConnector({ sql: db.sql, surroundings }, wanted, actor(AWA))
  }
  assert.equal((await set('wave-aya', 'am-1')).kind, 'set')
  assert.equal((await set('wave-kofi', 'am-2')).kind, 'set')
  const again = await set('wave-other', 'am-1')
  assert.match(again.kind === 'refused' ? englishOf(again.problem) : '', /connector wave-aya reaches this account/)
})

test('an MTN account of one product is found under a name with both products, and each mode has its own names', async () => {
  const { 'disbursement.api_user': user, ...rest } = twin.connectors().mtn!.settings
  const disbursement = Object.entries(rest).filter(([key]) => !key.startsWith('collection.'))
  const settings = { ...Object.fromEntries(disbursement), 'disbursement.api_user': user }
  const set = (name: string, livemode: boolean) => {
    const wanted = { name, type: 'mtn_momo', livemode, settings: Buffer.from(JSON.stringify(settings)) }
    return setConnector({ sql: db.sql, surroundings }, wanted, actor(AWA))
  }
  const result = await set('paying', true)
  assert.match(result.kind === 'refused' ? englishOf(result.problem) : '', /connector mtn-[ab] reaches this account/)
  assert.equal((await set('trying', false)).kind, 'set')
})
